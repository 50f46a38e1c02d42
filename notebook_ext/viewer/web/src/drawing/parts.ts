/** The parts of a scene as three.js objects: surface, outline, edges; one geometry for all instances of a mesh. */

import * as THREE from "three";
import { MeshBVH } from "three-mesh-bvh";

import type { Vector } from "../protocol";
import { colorOf, type Mesh, type Rows, type SceneNode, type Store } from "../store";
import { Lines, polylines } from "./lines";
import { Pieces } from "./pieces";
import { outlineMaterial, surfaceMaterial, type Surface } from "./shading";
import type { Theme } from "./themes";

/** What transparency leaves of every part while it is switched on. */
const SEEN_THROUGH = 0.35;
/** Above this many triangles in all, bodies are not drawn a second time for their outlines. */
const OUTLINED_AT_MOST = 600_000;

/**
 * Above so many pieces of edges, and so many triangles, in all, edges and outlines are left out where a processor
 * draws a picture that moves or is new, until it rests: each is as much work as the surfaces.
 */
const HASTY = { segments: 60_000, triangles: 30_000 };

/** A mesh on the graphics card, and the tree that finds its triangles. */
export class Shape {
  readonly geometry = new THREE.BufferGeometry();
  private tree: MeshBVH | null = null;
  private byFace: { rows: Rows; starts: Uint32Array; corners: Uint32Array } | null = null;
  private cut: { rows: Rows; pieces: Pieces } | null = null;

  constructor(readonly mesh: Mesh) {
    this.geometry.setAttribute("position", new THREE.BufferAttribute(mesh.positions, 3));
    this.geometry.setAttribute("normal", new THREE.BufferAttribute(mesh.normals, 3));
    this.geometry.setIndex(new THREE.BufferAttribute(mesh.indices, 1));
    this.geometry.computeBoundingSphere();
    this.geometry.computeBoundingBox();
  }

  /** Built when first asked for: a million triangles take about a second. Leaves the order of triangles alone. */
  get bvh(): MeshBVH {
    this.tree ??= new MeshBVH(this.geometry, { indirect: true });
    return this.tree;
  }

  /** Make now what is needed as soon as somebody points; nothing where it is there. */
  prepare(rows: Rows | null): void {
    void this.bvh;
    if (!rows) return;
    this.pieces(rows);
    this.cornersOf(0, rows);
  }

  /** Whether there is nothing to prepare. */
  isPrepared(rows: Rows | null): boolean {
    return this.tree !== null && (rows === null || (this.cut?.rows === rows && this.byFace?.rows === rows));
  }

  /** The edges in pieces. */
  pieces(rows: Rows): Pieces {
    if (this.cut?.rows !== rows) this.cut = { rows, pieces: new Pieces(rows) };
    return this.cut.pieces;
  }

  /** The corners of the triangles of a face, three vertices each. */
  cornersOf(face: number, rows: Rows): Uint32Array {
    if (this.byFace?.rows !== rows) this.byFace = { rows, ...sortedByFace(rows, this.mesh.indices) };
    const { starts, corners } = this.byFace;
    return corners.subarray(3 * (starts[face] ?? 0), 3 * (starts[face + 1] ?? 0));
  }

  /** A geometry of some faces, over the same vertices. */
  faces(faces: Iterable<number>, rows: Rows): THREE.BufferGeometry {
    const parts = [...faces].map((face) => this.cornersOf(face, rows));
    const index = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      index.set(part, at);
      at += part.length;
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.geometry.getAttribute("position"));
    geometry.setAttribute("normal", this.geometry.getAttribute("normal"));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    return geometry;
  }

  dispose(): void {
    this.geometry.dispose();
  }
}

export class DrawnPart {
  readonly group = new THREE.Group();
  /** All edges; and the line around the body. */
  readonly lines = new THREE.Group();
  readonly outlines = new THREE.Group();
  readonly surface: THREE.Mesh<THREE.BufferGeometry, Surface>;
  readonly outline: THREE.Mesh<THREE.BufferGeometry, Surface>;
  private sharp: Lines | null = null;
  private tangent: Lines | null = null;
  private linesOf: { rows: Rows | null; theme: Theme } | null = null;
  /** Where the part is, exploded or not. */
  readonly offset = new THREE.Vector3();

