/** What lies under a point of the view: part, face, edge or vertex. Looks up trees of triangles; draws nothing. */

import * as THREE from "three";

import type { Picked } from "../protocol";
import type { Filter } from "../store";
import type { Camera } from "./camera";
import { toVector, type DrawnPart } from "./parts";
import type { HalfSpace } from "./pieces";

/** CSS pixels within which an edge or a vertex is meant, rather than the face beside it. */
const EDGE_REACH = 5;
const VERTEX_REACH = 7;

interface Hit {
  part: DrawnPart;
  point: THREE.Vector3;
  distance: number;
  /** -1 on the surface of a cut */
  triangle: number;
}

export interface Eye {
  camera: Camera;
  width: number;
  height: number;
}

export interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The thing at a point, by CSS pixels from the upper left; null where there is none of the wanted kind. */
export function pick(x: number, y: number, parts: readonly DrawnPart[], planes: THREE.Plane[], eye: Eye, filter: Filter): Picked | null {
  const ray = rayThrough(x, y, eye);
  const hit = nearest(ray, parts, planes);
  const onLine = filter === "any" || filter === "edge" || filter === "vertex" ? line(x, y, parts, planes, eye, hit, filter) : null;
  if (onLine) return onLine;
  if (!hit || filter === "edge" || filter === "vertex") return null;
  const { part, point, triangle } = hit;
  const rows = part.node.rows;
  const face = rows && filter !== "part" && triangle >= 0 ? rows.triangleFaces[triangle] : undefined;
  const common = { node_id: part.id, digest: part.node.head.digest, point: toVector(point) };
  if (face !== undefined) return { ...common, kind: "face", index: face };
  return filter === "face" ? null : { ...common, kind: "part", index: 0 };
}

/**
 * Everything of a kind in a rectangle of the view, hidden or not. Drawn from left to right it takes what is wholly
 * inside, from right to left also what it touches, as CAD programs do.
 */
export function within(rectangle: Rectangle, touching: boolean, parts: readonly DrawnPart[], eye: Eye, filter: Filter): Picked[] {
  const inside = (point: THREE.Vector3): boolean => {
    const seen = eye.camera.project(point, eye.width, eye.height);
    return seen.x >= rectangle.left && seen.x <= rectangle.right && seen.y >= rectangle.top && seen.y <= rectangle.bottom;
  };
  return parts.flatMap((part) => {
    const { positions, indices } = part.shape.mesh;
    const rows = part.node.rows;
    const point = new THREE.Vector3();
    const common = { node_id: part.id, digest: part.node.head.digest };
    if (filter === "edge" && rows) {
      return rows.edges.flatMap((_, edge): Picked[] => {
        const points = pointsOf(part, edge);
        const flags = points.map(inside);
        return taken(flags, touching) ? [{ ...common, kind: "edge", index: edge, point: toVector(points[0] as THREE.Vector3) }] : [];
      });
    }
    const flags = new Uint8Array(positions.length / 3);
    for (let vertex = 0; vertex < flags.length; vertex++) {
      point.fromArray(positions, 3 * vertex).applyMatrix4(part.group.matrixWorld);
      flags[vertex] = inside(point) ? 1 : 0;
    }
    if (filter !== "face" || !rows) {
      const center = part.box().getCenter(new THREE.Vector3());
      return taken(Array.from(flags, Boolean), touching) ? [{ ...common, kind: "part", index: 0, point: toVector(center) }] : [];
    }
    const some = new Uint8Array(rows.faces.length);
    const all = new Uint8Array(rows.faces.length).fill(1);
    const first = new Int32Array(rows.faces.length).fill(-1);
    indices.forEach((vertex, corner) => {
      const face = rows.triangleFaces[Math.floor(corner / 3)] as number;
      if (first[face] === -1) first[face] = vertex;
      if (flags[vertex]) some[face] = 1;
      else all[face] = 0;
    });
    return rows.faces.flatMap((_, face): Picked[] => {
      if (!(touching ? some[face] : all[face]) || first[face] === -1) return [];
      point.fromArray(positions, 3 * (first[face] as number)).applyMatrix4(part.group.matrixWorld);
      return [{ ...common, kind: "face", index: face, point: toVector(point) }];
    });
  });
}

