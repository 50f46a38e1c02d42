/** A picked face or edge in the mesh that replaced its own: by maker and signature, where that is unique. */

import type { EdgeRow, FaceRow, Picked, Vector } from "./protocol";
import type { Rows } from "./store";

/** The pick in the new rows; null when nothing there, or more than one thing, is like it. */
export function foundAgain(pick: Picked, before: Rows, after: Rows, digest: string): Picked | null {
  const index =
    pick.kind === "face"
      ? likeliest(before.faces[pick.index], after.faces, FACE)
      : pick.kind === "edge"
        ? likeliest(before.edges[pick.index], after.edges, EDGE)
        : null;
  return index === null ? null : { ...pick, digest, index };
}

/** Each test holds more rows off than the one before; a moved hole keeps its radius, a longer side its normal. */
const FACE: ((a: FaceRow, b: FaceRow) => boolean)[] = [
  (a, b) => a.made_by === b.made_by && a.kind === b.kind,
  (a, b) => near(a.normal, b.normal),
  (a, b) => a.radius === b.radius,
  (a, b) => near(a.center, b.center),
];

const EDGE: ((a: EdgeRow, b: EdgeRow) => boolean)[] = [
  (a, b) => a.kind === b.kind,
  (a, b) => near(a.direction, b.direction),
  (a, b) => a.radius === b.radius,
  (a, b) => near(a.center, b.center),
];

function likeliest<Row>(row: Row | null | undefined, rows: readonly (Row | null)[], tests: readonly ((a: Row, b: Row) => boolean)[]): number | null {
  if (!row) return null;
  let left = rows.map((_, index) => index);
  for (const test of tests) {
    const passed = left.filter((index) => rows[index] !== null && test(row, rows[index] as Row));
    if (passed.length === 0) return null;
    if (passed.length === 1) return passed[0] as number;
    left = passed;
  }
  return null;
}

function near(a: Vector | null, b: Vector | null): boolean {
  if (a === null || b === null) return a === b;
  return a.every((value, axis) => Math.abs(value - (b[axis] as number)) < 1e-4);
}
