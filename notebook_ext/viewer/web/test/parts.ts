/** Messages about a small box, as a session sends them. */

import type { Arrays } from "../src/buffers";
import type { EdgeRow, FaceRow, FromSession, NodeHead, Picked, Vector } from "../src/protocol";
import { Store } from "../src/store";

export function head(change: Partial<NodeHead> = {}): NodeHead {
  return {
    node_id: "box", revision: 1, digest: "d1", name: "box", group: "", pose: null, bounds: [[0, 0, 0], [10, 20, 30]], triangles: 12,
    material: { name: "steel", color: [0.6, 0.6, 0.6], metallic: 0, roughness: 0.5, opacity: 1 },
    stale: "", ingredient: false, exact: true, source: null, figures: "", ...change,
  };
}

/** A box from the origin: six faces in the order -x +x -y +y -z +z, two triangles each, and its twelve edges. */
export function box(size: Vector): { mesh: Arrays; rows: Arrays; faces: FaceRow[]; edges: EdgeRow[] } {
  const positions: number[] = [];
  const normals: number[] = [];
  const indices: number[] = [];
  const triangleFaces: number[] = [];
  const faces: FaceRow[] = [];
  const lines: number[] = [];
  const edges: EdgeRow[] = [];
  for (let face = 0; face < 6; face++) {
    const axis = face >> 1;
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    const normal = [0, 0, 0] as Vector;
    normal[axis as 0 | 1 | 2] = face % 2 ? 1 : -1;
    const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([a, b]) => {
      const point = [0, 0, 0];
      point[axis] = face % 2 ? size[axis as 0]! : 0;
      point[u] = a! * size[u as 0]!;
      point[v] = b! * size[v as 0]!;
      return point;
    });
    if (face % 2 === 0) corners.reverse();
    const first = positions.length / 3;
    for (const corner of corners) {
      positions.push(...corner);
      normals.push(...normal);
    }
    indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
    triangleFaces.push(face, face);
    faces.push({
      kind: "plane", area: size[u as 0]! * size[v as 0]!, radius: null, center: null, normal, made_by: "cube",
      source: { line: 4 }, exact: true,
    });
  }
  for (let axis = 0; axis < 3; axis++) {
    for (const [a, b] of [[0, 0], [1, 0], [0, 1], [1, 1]] as const) {
      const start = [0, 0, 0] as Vector;
      start[((axis + 1) % 3) as 0] = a * size[((axis + 1) % 3) as 0]!;
      start[((axis + 2) % 3) as 0] = b * size[((axis + 2) % 3) as 0]!;
      const end = [...start] as Vector;
      end[axis as 0] = size[axis as 0]!;
      const direction = [0, 0, 0] as Vector;
      direction[axis as 0] = 1;
      lines.push(...start, ...end);
      edges.push({ kind: "line", length: size[axis as 0]!, radius: null, center: start, direction, faces: [], exact: true });
    }
  }
  return {
    mesh: {
      positions: new Float32Array(positions), normals: new Float32Array(normals), indices: new Uint32Array(indices),
      segments: new Float32Array(lines),
    },
    rows: {
      triangle_faces: new Uint32Array(triangleFaces), lines: new Float32Array(lines),
      line_starts: Uint32Array.from({ length: 13 }, (_, edge) => 2 * edge), line_tangent: new Uint8Array(12),
    },
    faces,
    edges,
  };
}

export function update(store: Store, change: Partial<NodeHead> = {}, size: Vector | null = [10, 20, 30]): void {
  store.receive({ type: "mesh.update", node: head(change) }, size ? box(size).mesh : {});
}

export function rows(store: Store, change: { node_id?: string; digest?: string } = {}, size: Vector = [10, 20, 30]): void {
  const { rows: arrays, faces, edges } = box(size);
  const message: FromSession = { type: "mesh.rows", node_id: "box", digest: "d1", faces, edges, ...change };
  store.receive(message, arrays);
}

export function picked(change: Partial<Picked> = {}): Picked {
  return { node_id: "box", digest: "d1", kind: "face", index: 5, point: [5, 10, 30], ...change };
}
