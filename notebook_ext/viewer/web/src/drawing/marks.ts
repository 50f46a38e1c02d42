/** What is laid over the parts: picked and hovered things, highlights, dimension lines, what changed. */

import * as THREE from "three";

import type { Picked, Vector } from "../protocol";
import type { Store } from "../store";
import { Lines, polylines, type Kept } from "./lines";
import type { DrawnPart, Parts } from "./parts";
import { dotMaterial, surfaceMaterial } from "./shading";
import type { Theme } from "./themes";

interface Overlay {
  part: DrawnPart;
  faces: number[];
  edges: number[];
  /** Lines that are no edges of the part. */
  segments?: Float32Array;
  color: string;
  strength: number;
  /** Shows through what is in front of it. */
  glow: boolean;
}

export class Marks {
  readonly group = new THREE.Group();
  private readonly held: { dispose(): void }[] = [];
  /** Marks come and go with every move of the mouse. */
  private readonly kept: Kept = new Map();

  /** pixelRatio: of the canvas; whoever changes it changes the value. */
  constructor(private readonly pixelRatio: THREE.IUniform<number>) {}

  rebuild(store: Store, parts: Parts, theme: Theme, planes: THREE.Plane[]): void {
    for (const thing of this.held) thing.dispose();
    this.held.length = 0;
    this.group.clear();
    for (const overlay of overlays(store, parts, theme)) this.lay(overlay, planes);
    for (const point of vertices(store, theme)) this.dot(point.at, point.color);
    const ends = store.measured?.points;
    if (ends && ends.length >= 2) this.dimension(ends[0] as Vector, ends[1] as Vector, theme);
    this.compared(store, theme, planes);
  }

  dispose(): void {
    for (const thing of [...this.held, ...this.kept.values()]) thing.dispose();
  }

  private lay(overlay: Overlay, planes: THREE.Plane[]): void {
    const { part, faces, edges, segments, color, strength, glow } = overlay;
    if (segments && segments.length > 0) this.line(segments, part, color, glow, planes);
    const rows = part.node.rows;
    if (!rows) return;
    if (faces.length > 0) {
      const geometry = part.shape.faces(faces, rows);
      const material = this.keeping(
        `${color} ${strength}`,
        () =>
          new THREE.MeshBasicMaterial({
            color, transparent: true, opacity: strength, depthWrite: false, side: THREE.DoubleSide, polygonOffset: true,
            polygonOffsetFactor: 0.6, polygonOffsetUnits: 1,
          }),
      );
      if (material.clippingPlanes?.length !== planes.length) material.needsUpdate = true;
      material.clippingPlanes = planes;
      this.add(new THREE.Mesh(geometry, material), part, 600);
      this.held.push({ dispose: () => giveBack(geometry) });
    }
    if (edges.length > 0) this.line(polylines(rows, edges), part, color, glow, planes);
  }

  private line(points: Float32Array, part: DrawnPart, color: string, glow: boolean, planes: THREE.Plane[]): void {
    const lines = new Lines(points, { color, width: 3, raised: true }, this.kept);
    lines.setClipping(planes);
    this.add(lines.object, part, 620);
    this.held.push(lines);
    if (!glow) return;
    const through = new Lines(points, { color, width: 2, opacity: 0.45, layer: "over" }, this.kept);
    this.add(through.object, part, 615);
    this.held.push(through);
  }

  private keeping(key: string, make: () => THREE.Material): THREE.Material {
    const material = this.kept.get(key) ?? make();
    this.kept.set(key, material);
    return material;
  }

  private add(object: THREE.Object3D, part: DrawnPart, order: number): void {
    object.matrixAutoUpdate = false;
    object.matrix.copy(part.group.matrixWorld);
    object.renderOrder = order;
    this.group.add(object);
  }