  constructor(
    public node: SceneNode,
    readonly shape: Shape,
    resolution: THREE.Vector2,
  ) {
    this.surface = new THREE.Mesh(shape.geometry, surfaceMaterial());
    this.outline = new THREE.Mesh(shape.geometry, outlineMaterial(resolution));
    this.group.matrixAutoUpdate = false;
    this.outlines.add(this.outline);
    this.group.add(this.outlines, this.surface, this.lines);
  }

  get id(): string {
    return this.node.head.node_id;
  }

  /** How many pieces its edges have. */
  get segments(): number {
    const rows = this.node.rows;
    return rows ? rows.lines.length / 3 : this.shape.mesh.segments.length / 6;
  }

  /** The box around the part where it stands. */
  box(): THREE.Box3 {
    const box = this.shape.geometry.boundingBox as THREE.Box3;
    return box.clone().applyMatrix4(this.group.matrixWorld);
  }

  /** Bring everything up to date with the store. */
  show(store: Store, theme: Theme, planes: THREE.Plane[], outlined: boolean, hidden: boolean): void {
    const { node } = this;
    const look = store.look;
    this.group.visible = node.visible && !hidden;
    const pose = node.head.pose;
    if (pose) this.group.matrix.fromArray(pose).transpose();
    else this.group.matrix.identity();
    this.group.matrix.premultiply(new THREE.Matrix4().makeTranslation(this.offset));
    this.group.matrixWorldNeedsUpdate = true;
    this.group.updateMatrixWorld(true);

    const opacity = node.head.material.opacity * node.opacity * (look.transparent ? SEEN_THROUGH : 1);
    const material = this.surface.material;
    const uniforms = material.uniforms;
    const clear = opacity < 0.995;
    const side = clear || planes.length > 0 ? THREE.DoubleSide : THREE.FrontSide;
    if (material.transparent !== clear || material.side !== side || material.clippingPlanes?.length !== planes.length) {
      material.needsUpdate = true;
    }
    material.transparent = clear;
    material.depthWrite = !clear;
    material.side = side;
    material.wireframe = look.wireframe;
    material.clippingPlanes = planes;
    uniforms["opacity"]!.value = opacity;
    (uniforms["color"]!.value as THREE.Color).setRGB(...colorOf(node), THREE.SRGBColorSpace);
    uniforms["metallic"]!.value = node.head.material.metallic;
    uniforms["roughness"]!.value = node.head.material.roughness;
    uniforms["zebra"]!.value = look.zebra ? 1 : 0;
    uniforms["grey"]!.value = node.head.stale ? 0.85 : 0;

    const picked = store.selection.some((pick) => pick.kind === "part" && pick.node_id === this.id);
    const hovered = store.hover?.kind === "part" && store.hover.node_id === this.id;
    uniforms["tinted"]!.value = picked ? 0.35 : hovered ? 0.2 : 0;
    (uniforms["tint"]!.value as THREE.Color).set(picked ? theme.selected : theme.hover);
    this.surface.visible = node.faces;
    this.outline.visible = node.faces && !clear && !look.wireframe && ((look.outline && outlined) || picked || hovered);
    this.outline.material.clippingPlanes = planes;
    this.outline.material.uniforms["width"]!.value = picked || hovered ? 2.5 : theme.outlineWidth;
    (this.outline.material.uniforms["color"]!.value as THREE.Color).set(
      picked ? theme.selected : hovered ? theme.hover : theme.outline,
    );
    this.showLines(store, theme, planes, clear);
  }

  dispose(): void {
    this.group.removeFromParent();
    this.surface.material.dispose();
    this.outline.material.dispose();
    this.sharp?.dispose();
    this.tangent?.dispose();
  }

