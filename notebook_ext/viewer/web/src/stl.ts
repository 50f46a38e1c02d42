/** Binary STL of meshes where they stand, for a file that has no session to ask. */

import { mirrors, placedPoint } from "./pose";
import type { NodeHead, Vector } from "./protocol";
import type { Mesh } from "./store";

const HEADER = 80;
const PER_TRIANGLE = 50;

export function binaryStl(meshes: readonly { mesh: Mesh; pose: NodeHead["pose"] }[]): ArrayBuffer {
  const count = meshes.reduce((sum, { mesh }) => sum + mesh.indices.length / 3, 0);
  const data = new DataView(new ArrayBuffer(HEADER + 4 + PER_TRIANGLE * count));
  data.setUint32(HEADER, count, true);
  let at = HEADER + 4;
  for (const { mesh, pose } of meshes) {
    const order = mirrors(pose) ? [0, 2, 1] : [0, 1, 2];
    for (let triangle = 0; triangle < mesh.indices.length; triangle += 3) {
      const corners = order.map((corner) => {
        const [x, y, z] = mesh.positions.subarray(3 * mesh.indices[triangle + corner]!);
        return placedPoint([x, y, z] as Vector, pose);
      });
      for (const value of [...normal(corners), ...corners.flat()]) {
        data.setFloat32(at, value, true);
        at += 4;
      }
      at += 2;
    }
  }
  return data.buffer;
}

function normal([a, b, c]: number[][]): number[] {
  const [u, v] = [b!.map((value, axis) => value - a![axis]!), c!.map((value, axis) => value - a![axis]!)];
  const cross = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
  const length = Math.hypot(...cross);
  return length > 0 ? cross.map((value) => value / length) : [0, 0, 0];
}