/** The points of an edge's polyline, where the part stands. */
export function pointsOf(part: DrawnPart, edge: number): THREE.Vector3[] {
  const rows = part.node.rows;
  if (!rows) return [];
  const [first, end] = [rows.lineStarts[edge] ?? 0, rows.lineStarts[edge + 1] ?? 0];
  return Array.from({ length: Math.max(0, end - first) }, (_, index) =>
    new THREE.Vector3().fromArray(rows.lines, 3 * (first + index)).applyMatrix4(part.group.matrixWorld),
  );
}

function taken(flags: readonly boolean[], touching: boolean): boolean {
  return flags.length > 0 && (touching ? flags.some(Boolean) : flags.every(Boolean));
}

function rayThrough(x: number, y: number, eye: Eye): THREE.Ray {
  const caster = new THREE.Raycaster();
  const { camera } = eye.camera;
  caster.setFromCamera(new THREE.Vector2((2 * x) / eye.width - 1, 1 - (2 * y) / eye.height), camera);
  // An orthographic camera also sees what is behind it.
  if (camera instanceof THREE.OrthographicCamera) caster.ray.origin.addScaledVector(caster.ray.direction, -camera.far);
  return caster.ray;
}

function nearest(ray: THREE.Ray, parts: readonly DrawnPart[], planes: THREE.Plane[]): Hit | null {
  let best: Hit | null = null;
  const local = new THREE.Ray();
  for (const part of parts) {
    if (!part.node.faces) continue;
    const matrix = part.group.matrixWorld;
    local.copy(ray).applyMatrix4(matrix.clone().invert());
    if (!local.intersectsBox(part.shape.geometry.boundingBox as THREE.Box3)) continue;
    const bvh = part.shape.bvh;
    const hits =
      planes.length === 0
        ? [bvh.raycastFirst(local, THREE.DoubleSide)]
        : bvh.raycast(local, THREE.DoubleSide).sort((a, b) => a.distance - b.distance);
    for (const hit of hits) {
      if (!hit) continue;
      const point = hit.point.clone().applyMatrix4(matrix);
      if (planes.some((plane) => plane.distanceToPoint(point) < -1e-9)) continue;
      const distance = point.distanceTo(ray.origin);
      // Cut open, the first thing met may be the inside of a surface: then the cap was pointed at.
      const inner = planes.length > 0 && (hit.face?.normal.dot(local.direction) ?? -1) > 0;
      const cap = inner ? onPlane(ray, planes, distance) : null;
      const at = cap ?? { point, distance };
      if (best === null || at.distance < best.distance) {
        best = { part, point: at.point, distance: at.distance, triangle: cap ? -1 : (hit.faceIndex ?? -1) };
      }
      break;
    }
  }
  return best;
}

/** Where a ray enters what the planes leave, before a distance. */
function onPlane(ray: THREE.Ray, planes: readonly THREE.Plane[], before: number): { point: THREE.Vector3; distance: number } | null {
  let distance = -Infinity;
  for (const plane of planes) {
    if (plane.normal.dot(ray.direction) <= 0) continue;
    const at = -plane.distanceToPoint(ray.origin) / plane.normal.dot(ray.direction);
    if (at <= before) distance = Math.max(distance, at);
  }
  return Number.isFinite(distance) ? { point: ray.at(distance, new THREE.Vector3()), distance } : null;
}