  private showLines(store: Store, theme: Theme, planes: THREE.Plane[], clear: boolean): void {
    const rows = this.node.rows;
    if (this.linesOf?.rows !== rows || this.linesOf.theme !== theme) {
      this.sharp?.dispose();
      this.tangent?.dispose();
      this.linesOf = { rows, theme };
      const numbers = rows ? Array.from(rows.lineTangent.keys()) : [];
      const sharp = rows ? polylines(rows, numbers.filter((edge) => !rows.lineTangent[edge])) : this.shape.mesh.segments;
      const smooth = rows ? polylines(rows, numbers.filter((edge) => rows.lineTangent[edge])) : new Float32Array();
      this.sharp = new Lines(sharp, { color: theme.edge, width: 1.35 });
      this.tangent = new Lines(smooth, { color: theme.tangent, width: 0.8, opacity: 0.55 });
      this.lines.add(this.sharp.object, this.tangent.object);
    }
    const on = this.node.edges && store.look.edges !== "none";
    if (this.sharp) {
      this.sharp.object.visible = on && !store.look.zebra;
      this.sharp.setClipping(planes);
      this.sharp.setOpacity(clear ? 0.6 : 1);
    }
    if (this.tangent) {
      this.tangent.object.visible = on && store.look.edges === "all" && !store.look.zebra && !store.look.wireframe;
      this.tangent.setClipping(planes);
    }
  }
}

/** All parts of a scene; takes and gives back what the graphics card holds. */
export class Parts {
  readonly group = new THREE.Group();
  readonly drawn = new Map<string, DrawnPart>();
  private readonly shapes = new Map<string, Shape>();

  constructor(
    private readonly store: Store,
    private readonly resolution: THREE.Vector2,
  ) {}

  /** Make what is drawn like the store. */
  reconcile(theme: Theme, planes: THREE.Plane[]): void {
    const store = this.store;
    for (const [id, part] of this.drawn) {
      const node = store.nodes.get(id);
      if (node !== undefined && store.meshOf(node) === part.shape.mesh) continue;
      part.dispose();
      this.drawn.delete(id);
    }
    for (const [id, node] of store.nodes) {
      const mesh = store.meshOf(node);
      const part = this.drawn.get(id);
      if (part) part.node = node;
      else if (mesh) {
        const made = new DrawnPart(node, this.shapeOf(node.head.digest, mesh), this.resolution);
        this.drawn.set(id, made);
        this.group.add(made.group);
      }
    }
    for (const [digest, shape] of this.shapes) {
      if (store.meshes.get(digest) === shape.mesh) continue;
      shape.dispose();
      this.shapes.delete(digest);
    }
    this.explode();
    const triangles = [...this.drawn.values()].reduce((sum, part) => sum + part.shape.mesh.indices.length / 3, 0);
    const replaced = new Set(store.compared());
    for (const part of this.drawn.values()) {
      part.show(store, theme, planes, triangles <= OUTLINED_AT_MOST, replaced.has(part.node));
    }
  }

  /** Leave out, in haste, what takes long to draw and is no surface; gives whether there was any. */
  sparing(hasty: boolean): boolean {
    const parts = this.visible();
    const sum = (of: (part: DrawnPart) => number): number => parts.reduce((total, part) => total + of(part), 0);
    const edges = hasty && sum((part) => part.segments) > HASTY.segments;
    const outlines = hasty && sum((part) => part.shape.mesh.indices.length / 3) > HASTY.triangles;
    for (const part of parts) {
      part.lines.visible = !edges;
      part.outlines.visible = !outlines;
    }
    return edges || outlines;
  }

  visible(): DrawnPart[] {
    return [...this.drawn.values()].filter((part) => part.group.visible);
  }

  box(parts: readonly DrawnPart[] = this.visible()): THREE.Box3 {
    const box = new THREE.Box3();
    for (const part of parts) box.union(part.box());
    return box;
  }

  dispose(): void {
    for (const part of this.drawn.values()) part.dispose();
    for (const shape of this.shapes.values()) shape.dispose();
  }

  private shapeOf(digest: string, mesh: Mesh): Shape {
    const known = this.shapes.get(digest);
    if (known?.mesh === mesh) return known;
    known?.dispose();
    const shape = new Shape(mesh);
    this.shapes.set(digest, shape);
    return shape;
  }