  private dot(at: Vector, color: string): void {
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(at), 3));
    const material = this.keeping(`dot ${color}`, () => dotMaterial(color, this.pixelRatio));
    const point = new THREE.Points(geometry, material);
    point.renderOrder = 640;
    this.group.add(point);
    this.held.push(geometry);
  }

  private dimension(from: Vector, to: Vector, theme: Theme): void {
    const lines = new Lines(new Float32Array([...from, ...to]), { color: theme.dimension, width: 2, layer: "over", opacity: 0.95 });
    lines.object.renderOrder = 650;
    this.group.add(lines.object);
    this.held.push(lines);
    this.dot(from, theme.dimension);
    this.dot(to, theme.dimension);
  }

  private compared(store: Store, theme: Theme, planes: THREE.Plane[]): void {
    const comparison = store.comparison;
    if (!comparison) return;
    const poses = new Map(store.compared().map(({ head }) => [String(head.pose), head.pose]));
    for (const { part, mesh } of comparison.meshes) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(mesh.positions, 3));
      geometry.setAttribute("normal", new THREE.BufferAttribute(mesh.normals, 3));
      geometry.setIndex(new THREE.BufferAttribute(mesh.indices, 1));
      const material = surfaceMaterial();
      const ghost = part === "removed" || comparison.proposal !== null;
      material.transparent = ghost || part === "unchanged";
      material.depthWrite = !material.transparent;
      material.side = planes.length > 0 ? THREE.DoubleSide : THREE.FrontSide;
      material.clippingPlanes = planes;
      (material.uniforms["color"]!.value as THREE.Color).set(theme[part]);
      material.uniforms["opacity"]!.value = part === "unchanged" ? 0.45 : ghost ? 0.6 : 1;
      for (const pose of poses.size > 0 ? poses.values() : [null]) {
        const body = new THREE.Mesh(geometry, material);
        body.renderOrder = part === "unchanged" ? 0 : 1;
        if (pose) {
          body.matrixAutoUpdate = false;
          body.matrix.fromArray(pose).transpose();
        }
        this.group.add(body);
      }
      this.held.push(geometry, material);
    }
  }
}

/** Dispose of a geometry without what it shares with the part's, which would have to be uploaded again. */
function giveBack(geometry: THREE.BufferGeometry): void {
  for (const name of Object.keys(geometry.attributes)) geometry.deleteAttribute(name);
  geometry.dispose();
}

function overlays(store: Store, parts: Parts, theme: Theme): Overlay[] {
  const list: Overlay[] = [];
  const add = (id: string, faces: number[], edges: number[], color: string, strength: number, glow: boolean): void => {
    const part = parts.drawn.get(id);
    if (part?.group.visible) list.push({ part, faces, edges, color, strength, glow });
  };
  for (const { node_id, faces, segments, tone } of store.highlights.values()) {
    const part = parts.drawn.get(node_id);
    if (part?.group.visible) list.push({ part, faces, edges: [], segments, color: theme[tone], strength: 0.55, glow: true });
  }
  const chosen = new Map<string, { faces: number[]; edges: number[] }>();
  for (const pick of store.selection) {
    const entry = chosen.get(pick.node_id) ?? { faces: [], edges: [] };
    if (pick.kind === "face") entry.faces.push(pick.index);
    if (pick.kind === "edge") entry.edges.push(pick.index);
    chosen.set(pick.node_id, entry);
  }
  for (const [id, { faces, edges }] of chosen) add(id, faces, edges, theme.selected, 0.62, true);
  const hover = store.hover;
  if (hover && (hover.kind === "face" || hover.kind === "edge")) {
    const [faces, edges] = hover.kind === "face" ? [[hover.index], []] : [[], [hover.index]];
    add(hover.node_id, faces, edges, theme.hover, 0.5, false);
  }
  return list;
}

function vertices(store: Store, theme: Theme): { at: Vector; color: string }[] {
  const picked = store.selection.filter((pick) => pick.kind === "vertex").map((pick) => ({ at: pick.point, color: theme.selected }));
  const hover: Picked | null = store.hover;
  return hover?.kind === "vertex" ? [...picked, { at: hover.point, color: theme.hover }] : picked;
}
