/**
 * The scene's state: what the session said, and what this viewer's user chose.
 *
 * Pure: knows neither three.js nor the page, nor carriers. One owner changes it (viewer.ts); drawing and panels
 * read it and are told the topic of each change. What the user chose outlives updates, a snapshot, a reload.
 */

import type { Arrays } from "./buffers";
import type {
  Annotation, CameraState, ChainLink, Compared, EdgeRow, FaceRow, Feature, FromSession, MeasureResult, NodeHead, Picked, SectionPlane, Status,
  Tone, Vector,
} from "./protocol";
import { foundAgain } from "./foundAgain";

export interface Mesh {
  /** (3n) */
  positions: Float32Array;
  /** (3n) unit */
  normals: Float32Array;
  /** (3m) */
  indices: Uint32Array;
  /** (6k) feature edges until the rows come */
  segments: Float32Array;
}

export interface Rows {
  faces: FaceRow[];
  /** null for a pole, which has a number and no line */
  edges: (EdgeRow | null)[];
  /** (m) the face of each triangle */
  triangleFaces: Uint32Array;
  /** (3p) points of all polylines, one polyline per edge */
  lines: Float32Array;
  /** (e + 1) where each polyline begins, in points */
  lineStarts: Uint32Array;
  /** (e) 1 where the surface runs on smoothly across the edge */
  lineTangent: Uint8Array;
}

export interface SceneNode {
  head: NodeHead;
  visible: boolean;
  faces: boolean;
  edges: boolean;
  /** 0 to 1, the user's; the material's own multiplies it */
  opacity: number;
  /** The user's, in place of the material's; null for that. */
  color: Vector | null;
  rows: Rows | null;
}

/** What the user chose of a part. */
type Choice = Pick<SceneNode, "visible" | "faces" | "edges" | "opacity" | "color">;

export interface Section extends SectionPlane {
  key: "x" | "y" | "z" | "face";
  on: boolean;
  axis: "x" | "y" | "z" | Vector;
}

export type Filter = "any" | "part" | "face" | "edge" | "vertex";
export type EdgeStyle = "all" | "sharp" | "none";
export type ExplodeAxis = "middle" | "assembly" | "x" | "y" | "z";
export type Panel = "none" | "measure" | "section" | "compare" | "explode" | "help" | "export";

/** How things are drawn and picked; kept over reloads. */
export interface Look {
  theme: "auto" | "light" | "dark";
  projection: CameraState["projection"];
  edges: EdgeStyle;
  wireframe: boolean;
  transparent: boolean;
  zebra: boolean;
  outline: boolean;
  grid: boolean;
  axes: boolean;
  cube: boolean;
  tree: boolean;
  filter: Filter;
}

export interface Highlight {
  node_id: string;
  faces: number[];
  /** Six numbers for each piece of a line, as the node is modelled. */
  segments: Float32Array;
  tone: Tone;
}

export interface Comparison extends Compared {
  meshes: { part: "added" | "removed" | "unchanged"; mesh: Mesh }[];
  /** Why an agent proposes this; null where two revisions are compared. */
  proposal: { id: string; why: string } | null;
}

export interface Selector {
  text: string;
  target: "edge" | "face";
  count: number;
  insertable: boolean;
}

export type Topic = "nodes" | "look" | "selection" | "hover" | "section" | "marks" | "answers" | "status" | "panel";

export const FIRST_LOOK: Look = {
  theme: "auto", projection: "orthographic", edges: "all", wireframe: false, transparent: false, zebra: false, outline: true,
  grid: true, axes: true, cube: true, tree: true, filter: "any",
};

