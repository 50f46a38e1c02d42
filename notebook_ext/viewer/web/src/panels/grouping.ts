/** Parts in the groups that their paths name. */

import type { SceneNode } from "../store";

export interface Branch {
  name: string;
  path: string;
  branches: Branch[];
  nodes: SceneNode[];
}

export function grouped(nodes: readonly SceneNode[]): Branch {
  const root: Branch = { name: "", path: "", branches: [], nodes: [] };
  for (const node of nodes) {
    let branch = root;
    for (const name of node.head.group.split("/").filter(Boolean)) {
      const path = branch.path ? `${branch.path}/${name}` : name;
      let inner = branch.branches.find((child) => child.path === path);
      if (!inner) {
        inner = { name, path, branches: [], nodes: [] };
        branch.branches.push(inner);
      }
      branch = inner;
    }
    branch.nodes.push(node);
  }
  return root;
}

export function nodesUnder(branch: Branch): SceneNode[] {
  return [...branch.nodes, ...branch.branches.flatMap(nodesUnder)];
}

/** Parts whose name, id or group has every word of a query. */
export function found(nodes: readonly SceneNode[], query: string): SceneNode[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return nodes.filter(({ head }) => {
    const text = `${head.name} ${head.node_id} ${head.group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
