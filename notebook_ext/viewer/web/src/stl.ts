/** Binary STL of meshes where they stand, for a file that has no session to ask. */

import type { Mesh } from "./store";

const HEADER = 80;
const PER_TRIANGLE = 50;

/** meshes: each with its pose, 16 numbers row by row, or null. */
export function binaryStl(meshes: readonly { mesh: Mesh; pose: number[] | null }[]): ArrayBuffer {
  const count = meshes.reduce((sum, { mesh }) => sum + mesh.indices.length / 3, 0);
  const data = new DataView(new ArrayBuffer(HEADER + 4 + PER_TRIANGLE * count));
  data.setUint32(HEADER, count, true);
  let at = HEADER + 4;
  for (const { mesh, pose } of meshes) {
    for (let triangle = 0; triangle < mesh.indices.length; triangle += 3) {
      const corners = [0, 1, 2].map((corner) => placed(mesh.positions, mesh.indices[triangle + corner] as number, pose));
      for (const value of [...normal(corners), ...corners.flat()]) {
        data.setFloat32(at, value, true);
        at += 4;
      }
      at += 2;
    }
  }
  return data.buffer;
}

function placed(positions: Float32Array, vertex: number, pose: number[] | null): number[] {
  const point = Array.from(positions.subarray(3 * vertex, 3 * vertex + 3));
  if (!pose) return point;
  return [0, 1, 2].map((row) => pose[4 * row + 3]! + point.reduce((sum, value, column) => sum + value * pose[4 * row + column]!, 0));
}

function normal([a, b, c]: number[][]): number[] {
  const [u, v] = [b!.map((value, axis) => value - a![axis]!), c!.map((value, axis) => value - a![axis]!)];
  const cross = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
  const length = Math.hypot(...cross);
  return length > 0 ? cross.map((value) => value / length) : [0, 0, 0];
}
