/** The orientation cube: shows how the scene is turned, and turns it to the side, edge or corner that is clicked. */

import type { JSX } from "preact";
import type { Matrix4 } from "three";

import type { Vector } from "../protocol";
import type { Viewer } from "../viewer";

interface Side {
  name: string;
  normal: Vector;
  /** Along the side's text, and down from it. */
  right: Vector;
  down: Vector;
}

const SIDES: Side[] = [
  { name: "Front", normal: [0, -1, 0], right: [1, 0, 0], down: [0, 0, -1] },
  { name: "Back", normal: [0, 1, 0], right: [-1, 0, 0], down: [0, 0, -1] },
  { name: "Right", normal: [1, 0, 0], right: [0, 1, 0], down: [0, 0, -1] },
  { name: "Left", normal: [-1, 0, 0], right: [0, -1, 0], down: [0, 0, -1] },
  { name: "Top", normal: [0, 0, 1], right: [1, 0, 0], down: [0, -1, 0] },
  { name: "Bottom", normal: [0, 0, -1], right: [1, 0, 0], down: [0, 1, 0] },
];
const HALF = 27;
const STEPS = [-1, 0, 1] as const;

export function Cube({ viewer }: { viewer: Viewer }): JSX.Element {
  return (
    <div class="cube" role="group" aria-label="Orientation">
      <div class="turned" style={{ transform: cssTransform(viewer.view.camera.camera.matrixWorldInverse) }}>
        {SIDES.map((side) => (
          <div class="side" key={side.name} style={{ transform: sideTransform(side) }}>
            {STEPS.flatMap((row) =>
              STEPS.map((column) => {
                const direction = side.normal.map(
                  (value, axis) => value + column * side.right[axis]! + row * side.down[axis]!,
                ) as Vector;
                const middle = row === 0 && column === 0;
                return (
                  <button
                    type="button"
                    key={`${row},${column}`}
                    class={middle ? "middle" : "rim"}
                    tabIndex={middle ? 0 : -1}
                    aria-label={middle ? `${side.name} view` : undefined}
                    aria-hidden={middle ? undefined : true}
                    onClick={() => viewer.lookFrom(direction)}
                  >
                    {middle ? side.name : ""}
                  </button>
                );
              }),
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The rotation of the view for CSS, whose y points down. */
function cssTransform(view: Matrix4): string {
  const e = view.elements;
  const rows = [[e[0], e[4], e[8]], [-e[1]!, -e[5]!, -e[9]!], [e[2], e[6], e[10]]];
  const columns = [0, 1, 2].flatMap((column) => [...rows.map((row) => row[column]), 0]);
  return `matrix3d(${[...columns, 0, 0, 0, 1].map((value) => Number(value).toFixed(5)).join()})`;
}

function sideTransform({ normal, right, down }: Side): string {
  const at = normal.map((value) => value * HALF);
  return `matrix3d(${[...right, 0, ...down, 0, ...normal, 0, ...at, 1].join()})`;
}
