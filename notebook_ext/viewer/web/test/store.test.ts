import { describe, expect, test } from "vitest";

import { Store } from "../src/store";
import { head, picked, rows, update } from "./parts";

describe("revisions", () => {
  test("a message older than what is known is dropped", () => {
    const store = new Store();
    update(store, { revision: 3, name: "new" });
    update(store, { revision: 2, name: "old" });
    expect(store.nodes.get("box")?.head.name).toBe("new");
    store.receive({ type: "mesh.remove", node_id: "box", revision: 2 }, {});
    expect(store.nodes.has("box")).toBe(true);
  });

  test("what was removed does not come back by a message that was on its way", () => {
    const store = new Store();
    update(store, { revision: 3 });
    store.receive({ type: "mesh.remove", node_id: "box", revision: 4 }, {});
    update(store, { revision: 3 });
    expect(store.nodes.size).toBe(0);
  });

  test("a snapshot is the whole truth, and a new session counts from one again", () => {
    const store = new Store();
    update(store, { revision: 9 });
    update(store, { node_id: "gone", revision: 9 });
    store.receive({ type: "scene.snapshot", nodes: [head({ revision: 1, name: "again" })] }, {});
    expect([...store.nodes.keys()]).toEqual(["box"]);
    expect(store.nodes.get("box")?.head.name).toBe("again");
  });
});

test("a scene that begins anew has nothing of the old one, but for what the user chose", () => {
  const store = new Store();
  update(store, { revision: 9 });
  rows(store);
  store.setNode("box", { visible: false });
  update(store, { node_id: "lid", revision: 10 });
  rows(store, { node_id: "lid" });
  store.select([picked({ node_id: "lid" })]);
  store.receive({ type: "highlight", node_id: "lid", faces: [1], tone: "failed" }, {});
  store.receive({ type: "annotation.set", annotation: { annotation_id: "a", text: "thin", point: [0, 0, 0] } }, {});
  store.receive({ type: "scene.reset" }, {});
  expect([store.nodes.size, store.meshes.size, store.highlights.size, store.annotations.size, store.selection.length]).toEqual([0, 0, 0, 0, 0]);
  update(store, { revision: 1 });
  expect(store.nodes.get("box")).toMatchObject({ visible: false, rows: null });
});

