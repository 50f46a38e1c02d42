import { expect, test } from "vitest";

import { describe as describePick, figure } from "../src/describing";
import { measureMeshes } from "../src/measuring";
import { binaryStl } from "../src/stl";
import { Store } from "../src/store";
import { picked, rows, update } from "./parts";

function twoBoxes(): Store {
  const store = new Store();
  update(store);
  rows(store);
  update(store, { node_id: "far", name: "far", pose: [1, 0, 0, 40, 0, 1, 0, 0, 0, 0, 1, 5, 0, 0, 0, 1] });
  rows(store, { node_id: "far" });
  return store;
}

test("the gap of two parts is between their nearest sides", () => {
  const measured = measureMeshes(picked({ kind: "part" }), picked({ kind: "part", node_id: "far" }), twoBoxes());
  expect(measured?.distance).toBeCloseTo(30);
  expect(measured?.exact).toBe(false);
  expect(measured?.text).toMatch(/^≈ 30 mm/);
});

test("opposite faces: distance along the axis, and parallel", () => {
  const measured = measureMeshes(picked({ index: 0 }), picked({ index: 1 }), twoBoxes());
  expect(measured).toMatchObject({ distance: 10, angle: 0 });
  expect(measured?.delta?.map(Math.abs)).toEqual([10, 0, 0]);
});

test("skew edges: the shortest way between their lines; and their angle", () => {
  // Along x at y 0, z 0; along y at z 30, x 10.
  const measured = measureMeshes(picked({ kind: "edge", index: 0 }), picked({ kind: "edge", index: 7 }), twoBoxes());
  expect(measured?.distance).toBeCloseTo(30);
  expect(measured?.angle).toBeCloseTo(90);
});

test("a corner to a face of a turned part", () => {
  const store = twoBoxes();
  const measured = measureMeshes(picked({ kind: "vertex", point: [0, 0, 0] }), picked({ node_id: "far", index: 0 }), store);
  expect(measured?.distance).toBeCloseTo(Math.hypot(40, 5));
});

test("one thing alone: box, length", () => {
  expect(measureMeshes(picked({ kind: "part" }), null, twoBoxes())?.delta).toEqual([10, 20, 30]);
  expect(measureMeshes(picked({ kind: "edge", index: 11 }), null, twoBoxes())).toMatchObject({ kind: "length", distance: 30 });
});

test("the status line says what, which, how large and by whom", () => {
  const store = twoBoxes();
  const node = store.nodes.get("box")!;
  Object.assign(node.rows!.faces[5]!, { kind: "cylinder", radius: 3.5, area: 131.9468, made_by: "drill-down" });
  expect(describePick(picked(), node)).toBe("face 5 of box · cylinder r 3.5 · area 131.95 mm² · made by drill-down, line 4");
  node.rows!.faces[5]!.source = { file: "lib/bores.oo", line: 7 };
  expect(describePick(picked(), node)).toMatch(/made by drill-down, lib\/bores.oo:7$/);
  node.rows!.faces[5]!.source = { cell_id: "c1", file: "bracket", line: 7 };
  expect(describePick(picked(), node)).toMatch(/made by drill-down, line 7$/);
  expect(describePick(picked({ kind: "edge", index: 11 }), node)).toBe("edge 11 of box · line · length 30 mm");
  expect(describePick(picked({ kind: "part" }), node)).toBe("box · 10 × 20 × 30 mm");
  node.head.figures = "box: 10 × 20 × 30 mm · 6000 mm³";
  expect(describePick(picked({ kind: "part" }), node)).toBe("box: 10 × 20 × 30 mm · 6000 mm³");
});

test("figures have two places, and small ones keep theirs", () => {
  expect([131.9468, 30, -0, 0.00123].map(figure)).toEqual(["131.95", "30", "0", "0.00123"]);
});

test("the STL of a file has every triangle where its part stands", () => {
  const store = twoBoxes();
  const nodes = [...store.nodes.values()];
  const data = new DataView(binaryStl(nodes.map((node) => ({ mesh: store.meshOf(node)!, pose: node.head.pose }))));
  expect(data.getUint32(80, true)).toBe(24);
  expect(data.byteLength).toBe(84 + 24 * 50);
  const corners = Array.from({ length: 12 * 3 }, (_, corner) => data.getFloat32(84 + 50 * (12 + Math.floor(corner / 3)) + 12 + 12 * (corner % 3), true));
  expect([Math.min(...corners), Math.max(...corners)]).toEqual([40, 50]);
  const mirrored = new DataView(binaryStl([{ mesh: store.meshOf(nodes[0]!)!, pose: [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }]));
  expect(mirrored.getFloat32(84, true)).toBe(1); // what looked to the left looks to the right
});
