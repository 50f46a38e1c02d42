/** What a picked thing is, in one line: `face 7 of bracket · cylinder r 3.5 · area 131.95 mm² · made by drill-down, line 4`. */

import type { Picked, Source } from "./protocol";
import type { SceneNode } from "./store";

export function describe(pick: Picked, node: SceneNode): string {
  const name = node.head.name;
  const parts: string[] = [];
  if (pick.kind === "face") {
    parts.push(`face ${pick.index} of ${name}`);
    const row = node.rows?.faces[pick.index];
    if (row) {
      parts.push(shape(row.kind, row.radius), `area ${approximately(row.exact)}${figure(row.area)} mm²`);
      if (row.made_by) parts.push(`made by ${row.made_by}${place(row.source)}`);
    }
  } else if (pick.kind === "edge") {
    parts.push(`edge ${pick.index} of ${name}`);
    const row = node.rows?.edges[pick.index];
    if (row) parts.push(shape(row.kind, row.radius), `length ${approximately(row.exact)}${figure(row.length)} mm`);
  } else if (pick.kind === "vertex") {
    parts.push(`vertex of ${name}`, `at ${pick.point.map(figure).join(", ")} mm`);
  } else {
    parts.push(name);
    if (node.head.bounds) {
      const [low, high] = node.head.bounds;
      parts.push(`${low.map((value, axis) => figure((high[axis] as number) - value)).join(" × ")} mm`);
    }
    if (node.head.figures) parts.push(node.head.figures);
    if (node.head.source?.label) parts.push(node.head.source.label);
  }
  if (node.head.stale) parts.push(node.head.stale);
  return parts.join(" · ");
}

/** Two places behind the point, and fewer where they are zeros. */
export function figure(value: number): string {
  const text = Math.abs(value) >= 1e7 || (value !== 0 && Math.abs(value) < 1e-2) ? value.toPrecision(3) : value.toFixed(2);
  return String(Number(text) + 0);
}

function shape(kind: string, radius: number | null): string {
  return radius ? `${kind} r ${figure(radius)}` : kind;
}

function approximately(exact: boolean): string {
  return exact ? "" : "≈ ";
}

/** A line of the part's own cell, or a place in a file. */
function place(source: Source | null): string {
  if (!source?.line) return "";
  return source.file && /\.\w+$/.test(source.file) && !source.cell_id ? `, ${source.file}:${source.line}` : `, line ${source.line}`;
}
