import * as THREE from "three";
import { describe, expect, test, vi } from "vitest";

import type { Camera } from "../src/drawing/camera";
import { niceStep } from "../src/drawing/ground";
import { Parts, type DrawnPart } from "../src/drawing/parts";
import { pick, within, type Eye } from "../src/drawing/picking";
import { clippingPlanes } from "../src/drawing/section";
import { THEMES } from "../src/drawing/themes";
import { Store } from "../src/store";
import { box, head, rows, update } from "./parts";

/** From above, x to the right, y up, ten pixels per millimetre, the box from (100, 300) up to (200, 100). */
function fromAbove(): Eye {
  const camera = new THREE.OrthographicCamera(-10, 30, 30, -10, -1000, 1000);
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
  const eye = { camera, height: 40, project: (point: THREE.Vector3, width: number, height: number) => {
    const seen = point.clone().project(camera);
    return seen.set(((seen.x + 1) / 2) * width, ((1 - seen.y) / 2) * height, seen.z);
  } };
  return { camera: eye as unknown as Camera, width: 400, height: 400 };
}

function drawn(store: Store): DrawnPart[] {
  const parts = new Parts(store, new THREE.Vector2(400, 400));
  parts.reconcile(THEMES.light, []);
  return parts.visible();
}

function oneBox(withRows = true): Store {
  const store = new Store();
  update(store);
  if (withRows) rows(store);
  return store;
}

test("groups go apart, and what is in one half as far within it", () => {
  const store = new Store();
  const at = (x: number): number[] => [1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const placed: [string, string, number][] = [["a/1", "a", 0], ["a/2", "a", 20], ["b", "", 90]];
  for (const [node_id, group, x] of placed) update(store, { node_id, group, pose: at(x) });
  store.setExplode({ axis: "assembly", amount: 1 });
  // Middles: of all 50, of the group 15; each box is 10 wide.
  expect(drawn(store).map((part) => part.offset.x)).toEqual([1.5 * (-35 - 5), 1.5 * (-35 + 5), 1.5 * 45]);
});

describe("from above", () => {
  test.each([
    ["the middle of the top", 150, 200, { kind: "face", index: 5 }],
    ["near a side", 152, 101, { kind: "edge" }],
    ["a corner", 199, 102, { kind: "vertex" }],
    ["beside the part", 250, 200, null],
  ])("%s", (_, x, y, expected) => {
    const found = pick(x, y, drawn(oneBox()), [], fromAbove(), "any");
    if (expected) expect(found).toMatchObject(expected);
    else expect(found).toBeNull();
  });

  test("the point is in the scene's millimetres", () => {
    const point = pick(150, 200, drawn(oneBox()), [], fromAbove(), "face")?.point.map(Math.round);
    expect(point).toEqual([5, 10, 30]);
  });

  test("until the rows have come there are only parts", () => {
    const parts = drawn(oneBox(false));
    expect(pick(150, 200, parts, [], fromAbove(), "any")?.kind).toBe("part");
    expect(pick(150, 200, parts, [], fromAbove(), "face")).toBeNull();
  });

  test("where faces are not drawn there are edges alone", () => {
    const store = oneBox();
    store.setNode("box", { faces: false });
    const [part] = drawn(store);
    expect([part?.surface.visible, part?.group.visible]).toEqual([false, true]);
    expect(pick(150, 200, [part as DrawnPart], [], fromAbove(), "any")).toBeNull();
    expect(pick(152, 101, [part as DrawnPart], [], fromAbove(), "any")?.kind).toBe("edge");
  });

  test("the filter rules what is met", () => {
    const parts = drawn(oneBox());
    expect(pick(150, 200, parts, [], fromAbove(), "part")?.kind).toBe("part");
    expect(pick(150, 200, parts, [], fromAbove(), "edge")).toBeNull();
    expect(pick(152, 103, parts, [], fromAbove(), "face")?.kind).toBe("face");
  });

  test("a cut takes away what stood before it, and its own surface is the part", () => {
    const store = oneBox();
    store.setSection("z", { at: 12, on: true });
    const found = pick(150, 200, drawn(store), clippingPlanes(store.sections), fromAbove(), "any");
    expect(found?.kind).toBe("part");
    expect(found?.point[2]).toBeCloseTo(12);
    store.setSection("z", { flipped: true });
    expect(pick(150, 200, drawn(store), clippingPlanes(store.sections), fromAbove(), "any")).toMatchObject({ kind: "face", index: 5 });
  });

  test("of two parts, the nearer", () => {
    const store = oneBox();
    update(store, { node_id: "above", pose: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 100, 0, 0, 0, 1] });
    expect(pick(150, 200, drawn(store), [], fromAbove(), "part")?.node_id).toBe("above");
  });
});

describe("a rectangle", () => {
  const around = { left: 90, top: 90, right: 210, bottom: 310 };
  test("takes what is inside, or also what it touches", () => {
    const parts = drawn(oneBox());
    expect(within(around, false, parts, fromAbove(), "face")).toHaveLength(6);
    expect(within({ ...around, right: 150 }, false, parts, fromAbove(), "face").map((face) => face.index)).toEqual([0]);
    expect(within({ ...around, right: 150 }, true, parts, fromAbove(), "part")).toHaveLength(1);
    expect(within({ ...around, right: 150 }, false, parts, fromAbove(), "part")).toEqual([]);
  });
});