describe("instances", () => {
  const there = [1, 0, 0, 40, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

  test("what the faces of a body are is said once, before an instance comes or after", () => {
    const store = new Store();
    update(store);
    update(store, { node_id: "box#2", pose: there }, null);
    rows(store);
    update(store, { node_id: "box#3", pose: there }, null);
    expect([...store.nodes.values()].map((node) => node.rows?.faces.length)).toEqual([6, 6, 6]);
  });

  test("a thing that was picked on one is found again when it becomes what another is", () => {
    const store = new Store();
    update(store);
    rows(store);
    update(store, { node_id: "other", digest: "d2" });
    rows(store, { node_id: "other", digest: "d2" });
    store.select([picked()]);
    update(store, { revision: 2, digest: "d2" }, null);
    expect(store.selection).toEqual([picked({ digest: "d2" })]);
  });

  test("a change of the part is drawn in the place of each", () => {
    const store = new Store();
    for (const node_id of ["leg", "leg#2"]) update(store, { node_id, group: "leg" });
    for (const node_id of ["case/1", "case/1#2"]) update(store, { node_id, group: "case/case-1" });
    update(store, { node_id: "legs" });
    const drawn = (node_id: string): string[] => {
      store.compare({ node_id, revisions: [1, 2], figures: { old: "", new: "" }, parts: [], meshes: [], proposal: null });
      return store.compared().map(({ head }) => head.node_id);
    };
    expect([drawn("leg"), drawn("case"), drawn("case/1#2"), drawn("legs")]).toEqual([
      ["leg", "leg#2"], ["case/1", "case/1#2"], ["case/1#2"], ["legs"],
    ]);
  });
});

describe("meshes", () => {
  test("one mesh serves all its instances and is forgotten with the last", () => {
    const store = new Store();
    update(store);
    update(store, { node_id: "box/2" }, null);
    expect(store.meshOf(store.nodes.get("box/2")!)).not.toBeNull();
    expect(store.has()).toEqual(["d1"]);
    update(store, { revision: 2, digest: "d2" }, [1, 1, 1]);
    expect(store.has().toSorted()).toEqual(["d1", "d2"]);
    store.receive({ type: "mesh.remove", node_id: "box/2", revision: 2 }, {});
    expect(store.has()).toEqual(["d2"]);
  });

  test("rows of another mesh than the one shown are dropped", () => {
    const store = new Store();
    update(store, { digest: "d2" });
    rows(store, { digest: "d1" });
    expect(store.nodes.get("box")?.rows).toBeNull();
  });
});

describe("what the user chose", () => {
  test("is kept without what an older viewer did not know", () => {
    const store = new Store();
    const chosen = [["box", { visible: true, edges: false, opacity: 1 }]] as unknown as [];
    store.restore({ chosen });
    update(store);
    expect(store.nodes.get("box")).toMatchObject({ faces: true, edges: false });
  });

  test("stays over updates, removal and a snapshot", () => {
    const store = new Store();
    update(store);
    store.setNode("box", { visible: false, opacity: 0.4, color: [1, 0, 0] });
    update(store, { revision: 2, digest: "d2" });
    store.receive({ type: "mesh.remove", node_id: "box", revision: 3 }, {});
    store.receive({ type: "scene.snapshot", nodes: [head({ revision: 4 })] }, {});
    expect(store.nodes.get("box")).toMatchObject({ visible: false, opacity: 0.4, color: [1, 0, 0] });
  });

  test("stays over a reload of the page", () => {
    const before = new Store();
    update(before);
    before.setNode("box", { edges: false });
    before.setLook({ zebra: true });
    const after = new Store();
    after.restore(JSON.parse(JSON.stringify(before.kept())));
    update(after);
    expect(after.nodes.get("box")?.edges).toBe(false);
    expect(after.look.zebra).toBe(true);
  });

  test("ingredients are hidden at first, and shown for good once they were shown", () => {
    const store = new Store();
    update(store, { ingredient: true });
    expect(store.nodes.get("box")?.visible).toBe(false);
    store.setNode("box", { visible: true });
    update(store, { ingredient: true, revision: 2 });
    expect(store.nodes.get("box")?.visible).toBe(true);
  });
});

describe("the selection", () => {
  test("takes and gives back with Shift", () => {
    const store = new Store();
    update(store);
    store.toggle(picked());
    store.toggle(picked({ index: 4 }));
    store.toggle(picked());
    expect(store.selection.map((pick) => pick.index)).toEqual([4]);
  });

  test("a picked face is found again in the new mesh by its maker and normal", () => {
    const store = new Store();
    update(store);
    rows(store);
    store.select([picked({ index: 5 })]);
    store.receive({ type: "selection.explain.result", request_id: "r1", node_id: "box", chain: [{ kind: "form", text: "cube", face: 5 }] }, {});
    update(store, { revision: 2, digest: "d2" }, [10, 20, 99]);
    expect(store.selection).toEqual([]);
    rows(store, { digest: "d2" }, [10, 20, 99]);
    expect(store.selection).toEqual([picked({ index: 5, digest: "d2" })]);
    expect(store.chain, "its steps name faces of the mesh before").toBeNull();
  });

  test("an edge that is not unique in the new mesh is dropped", () => {
    const store = new Store();
    update(store);
    rows(store);
    store.select([picked({ kind: "edge", index: 3 })]);
    update(store, { revision: 2, digest: "d2" }, [10, 25, 99]);
    rows(store, { digest: "d2" }, [10, 25, 99]);
    expect(store.selection).toEqual([]);
  });

  test("what is hidden is not picked", () => {
    const store = new Store();
    update(store);
    store.select([picked()]);
    store.setNode("box", { visible: false });
    expect(store.selection).toEqual([]);
  });
});

test("a highlight without faces and lines goes out, and Escape puts out what a selection took", () => {
  const store = new Store();
  update(store);
  const line = { segments: new Float32Array([0, 0, 0, 1, 0, 0]) };
  store.receive({ type: "highlight", node_id: "box", faces: [1], tone: "form" }, {});
  store.receive({ type: "highlight", node_id: "box", faces: [], tone: "failed" }, line);
  store.receive({ type: "highlight", node_id: "box", faces: [], tone: "taken" }, line);
  expect(store.highlights.size).toBe(3);
  store.receive({ type: "highlight", node_id: "box", faces: [], tone: "form" }, {});
  store.dropTaken();
  expect([...store.highlights.values()].map((mark) => mark.tone)).toEqual(["failed"]);
});

test("an error says what to do", () => {
  const store = new Store();
  store.receive({ type: "error", error_code: "EXPORT_FAILED", message: "no exact body", fix: "export STL" }, {});
  expect(store.notice).toBe("no exact body — export STL");
});

describe("a proposal", () => {
  const ghost = {
    type: "proposal", proposal_id: "p-1", why: "thicker", node_id: "box", revisions: [1, 2], figures: { old: "a", new: "b" },
    parts: ["added"],
  } as const;

  test("is drawn until it is answered", () => {
    const store = new Store();
    update(store);
    store.receive({ ...ghost, revisions: [1, 2], parts: ["added"] }, { "added.positions": new Float32Array(9) });
    expect(store.comparison?.proposal).toEqual({ id: "p-1", why: "thicker" });
    expect(store.panel).toBe("compare");
    store.receive({ type: "proposal.remove", proposal_id: "p-0" }, {});
    expect(store.comparison).not.toBeNull();
    store.receive({ type: "proposal.remove", proposal_id: "p-1" }, {});
    expect([store.comparison, store.panel]).toEqual([null, "none"]);
  });
});