const AXES: Vector[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

export class Store {
  readonly nodes = new Map<string, SceneNode>();
  readonly meshes = new Map<string, Mesh>();
  readonly highlights = new Map<string, Highlight>();
  readonly annotations = new Map<string, Annotation>();
  look: Look = { ...FIRST_LOOK };
  selection: Picked[] = [];
  hover: Picked | null = null;
  sections: Section[] = [
    { key: "x", axis: "x", at: 0, flipped: false, on: false },
    // So that the cut looks towards the front, from where the first view comes.
    { key: "y", axis: "y", at: 0, flipped: true, on: false },
    { key: "z", axis: "z", at: 0, flipped: false, on: false },
  ];
  explode: { axis: ExplodeAxis; amount: number } = { axis: "middle", amount: 0 };
  turning = false;
  panel: Panel = "none";
  /** What the session answers. */
  features: ReadonlySet<Feature> = new Set();
  status: Status = { text: "", running: false, failed: [] };
  /** One sentence for the user, with what to do; "" when there is none. */
  notice = "";
  measured: MeasureResult | null = null;
  chain: { node_id: string; links: ChainLink[] } | null = null;
  selector: Selector | null = null;
  comparison: Comparison | null = null;

  private readonly revisions = new Map<string, number>();
  /** What the user chose for nodes that are not there now, or not yet. */
  private readonly chosen = new Map<string, Choice>();
  /** Picked things of a mesh that was replaced, until the rows of the new one say where they are. */
  private searched: { pick: Picked; rows: Rows }[] = [];
  private readonly listeners = new Set<(topic: Topic) => void>();

  subscribe(listener: (topic: Topic) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(topic: Topic): void {
    for (const listener of this.listeners) listener(topic);
  }

  /** Take a message of the session as far as it is about the scene; others are left alone. */
  receive(message: FromSession, arrays: Arrays): void {
    switch (message.type) {
      case "scene.snapshot":
        this.replaceAll(message.nodes);
        if (message.status) this.status = message.status;
        this.features = new Set(message.features);
        this.annotations.clear();
        for (const annotation of message.annotations ?? []) this.annotations.set(annotation.annotation_id, annotation);
        this.tell("status");
        this.tell("marks");
        break;
      case "mesh.update":
        this.update(message.node, meshOf(arrays));
        break;
      case "mesh.rows":
        this.takeRows(message.node_id, message.digest, message.faces, message.edges, arrays);
        break;
      case "mesh.remove":
        this.remove(message.node_id, message.revision);
        break;
      case "scene.reset":
        this.begin();
        break;
      case "scene.status":
        this.status = { text: message.text, running: message.running, failed: message.failed };
        this.tell("status");
        break;
      case "highlight":
        this.highlight({
          node_id: message.node_id, faces: message.faces, tone: message.tone,
          segments: (arrays["segments"] as Float32Array | undefined) ?? new Float32Array(),
        });
        break;
      case "measure.result":
        this.measured = message;
        this.tell("answers");
        break;
      case "selector.propose":
        this.selector = message;
        this.tell("answers");
        break;
      case "selection.explain.result":
        this.chain = { node_id: message.node_id, links: message.chain };
        this.tell("answers");
        break;
      case "compare":
        this.compare({ ...message, meshes: comparedMeshes(message, arrays), proposal: null });
        break;
      case "proposal":
        this.compare({
          ...message, meshes: comparedMeshes(message, arrays), proposal: { id: message.proposal_id, why: message.why },
        });
        break;
      case "proposal.remove":
        if (this.comparison?.proposal?.id === message.proposal_id) {
          if (this.panel === "compare") this.panel = "none";
          this.compare(null);
        }
        break;
      case "annotation.set":
        this.annotations.set(message.annotation.annotation_id, message.annotation);
        this.tell("marks");
        break;
      case "annotation.remove":
        this.annotations.delete(message.annotation_id);
        this.tell("marks");
        break;
      case "error":
        this.notice = message.fix ? `${message.message} — ${message.fix}` : message.message;
        this.tell("status");
        break;
    }
  }

  /** The nodes in whose place a comparison is drawn. */
  compared(): SceneNode[] {
    const id = this.comparison?.node_id;
    return [...this.nodes.values()].filter(({ head }) => head.node_id === id || (id && `${head.group}/`.startsWith(`${id}/`)));
  }

  meshOf(node: SceneNode): Mesh | null {
    return this.meshes.get(node.head.digest) ?? null;
  }

  /** Digests that need not be sent again. */
  has(): string[] {
    return [...this.meshes.keys()];
  }

  visible(): SceneNode[] {
    return [...this.nodes.values()].filter((node) => node.visible);
  }

  setLook(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    this.tell("look");
  }

  setPanel(panel: Panel): void {
    this.panel = this.panel === panel ? "none" : panel;
    this.tell("panel");
  }

  say(notice: string): void {
    this.notice = notice;
    this.tell("status");
  }

  setNode(id: string, change: Partial<Choice>): void {
    const node = this.nodes.get(id);
    if (!node) return;
    Object.assign(node, change);
    this.chosen.set(id, choiceOf(node));
    this.dropHidden();
    this.tell("nodes");
  }

  /** Show these and no others. */
  showOnly(ids: readonly string[]): void {
    for (const [id, node] of this.nodes) {
      node.visible = ids.includes(id);
      this.chosen.set(id, choiceOf(node));
    }
    this.dropHidden();
    this.tell("nodes");
  }

  select(picks: readonly Picked[]): void {
    this.selection = [...picks];
    this.measured = null;
    this.selector = null;
    this.chain = null;
    this.searched = [];
    this.tell("selection");
  }

  /** Add a pick, or take it away where it is picked already. */
  toggle(pick: Picked): void {
    const rest = this.selection.filter((other) => !same(other, pick));
    this.select(rest.length < this.selection.length ? rest : [...this.selection, pick]);
  }

  setHover(pick: Picked | null): void {
    if (pick === null ? this.hover === null : this.hover !== null && same(this.hover, pick)) return;
    this.hover = pick;
    this.tell("hover");
  }

  setSection(key: Section["key"], change: Partial<Section>): void {
    if (!this.sections.some((section) => section.key === key)) {
      this.sections = [...this.sections, { key, axis: [0, 0, 1], at: 0, flipped: false, on: false }];
    }
    this.sections = this.sections.map((section) => (section.key === key ? { ...section, ...change } : section));
    this.tell("section");
  }

  setExplode(change: Partial<Store["explode"]>): void {
    this.explode = { ...this.explode, ...change };
    this.tell("look");
  }

  highlight(highlight: Highlight): void {
    const key = `${highlight.node_id}\0${highlight.tone}`;
    if (highlight.faces.length + highlight.segments.length === 0) this.highlights.delete(key);
    else this.highlights.set(key, highlight);
    this.tell("marks");
  }

  /** What was lit because a selection took it has been seen; a failure stays until it is mended. */
  dropTaken(): void {
    for (const [key, mark] of this.highlights) if (mark.tone === "taken") this.highlights.delete(key);
    this.tell("marks");
  }

  compare(comparison: Comparison | null): void {
    this.comparison = comparison;
    if (comparison) this.panel = "compare";
    this.tell("marks");
    this.tell("panel");
  }

  /** The planes that cut, as the session knows them. */
  cutting(): SectionPlane[] {
    return this.sections.filter((section) => section.on).map(({ axis, at, flipped }) => ({ axis, at, flipped }));
  }

  /** What outlives a reload of the page. */
  kept(): Record<string, unknown> {
    return { look: this.look, chosen: [...this.chosen], sections: this.sections, explode: this.explode };
  }

  restore(kept: { look?: Partial<Look>; chosen?: [string, Choice][]; sections?: Section[]; explode?: Store["explode"] }): void {
    this.look = { ...FIRST_LOOK, ...kept.look };
    this.sections = kept.sections ?? this.sections;
    this.explode = kept.explode ?? this.explode;
    for (const [id, choice] of kept.chosen ?? []) this.chosen.set(id, choice);
    this.tell("look");
  }

  /** Nothing is there any more, nor what was said about it; what the user chose stays, for parts that come again. */
  private begin(): void {
    this.revisions.clear();
    this.highlights.clear();
    this.annotations.clear();
    this.select([]);
    if (this.panel === "compare") this.panel = "none";
    this.compare(null);
    this.replaceAll([]);
  }

  private replaceAll(heads: readonly NodeHead[]): void {
    const named = new Set(heads.map((head) => head.node_id));
    for (const id of [...this.nodes.keys()]) if (!named.has(id)) this.nodes.delete(id);
    for (const head of heads) {
      // A snapshot is the latest truth: a session that began anew counts from one again.
      this.revisions.set(head.node_id, head.revision);
      this.place(head);
    }
    this.dropUnused();
    this.tell("nodes");
  }

  private update(head: NodeHead, mesh: Mesh | null): void {
    if (head.revision < (this.revisions.get(head.node_id) ?? -Infinity)) return;
    this.revisions.set(head.node_id, head.revision);
    if (mesh) this.meshes.set(head.digest, mesh);
    this.place(head);
    this.dropUnused();
    this.tell("nodes");
  }

  private place(head: NodeHead): void {
    const node = this.nodes.get(head.node_id);
    // A session says what the faces of a body are once, wherever it stands.
    const known = [...this.nodes.values()].find((other) => other.head.digest === head.digest && other.rows)?.rows ?? null;
    if (!node) {
      const first = { visible: !head.ingredient, faces: true, edges: true, opacity: 1, color: null };
      this.nodes.set(head.node_id, { head, rows: known, ...first, ...this.chosen.get(head.node_id) });
      return;
    }
    const changed = node.head.digest !== head.digest;
    if (changed) {
      this.leaveSelection(node);
      for (const [key, mark] of this.highlights) if (mark.node_id === head.node_id) this.highlights.delete(key);
    }
    if (node.head.ingredient !== head.ingredient && !this.chosen.has(head.node_id)) node.visible = !head.ingredient;
    node.head = head;
    if (!changed) return;
    if (known) this.setRows(node, known);
    else node.rows = null;
  }

  private leaveSelection(node: SceneNode): void {
    const id = node.head.node_id;
    const left = this.selection.filter((pick) => pick.node_id === id && pick.kind !== "part");
    const rows = node.rows;
    if (rows) this.searched.push(...left.map((pick) => ({ pick, rows })));
    if (left.length > 0) {
      this.selection = this.selection.filter((pick) => !left.includes(pick));
      this.measured = null;
      this.selector = null;
      // Its faces are numbered anew.
      this.chain = null;
      this.tell("selection");
    }
    if (this.hover?.node_id === id) this.hover = null;
  }

  private takeRows(id: string, digest: string, faces: FaceRow[], edges: (EdgeRow | null)[], arrays: Arrays): void {
    if (this.nodes.get(id)?.head.digest !== digest) return;
    const rows: Rows = {
      faces,
      edges,
      triangleFaces: (arrays["triangle_faces"] as Uint32Array | undefined) ?? new Uint32Array(),
      lines: (arrays["lines"] as Float32Array | undefined) ?? new Float32Array(),
      lineStarts: (arrays["line_starts"] as Uint32Array | undefined) ?? new Uint32Array(1),
      lineTangent: (arrays["line_tangent"] as Uint8Array | undefined) ?? new Uint8Array(),
    };
    for (const node of this.nodes.values()) if (node.head.digest === digest) this.setRows(node, rows);
    this.tell("nodes");
  }

  private setRows(node: SceneNode, rows: Rows): void {
    const { node_id: id, digest } = node.head;
    node.rows = rows;
    const mine = this.searched.filter(({ pick }) => pick.node_id === id);
    this.searched = this.searched.filter(({ pick }) => pick.node_id !== id);
    const restored = mine.flatMap((before) => foundAgain(before.pick, before.rows, rows, digest) ?? []);
    if (restored.length > 0) {
      this.selection = [...this.selection, ...restored];
      this.tell("selection");
    }
  }

  private remove(id: string, revision: number): void {
    if (revision < (this.revisions.get(id) ?? -Infinity)) return;
    this.revisions.set(id, revision);
    this.nodes.delete(id);
    this.dropUnused();
    this.dropHidden();
    this.tell("nodes");
  }

  private dropUnused(): void {
    const used = new Set([...this.nodes.values()].map((node) => node.head.digest));
    for (const digest of [...this.meshes.keys()]) if (!used.has(digest)) this.meshes.delete(digest);
    this.dropHidden();
  }

  private dropHidden(): void {
    const there = this.selection.filter((pick) => this.nodes.get(pick.node_id)?.visible);
    if (there.length < this.selection.length) {
      this.selection = there;
      this.tell("selection");
    }
    if (this.hover && !this.nodes.get(this.hover.node_id)?.visible) this.hover = null;
  }
}

export function same(a: Picked, b: Picked): boolean {
  return a.node_id === b.node_id && a.kind === b.kind && a.index === b.index && a.digest === b.digest;
}

/** The normal that a section's position is counted along. */
export function axisOf(section: Pick<SectionPlane, "axis">): Vector {
  if (typeof section.axis !== "string") return section.axis;
  return AXES["xyz".indexOf(section.axis)] as Vector;
}

/** Red, green and blue of a node, 0 to 1, sRGB. */
export function colorOf({ color, head }: Pick<SceneNode, "color" | "head">): Vector {
  return color ?? head.material.color;
}

function choiceOf({ visible, faces, edges, opacity, color }: SceneNode): Choice {
  return { visible, faces, edges, opacity, color };
}

function meshOf(arrays: Arrays, prefix = ""): Mesh | null {
  const positions = arrays[`${prefix}positions`];
  if (!positions) return null;
  return {
    positions: positions as Float32Array,
    normals: arrays[`${prefix}normals`] as Float32Array,
    indices: arrays[`${prefix}indices`] as Uint32Array,
    segments: (arrays[`${prefix}segments`] as Float32Array | undefined) ?? new Float32Array(),
  };
}

function comparedMeshes(compared: Compared, arrays: Arrays): Comparison["meshes"] {
  return compared.parts.flatMap((part) => {
    const mesh = meshOf(arrays, `${part}.`);
    return mesh ? [{ part, mesh }] : [];
  });
}
