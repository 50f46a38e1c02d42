/**
 * Measures from meshes, for a file that has no session to ask: near, not exact, and marked so.
 *
 * A picked thing becomes points, segments or triangles in the scene's frame; the distance of two is that of their
 * nearest points.
 */

import { figure } from "./describing";
import { placedDirection, placedPoint } from "./pose";
import type { MeasureResult, Picked, Vector } from "./protocol";
import type { Rows, SceneNode, Store } from "./store";

/** Corners one after the other: three numbers each, and so many corners per piece. */
interface Pieces {
  corners: Float64Array;
  per: 1 | 2 | 3;
}

interface Nearest {
  distance: number;
  points: [Vector, Vector];
}

export function measureMeshes(a: Picked, b: Picked | null, store: Pick<Store, "nodes" | "meshOf">): MeasureResult | null {
  const first = store.nodes.get(a.node_id);
  const second = b && store.nodes.get(b.node_id);
  if (!first) return null;
  if (!b || !second) return alone(a, first, store);
  const pieces = [piecesOf(a, first, store), piecesOf(b, second, store)] as const;
  if (!pieces[0] || !pieces[1]) return null;
  const { distance, points } = nearest(pieces[0], pieces[1]);
  const delta = points[1].map((value, axis) => value - points[0][axis]!) as Vector;
  const angle = angleOf(directionOf(a, first), directionOf(b, second));
  const turn = angle === null ? "" : ` · ${figure(angle)}°`;
  return { kind: "distance", distance, delta, points, angle, exact: false, text: `≈ ${figure(distance)} mm${turn}` };
}

function alone(pick: Picked, node: SceneNode, store: Pick<Store, "meshOf">): MeasureResult | null {
  const row = rowOf(pick, node.rows);
  if (row?.radius) return { kind: "radius", radius: row.radius, exact: row.exact, text: `${row.exact ? "" : "≈ "}r ${figure(row.radius)} mm` };
  if (pick.kind === "edge" && node.rows) {
    const length = node.rows.edges[pick.index]?.length ?? 0;
    return { kind: "length", distance: length, exact: false, text: `≈ ${figure(length)} mm` };
  }
  if (pick.kind === "vertex") return { kind: "point", points: [pick.point], exact: false, text: `${pick.point.map(figure).join(", ")} mm` };
  const pieces = piecesOf(pick, node, store);
  if (!pieces) return null;
  const [low, high] = boxOf(pieces.corners);
  const delta = high.map((value, axis) => value - low[axis]!) as Vector;
  return { kind: "box", delta, points: [low, high], exact: false, text: `≈ ${delta.map(figure).join(" × ")} mm` };
}

function rowOf(pick: Picked, rows: Rows | null): { radius: number | null; exact: boolean } | null | undefined {
  return pick.kind === "face" ? rows?.faces[pick.index] : pick.kind === "edge" ? rows?.edges[pick.index] : undefined;
}

function directionOf(pick: Picked, node: SceneNode): { along: Vector; surface: boolean } | null {
  const row = pick.kind === "face" ? node.rows?.faces[pick.index] : undefined;
  const edge = pick.kind === "edge" ? node.rows?.edges[pick.index] : undefined;
  const along = row?.kind === "plane" ? row.normal : edge?.direction;
  if (!along) return null;
  return { along: placedDirection(along, node.head.pose), surface: row !== undefined };
}

/** Degrees between planes or lines, or of a line over a plane: 0 to 90. */
function angleOf(a: ReturnType<typeof directionOf>, b: ReturnType<typeof directionOf>): number | null {
  if (!a || !b) return null;
  const cosine = Math.abs(dot(a.along, b.along)) / (length(a.along) * length(b.along));
  const angle = (Math.acos(Math.min(1, cosine)) * 180) / Math.PI;
  return a.surface === b.surface ? angle : 90 - angle;
}

function piecesOf(pick: Picked, node: SceneNode, store: Pick<Store, "meshOf">): Pieces | null {
  if (pick.kind === "vertex") return { corners: Float64Array.from(pick.point), per: 1 };
  const mesh = store.meshOf(node);
  const { rows } = node;
  if (!mesh) return null;
  const pose = node.head.pose;
  if (pick.kind === "edge") {
    if (!rows) return null;
    const [first, end] = [rows.lineStarts[pick.index] ?? 0, rows.lineStarts[pick.index + 1] ?? 0];
    const order = Array.from({ length: Math.max(0, end - first - 1) }, (_, index) => [first + index, first + index + 1]).flat();
    return { corners: placed(rows.lines, order, pose), per: 2 };
  }
  const wanted = pick.kind === "face" && rows ? (triangle: number) => rows.triangleFaces[triangle] === pick.index : () => true;
  const order: number[] = [];
  for (let triangle = 0; triangle < mesh.indices.length / 3; triangle++) {
    if (wanted(triangle)) order.push(mesh.indices[3 * triangle]!, mesh.indices[3 * triangle + 1]!, mesh.indices[3 * triangle + 2]!);
  }
  return { corners: placed(mesh.positions, order, pose), per: 3 };
}