  /** From the middle: twice as far out at full amount. Along an axis: one behind the other, each free of the next. */
  private explode(): void {
    const { axis, amount } = this.store.explode;
    const parts = [...this.drawn.values()].filter((part) => part.node.visible);
    const homes = parts.map((part) => home(part));
    const whole = homes.reduce((box, partBox) => box.union(partBox), new THREE.Box3());
    const middle = whole.getCenter(new THREE.Vector3());
    const along = "xyz".indexOf(axis);
    for (const part of this.drawn.values()) part.offset.set(0, 0, 0);
    if (amount === 0) return;
    if (axis === "assembly") {
      const apart = assembly(parts.map(({ node }) => node.head.group), homes);
      parts.forEach((part, index) => part.offset.copy(apart[index] as THREE.Vector3).multiplyScalar(1.5 * amount));
      return;
    }
    if (along < 0) {
      parts.forEach((part, index) => {
        part.offset.copy((homes[index] as THREE.Box3).getCenter(new THREE.Vector3()).sub(middle)).multiplyScalar(1.5 * amount);
      });
      return;
    }
    const order = parts.map((_, index) => index).sort((a, b) => centerAlong(homes[a], along) - centerAlong(homes[b], along));
    const gap = 0.15 * whole.getSize(new THREE.Vector3()).getComponent(along);
    let reached = -Infinity;
    const ends = order.map((index) => {
      const box = homes[index] as THREE.Box3;
      const low = Math.max(box.min.getComponent(along), reached);
      reached = low + box.max.getComponent(along) - box.min.getComponent(along) + gap;
      return low - box.min.getComponent(along);
    });
    const last = Math.max(...ends, 0);
    order.forEach((index, place) => {
      (parts[index] as DrawnPart).offset.setComponent(along, amount * ((ends[place] as number) - last / 2));
    });
  }
}

/** How far each part goes from the middle when groups go apart, and what is in a group half as far within it. */
function assembly(groups: readonly string[], homes: readonly THREE.Box3[]): THREE.Vector3[] {
  const boxes = new Map<string, THREE.Box3>();
  const around = groups.map((group) => ["", ...group.split("/").filter(Boolean).map((_, depth, names) => names.slice(0, depth + 1).join("/"))]);
  around.forEach((names, index) => {
    for (const name of names) boxes.set(name, (boxes.get(name) ?? new THREE.Box3()).union(homes[index] as THREE.Box3));
  });
  const middle = (box: THREE.Box3 | undefined): THREE.Vector3 => (box as THREE.Box3).getCenter(new THREE.Vector3());
  return around.map((names, index) => {
    const middles = [...names.map((name) => middle(boxes.get(name))), middle(homes[index])];
    const apart = new THREE.Vector3();
    for (let depth = 1; depth < middles.length; depth++) {
      const step = (middles[depth] as THREE.Vector3).clone().sub(middles[depth - 1] as THREE.Vector3);
      apart.addScaledVector(step, 0.5 ** (depth - 1));
    }
    return apart;
  });
}

/** The box around a part where its pose puts it, not exploded. */
function home(part: DrawnPart): THREE.Box3 {
  const box = (part.shape.geometry.boundingBox as THREE.Box3).clone();
  const pose = part.node.head.pose;
  return pose ? box.applyMatrix4(new THREE.Matrix4().fromArray(pose).transpose()) : box;
}

function centerAlong(box: THREE.Box3 | undefined, axis: number): number {
  return box ? (box.min.getComponent(axis) + box.max.getComponent(axis)) / 2 : 0;
}

/** The corners of all triangles, those of a face together; and at which triangle each face begins. */
function sortedByFace({ faces, triangleFaces }: Rows, indices: Uint32Array): { starts: Uint32Array; corners: Uint32Array } {
  const starts = new Uint32Array(faces.length + 1);
  for (const face of triangleFaces) starts[face + 1] = (starts[face + 1] ?? 0) + 1;
  for (let face = 0; face < faces.length; face++) starts[face + 1] = (starts[face + 1] ?? 0) + (starts[face] ?? 0);
  const next = starts.slice();
  const corners = new Uint32Array(3 * triangleFaces.length);
  for (let triangle = 0; triangle < triangleFaces.length; triangle++) {
    const place = next[triangleFaces[triangle]!]!++;
    for (let corner = 0; corner < 3; corner++) corners[3 * place + corner] = indices[3 * triangle + corner]!;
  }
  return { starts, corners };
}

export function toVector(point: THREE.Vector3): Vector {
  return [point.x, point.y, point.z];
}