/** The nearest edge or vertex on the screen that no surface hides. */
function line(
  x: number, y: number, parts: readonly DrawnPart[], planes: readonly THREE.Plane[], eye: Eye, hit: Hit | null, filter: Filter,
): Picked | null {
  const camera = eye.camera.camera;
  const reach = filter === "vertex" ? VERTEX_REACH : filter === "edge" ? EDGE_REACH * 1.6 : EDGE_REACH;
  const depthOf = (point: THREE.Vector3): number => -point.clone().applyMatrix4(camera.matrixWorldInverse).z;
  // What a line may lie behind the surface under the pointer and still be its border.
  const slack = (eye.camera.height / eye.height) * EDGE_REACH * 4;
  const deepest = hit ? depthOf(hit.point) + slack : Infinity;
  const toEye = new THREE.Matrix4();
  const matrix = new THREE.Matrix4();
  let best: { score: number; pick: Picked } | null = null;
  const seen = { x: 0, y: 0 };
  for (const part of parts) {
    const rows = part.node.rows;
    if (!rows) continue;
    toEye.multiplyMatrices(camera.matrixWorldInverse, part.group.matrixWorld);
    matrix.multiplyMatrices(camera.projectionMatrix, toEye);
    const e = matrix.elements;
    const project = (point: number): void => {
      const [px, py, pz] = [rows.lines[3 * point] as number, rows.lines[3 * point + 1] as number, rows.lines[3 * point + 2] as number];
      const w = e[3]! * px + e[7]! * py + e[11]! * pz + e[15]!;
      seen.x = (((e[0]! * px + e[4]! * py + e[8]! * pz + e[12]!) / w + 1) / 2) * eye.width;
      seen.y = ((1 - (e[1]! * px + e[5]! * py + e[9]! * pz + e[13]!) / w) / 2) * eye.height;
    };
    const offer = (score: number, kind: "edge" | "vertex", index: number, at: THREE.Vector3): void => {
      if (best && score >= best.score) return;
      at.applyMatrix4(part.group.matrixWorld);
      if (depthOf(at) > deepest || planes.some((plane) => plane.distanceToPoint(at) < -1e-6)) return;
      best = { score, pick: { node_id: part.id, digest: part.node.head.digest, kind, index, point: toVector(at) } };
    };
    const near = [...around(x, y, Math.max(reach, VERTEX_REACH), matrix, eye), ...(hit ? [before(deepest, toEye)] : [])];
    part.shape.pieces(rows).meeting(near, (edge, first, last) => {
      // Where surfaces run on smoothly there is nothing to aim at, unless edges are asked for.
      if (rows.lineTangent[edge] && filter === "any") return;
      const [start, end] = [rows.lineStarts[edge] ?? 0, (rows.lineStarts[edge + 1] ?? 0) - 1];
      let [ax, ay] = [0, 0];
      for (let point = first; point <= last; point++) {
        project(point);
        const { x: bx, y: by } = seen;
        if (filter !== "edge" && (point === start || point === end)) {
          const away = Math.hypot(bx - x, by - y);
          // A corner is meant before the edges that end in it.
          if (away < VERTEX_REACH && !closed(rows.lines, start, end)) {
            offer(away - VERTEX_REACH * 2, "vertex", 2 * edge + (point === start ? 0 : 1), new THREE.Vector3().fromArray(rows.lines, 3 * point));
          }
        }
        if (filter !== "vertex" && point > first) {
          const length = (bx - ax) ** 2 + (by - ay) ** 2;
          const along = length > 0 ? Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)) : 0;
          const away = Math.hypot(ax + along * (bx - ax) - x, ay + along * (by - ay) - y);
          if (away < reach) {
            const from = new THREE.Vector3().fromArray(rows.lines, 3 * (point - 1));
            offer(away, "edge", edge, from.lerp(new THREE.Vector3().fromArray(rows.lines, 3 * point), along));
          }
        }
        [ax, ay] = [bx, by];
      }
    });
  }
  return (best as { score: number; pick: Picked } | null)?.pick ?? null;
}

/** What is seen within so many CSS pixels of a point, before the eye. matrix: from the part to the projection. */
function around(x: number, y: number, reach: number, { elements: e }: THREE.Matrix4, eye: Eye): HalfSpace[] {
  const row = (number: number): HalfSpace => [e[number]!, e[number + 4]!, e[number + 8]!, e[number + 12]!];
  const depth = row(3);
  const within = ([a, b, c, d]: HalfSpace, sign: number, border: number): HalfSpace => [
    sign * (a - border * depth[0]), sign * (b - border * depth[1]), sign * (c - border * depth[2]), sign * (d - border * depth[3]),
  ];
  const across = (pixel: number): number => (2 * pixel) / eye.width - 1;
  const up = (pixel: number): number => 1 - (2 * pixel) / eye.height;
  return [
    within(row(0), 1, across(x - reach)), within(row(0), -1, across(x + reach)),
    within(row(1), 1, up(y + reach)), within(row(1), -1, up(y - reach)),
    depth,
  ];
}

/** What lies no deeper than so many millimetres. toEye: from the part to the camera, which looks down its z axis. */
function before(depth: number, { elements: e }: THREE.Matrix4): HalfSpace {
  return [e[2]!, e[6]!, e[10]!, e[14]! + depth];
}

function closed(lines: Float32Array, first: number, last: number): boolean {
  return [0, 1, 2].every((axis) => lines[3 * first + axis] === lines[3 * last + axis]);
}
