/** Where things of a part are in the scene. A pose is a 4 × 4 matrix for columns, row by row; null changes nothing. */

import type { NodeHead, Vector } from "./protocol";

type Pose = NodeHead["pose"];

export function placedPoint(point: Vector, pose: Pose): Vector {
  if (!pose) return point;
  const turned = placedDirection(point, pose);
  return [turned[0] + pose[3]!, turned[1] + pose[7]!, turned[2] + pose[11]!];
}

export function placedDirection([x, y, z]: Vector, pose: Pose): Vector {
  if (!pose) return [x, y, z];
  const along = (row: number): number => pose[row]! * x + pose[row + 1]! * y + pose[row + 2]! * z;
  return [along(0), along(4), along(8)];
}

/** Whether what turns to the left turns to the right there. */
export function mirrors(pose: Pose): boolean {
  if (!pose) return false;
  const [a, b, c, , d, e, f, , g, h, i] = pose as [number, number, number, number, number, number, number, number, number, number, number];
  return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0;
}
