/** The list of parts: groups, visibility of faces and edges, opacity, colour, search. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { placedPoint } from "../pose";
import type { Vector } from "../protocol";
import { colorOf, type SceneNode } from "../store";
import type { Viewer } from "../viewer";
import { Icon } from "./icons";
import { found, grouped, nodesUnder, type Branch } from "./grouping";

export function Tree({ viewer }: { viewer: Viewer }): JSX.Element {
  const [query, setQuery] = useState("");
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const nodes = found([...viewer.store.nodes.values()], query);
  const toggle = (path: string): void => {
    const next = new Set(closed);
    if (!next.delete(path)) next.add(path);
    setClosed(next);
  };
  return (
    <aside class="tree" aria-label="Parts">
      <div class="head">
        <input
          type="search" placeholder="Search parts" aria-label="Search parts" value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <button type="button" class="tool" aria-label="Close the list of parts" onClick={() => viewer.store.setLook({ tree: false })}>
          <Icon name="close" />
        </button>
      </div>
      <div class="rows" role="tree" aria-label="Parts">
        <Level branch={grouped(nodes)} depth={0} viewer={viewer} closed={closed} toggle={toggle} />
        {nodes.length === 0 && <p class="empty">{query ? "No part has this name." : "No part yet."}</p>}
      </div>
    </aside>
  );
}

interface LevelProps {
  branch: Branch;
  depth: number;
  viewer: Viewer;
  closed: ReadonlySet<string>;
  toggle(path: string): void;
}

function Level({ branch, depth, viewer, closed, toggle }: LevelProps): JSX.Element {
  return (
    <>
      {branch.branches.map((inner) => {
        const nodes = nodesUnder(inner);
        const visible = nodes.some((node) => node.visible);
        const open = !closed.has(inner.path);
        return (
          <div key={inner.path} role="group">
            <div class="row" role="treeitem" aria-expanded={open} aria-label={inner.name} style={{ paddingLeft: `${6 + depth * 14}px` }}>
              <button type="button" class="fold" aria-label={`${open ? "Close" : "Open"} ${inner.name}`} onClick={() => toggle(inner.path)}>
                {open ? "▾" : "▸"}
              </button>
              <span class="name">{inner.name}</span>
              <span class="count">{nodes.length}</span>
              <Switch of="faces" name={inner.name} nodes={nodes} viewer={viewer} />
              <Switch of="edges" name={inner.name} nodes={nodes} viewer={viewer} />
              <button
                type="button" class="eye" aria-pressed={visible} aria-label={`${visible ? "Hide" : "Show"} ${inner.name}`}
                onClick={() => nodes.forEach((node) => viewer.store.setNode(node.head.node_id, { visible: !visible }))}
              >
                <Icon name={visible ? "showAll" : "hide"} />
              </button>
            </div>
            {open && <Level branch={inner} depth={depth + 1} viewer={viewer} closed={closed} toggle={toggle} />}
          </div>
        );
      })}
      {branch.nodes.map((node) => (
        <Part key={node.head.node_id} node={node} depth={depth} viewer={viewer} />
      ))}
    </>
  );
}

/** Whether faces or edges of parts are drawn. */
function Switch({ of, name, nodes, viewer }: { of: "faces" | "edges"; name: string; nodes: SceneNode[]; viewer: Viewer }): JSX.Element {
  const on = nodes.some((node) => node[of]);
  const title = `${of === "faces" ? "Faces" : "Edges"} of ${name}`;
  return (
    <button
      type="button" class={`eye ${of}`} aria-pressed={on} aria-label={title} title={title}
      onClick={() => nodes.forEach((node) => viewer.store.setNode(node.head.node_id, { [of]: !on }))}
    >
      <Icon name={of === "faces" ? "pickFace" : "edges"} />
    </button>
  );
}

function Part({ node, depth, viewer }: { node: SceneNode; depth: number; viewer: Viewer }): JSX.Element {
  const { store } = viewer;
  const { node_id: id, name, stale, ingredient, digest } = node.head;
  const picked = store.selection.some((pick) => pick.node_id === id);
  const failed = store.status.failed.includes(id);
  const color = cssColor(colorOf(node));
  const choose = (event: { shiftKey: boolean }): void => {
    if (!node.visible) store.setNode(id, { visible: true });
    viewer.chooseAll([{ node_id: id, digest, kind: "part", index: 0, point: placedPoint(node.head.bounds?.[0] ?? [0, 0, 0], node.head.pose) }], event.shiftKey);
  };
  return (
    <div
      class={`part${picked ? " picked" : ""}${stale ? " stale" : ""}${failed ? " failed" : ""}`}
      role="treeitem" aria-selected={picked} aria-label={name} data-node={id}
    >
      <div class="row" style={{ paddingLeft: `${8 + depth * 14}px` }}>
        <span class="dot" style={{ background: color }} />
        <button type="button" class="name" title={[id, node.head.figures, stale].filter(Boolean).join(" · ")} onClick={choose}>
          {name}
          {ingredient && <em> ingredient</em>}
        </button>
        <Switch of="faces" name={name} nodes={[node]} viewer={viewer} />
        <Switch of="edges" name={name} nodes={[node]} viewer={viewer} />
        <button
          type="button" class="eye" aria-pressed={node.visible} aria-label={`${node.visible ? "Hide" : "Show"} ${name}`}
          title={`${node.visible ? "Hide" : "Show"} ${name}; with Alt nothing else`}
          onClick={(event) => (event.altKey ? store.showOnly([id]) : store.setNode(id, { visible: !node.visible }))}
        >
          <Icon name={node.visible ? "showAll" : "hide"} />
        </button>
      </div>
      {stale && <p class="why">{stale}</p>}
      {failed && <p class="why">The last change failed; this is the last good part.</p>}
      {picked && (
        <label class="opacity">
          Opacity
          <input
            type="range" min="0.1" max="1" step="0.05" value={node.opacity}
            onInput={(event) => store.setNode(id, { opacity: Number(event.currentTarget.value) })}
          />
          <output>{Math.round(node.opacity * 100)} %</output>
          <input
            type="color" aria-label={`Colour of ${name}`} title="Colour" value={color}
            onInput={(event) => store.setNode(id, { color: ofCssColor(event.currentTarget.value) })}
          />
          {node.color && (
            <button type="button" title="The material's own colour" onClick={() => store.setNode(id, { color: null })}>
              ↺
            </button>
          )}
        </label>
      )}
    </div>
  );
}

/** `#rrggbb` of red, green and blue, 0 to 1. */
function cssColor(color: Vector): string {
  return `#${color.map((value) => Math.round(value * 255).toString(16).padStart(2, "0")).join("")}`;
}

function ofCssColor(text: string): Vector {
  return [1, 3, 5].map((start) => parseInt(text.slice(start, start + 2), 16) / 255) as Vector;
}
