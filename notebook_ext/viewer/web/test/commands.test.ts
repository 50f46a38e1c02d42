import { expect, test } from "vitest";

import { COMMANDS, commandOf } from "../src/commands";
import { found, grouped, nodesUnder } from "../src/panels/grouping";
import { Store } from "../src/store";
import { update } from "./parts";

const none = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };

test("every command has a key of its own", () => {
  expect(new Set(COMMANDS.map((command) => command.key)).size).toBe(COMMANDS.length);
  for (const command of COMMANDS) {
    const [key, shiftKey] = command.key.startsWith("Shift+") ? [command.key.slice(6), true] : [command.key, command.key === "?"];
    expect(commandOf({ ...none, key, shiftKey })?.id).toBe(command.id);
  }
});

test("the browser's own keys are left to it", () => {
  expect(commandOf({ ...none, key: "c", ctrlKey: true })).toBeNull();
  expect(commandOf({ ...none, key: "f", metaKey: true })).toBeNull();
});

test("parts stand in the groups of their paths, and are found by every word", () => {
  const store = new Store();
  update(store, { node_id: "a", name: "flange", group: "pump/left" });
  update(store, { node_id: "b", name: "flange", group: "pump/right" });
  update(store, { node_id: "c", name: "base", group: "" });
  const tree = grouped([...store.nodes.values()]);
  expect(tree.nodes.map((node) => node.head.node_id)).toEqual(["c"]);
  expect(tree.branches.map((branch) => branch.branches.map((inner) => inner.path))).toEqual([["pump/left", "pump/right"]]);
  expect(nodesUnder(tree.branches[0]!)).toHaveLength(2);
  expect(found([...store.nodes.values()], "FLA left").map((node) => node.head.node_id)).toEqual(["a"]);
});