function placed(points: Float32Array, order: readonly number[], pose: number[] | null): Float64Array {
  const corners = new Float64Array(3 * order.length);
  order.forEach((index, place) => {
    corners.set(placedPoint([points[3 * index]!, points[3 * index + 1]!, points[3 * index + 2]!], pose), 3 * place);
  });
  return corners;
}

/** The nearest points of two sets of pieces. Pairs whose balls are further apart than the best so far are passed over. */
export function nearest(a: Pieces, b: Pieces): Nearest {
  const [left, right] = [balls(a), balls(b)];
  let best: Nearest = { distance: Infinity, points: [[0, 0, 0], [0, 0, 0]] };
  for (const ball of left) {
    for (const other of right) {
      const apart = Math.hypot(ball.center[0] - other.center[0], ball.center[1] - other.center[1], ball.center[2] - other.center[2]);
      if (apart - ball.radius - other.radius >= best.distance) continue;
      for (const points of candidates(ball.corners, other.corners)) {
        const distance = length(minus(points[1], points[0]));
        if (distance < best.distance) best = { distance, points };
      }
    }
  }
  return best;
}

/** The pairs among which the nearest points of two pieces are, where these do not cross. */
function* candidates(a: Vector[], b: Vector[]): Generator<[Vector, Vector]> {
  if (b.length === 3) for (const point of a) yield [point, onTriangle(point, b)];
  if (a.length === 3) for (const point of b) yield [onTriangle(point, a), point];
  for (const side of sides(a)) for (const other of sides(b)) yield betweenSegments(side, other);
}

function sides(corners: Vector[]): [Vector, Vector][] {
  const [a, b, c] = corners as [Vector, Vector?, Vector?];
  if (!b) return [[a, a]];
  return c ? [[a, b], [b, c], [c, a]] : [[a, b]];
}

function balls({ corners, per }: Pieces): { center: Vector; radius: number; corners: Vector[] }[] {
  return Array.from({ length: corners.length / (3 * per) }, (_, piece) => {
    const points = Array.from({ length: per }, (_, corner) => {
      const at = 3 * (piece * per + corner);
      return [corners[at]!, corners[at + 1]!, corners[at + 2]!] as Vector;
    });
    const center = [0, 1, 2].map((axis) => points.reduce((sum, point) => sum + point[axis]!, 0) / per) as Vector;
    return { center, radius: Math.max(...points.map((point) => length(minus(point, center)))), corners: points };
  });
}

/** The point of a triangle nearest to a point: inside by the plane, else on a side. */
function onTriangle(point: Vector, corners: Vector[]): Vector {
  const [a, b, c] = corners as [Vector, Vector, Vector];
  const [ab, ac, ap] = [minus(b, a), minus(c, a), minus(point, a)];
  const [d00, d01, d11, d20, d21] = [dot(ab, ab), dot(ab, ac), dot(ac, ac), dot(ap, ab), dot(ap, ac)];
  const area = d00 * d11 - d01 * d01;
  const [v, w] = [(d11 * d20 - d01 * d21) / area, (d00 * d21 - d01 * d20) / area];
  if (area > 0 && v >= 0 && w >= 0 && v + w <= 1) return a.map((value, axis) => value + v * ab[axis]! + w * ac[axis]!) as Vector;
  const onSides = sides(corners).map((side) => betweenSegments([point, point], side)[1]);
  return onSides.reduce((best, other) => (length(minus(other, point)) < length(minus(best, point)) ? other : best));
}

function betweenSegments([p, q]: [Vector, Vector], [r, s]: [Vector, Vector]): [Vector, Vector] {
  const [u, v, w] = [minus(q, p), minus(s, r), minus(p, r)];
  const [a, b, c, d, e] = [dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)];
  const determinant = a * c - b * b;
  const clamp = (value: number): number => Math.min(1, Math.max(0, value));
  let along = determinant > 1e-12 * a * c ? clamp((b * e - c * d) / determinant) : 0;
  let across = c > 0 ? (b * along + e) / c : 0;
  if (across < 0 || across > 1 || c === 0) {
    across = clamp(across);
    along = a > 0 ? clamp((b * across - d) / a) : 0;
  }
  return [p.map((value, axis) => value + along * u[axis]!) as Vector, r.map((value, axis) => value + across * v[axis]!) as Vector];
}

function boxOf(corners: Float64Array): [Vector, Vector] {
  const low: Vector = [Infinity, Infinity, Infinity];
  const high: Vector = [-Infinity, -Infinity, -Infinity];
  corners.forEach((value, place) => {
    const axis = (place % 3) as 0 | 1 | 2;
    low[axis] = Math.min(low[axis], value);
    high[axis] = Math.max(high[axis], value);
  });
  return [low, high];
}

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function length(a: Vector): number {
  return Math.hypot(...a);
}