test("grid lines stand on numbers that people count in", () => {
  expect([0.9, 1.1, 3, 7, 0.03].map(niceStep)).toEqual([1, 2, 5, 10, 0.05]);
});

test("a hover over a hundred thousand triangles looks at few of them", () => {
  const ball = new THREE.SphereGeometry(10, 400, 126).translate(10, 10, 0);
  const store = new Store();
  const { position, normal } = ball.attributes;
  store.receive({ type: "mesh.update", node: head() }, {
    positions: position!.array as Float32Array, normals: normal!.array as Float32Array, indices: ball.index!.array as Uint32Array,
    segments: new Float32Array(),
  });
  const parts = drawn(store);
  expect(parts[0]!.shape.bvh.geometry.index!.count / 3).toBe(100_000);
  const looked = vi.spyOn(THREE.Ray.prototype, "intersectTriangle");
  for (let step = 0; step < 100; step++) {
    expect(pick(150 + step / 2, 200, parts, [], fromAbove(), "any")?.kind).toBe("part");
  }
  const looks = looked.mock.calls.length;
  looked.mockRestore();
  expect(looks).toBeGreaterThanOrEqual(100);
  expect(looks).toBeLessThan(100 * 200);
});

test("a hover over half a million points of edges looks at few of them, and finds the one that is meant", () => {
  // forty by forty rings of 300 points each, of half a millimetre, above the box
  const [rings, points] = [1600, 300];
  const lines = new Float32Array(3 * rings * points);
  for (let ring = 0; ring < rings; ring++) {
    for (let point = 0; point < points; point++) {
      const angle = (2 * Math.PI * point) / (points - 1);
      const middle = [ring % 40, Math.floor(ring / 40)] as const;
      lines.set([middle[0] + 0.25 * Math.cos(angle), middle[1] + 0.25 * Math.sin(angle), 30], 3 * (ring * points + point));
    }
  }
  const store = oneBox();
  const { rows: arrays, faces, edges } = box([10, 20, 30]);
  store.receive({ type: "mesh.rows", node_id: "box", digest: "d1", faces, edges: Array.from({ length: rings }, () => edges[0]!) }, {
    ...arrays, lines, line_starts: Uint32Array.from({ length: rings + 1 }, (_, ring) => ring * points), line_tangent: new Uint8Array(rings),
  });
  const parts = drawn(store);
  // x to the right from -10, y up from -10, ten pixels per millimetre: on the right of the ring about (5, 7)
  expect(pick(152.5, 230, parts, [], fromAbove(), "edge")).toMatchObject({ kind: "edge", index: 7 * 40 + 5 });
  const pieces = parts[0]!.shape.pieces(parts[0]!.node.rows!);
  const meeting = vi.spyOn(pieces, "meeting");
  pick(152.5, 230, parts, [], fromAbove(), "edge");
  let looked = 0;
  pieces.meeting(meeting.mock.calls[0]![0], (_, first, last) => (looked += last - first));
  expect(looked).toBeGreaterThan(0);
  expect(looked).toBeLessThan(10_000);
  expect(pick(380, 20, parts, [], fromAbove(), "edge")?.index).toBe(28 * 40 + 28);
});

test("edges and outlines that are too many to be drawn in haste are there again when the picture rests", () => {
  const seen = (store: Store): boolean[][] => {
    const parts = new Parts(store, new THREE.Vector2(400, 400));
    parts.reconcile(THEMES.light, []);
    const [part] = parts.visible();
    return [true, false].map((hasty) => [parts.sparing(hasty), part!.lines.visible, part!.outlines.visible]);
  };
  const all = [false, true, true];
  expect(seen(oneBox())).toEqual([all, all]);
  const edged = oneBox();
  const { mesh, rows: arrays, faces, edges } = box([10, 20, 30]);
  edged.receive({ type: "mesh.rows", node_id: "box", digest: "d1", faces, edges: [edges[0]!] }, {
    ...arrays, lines: new Float32Array(3 * 70_000), line_starts: new Uint32Array([0, 70_000]), line_tangent: new Uint8Array(1),
  });
  expect(seen(edged)).toEqual([[true, false, true], all]);
  const round = new Store();
  round.receive({ type: "mesh.update", node: head() }, { ...mesh, indices: new Uint32Array(3 * 40_000) });
  expect(seen(round)).toEqual([[true, true, false], all]);
});

test("what is behind a perspective camera is not pointed at", () => {
  const store = oneBox();
  const camera = new THREE.PerspectiveCamera(30, 1, 0.1, 1000);
  // it stands within the box's length, and looks down: the upper edges are behind it
  camera.position.set(5, 10, 20);
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
  store.setNode("box", { faces: false });
  const eye = { camera: { camera, height: 10 } as unknown as Camera, width: 400, height: 400 };
  for (let x = 0; x <= 400; x += 4) {
    const found = pick(x, x, drawn(store), [], eye, "edge");
    if (found) expect(found.point[2]).toBeLessThan(20);
  }
});
