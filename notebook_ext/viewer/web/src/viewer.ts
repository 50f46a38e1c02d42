/**
 * One viewer: its store, its picture, its carrier, and what commands do with them.
 *
 * The only place that both changes the store and sends messages. Panels call it and read the store.
 */

import type { Arrays } from "./buffers";
import { describe } from "./describing";
import { View, type PlacedLabel } from "./drawing/view";
import type { ViewName } from "./drawing/camera";
import { measureMeshes } from "./measuring";
import { placedDirection } from "./pose";
import { FEATURES, PROTOCOL_VERSION, type ChainLink, type ExportFormat, type Feature, type FromSession, type Picked, type ToSession, type Vector } from "./protocol";
import { binaryStl } from "./stl";
import { axisOf, Store, type Section } from "./store";
import type { Link, Transport } from "./transport/transport";

/** How far below a face it is cut there, as a share of its part's depth. */
const BELOW_FACE = 1e-3;
/** Milliseconds between two messages about the view's state, at least. */
const STATE_PAUSE = 100;

export interface Options {
  transport: Transport;
  /** Where the user's choices outlive a reload, and under which key: another, once a view stands elsewhere. */
  storage?: { kept: Storage; key: () => string };
}

type Kept = Parameters<Store["restore"]>[0] & { camera?: ReturnType<View["camera"]["state"]> };

export class Viewer {
  readonly store = new Store();
  /** Holds the canvas; the panels put it where it belongs. */
  readonly stage = document.createElement("div");
  readonly view: View;
  link: Link = "session";
  labels: PlacedLabel[] = [];
  /** Grows with everything that lists and panels show, and not while the camera moves. */
  changes = 0;
  /** Called after each frame and each change that panels show. */
  shown: () => void = () => {};
  private readonly transport: Transport;
  private readonly storage: Options["storage"];
  private requests = 0;
  private sent = "";
  private timer: ReturnType<typeof setTimeout> | null = null;
  /** The last question of each kind; answers to those before it are too late. */
  private readonly asked = new Map<string, string>();

  constructor({ transport, storage }: Options) {
    this.transport = transport;
    this.storage = storage;
    this.stage.className = "canvas";
    this.view = new View(this.store, this.stage);
    this.view.drawn = (labels) => {
      this.labels = labels;
      this.shown();
      this.report();
    };
    this.view.lost = (lost) => this.store.say(lost ? "The graphics card took the view away; it comes back by itself." : "");
    this.restore();
    this.store.subscribe((topic) => {
      if (topic !== "hover") this.changes += 1;
      if (topic === "status" || topic === "panel" || topic === "answers") this.shown();
      if (topic === "look" || topic === "nodes" || topic === "section") this.keep();
      if (topic !== "hover") this.report();
    });
  }

  start(): void {
    this.transport.open(
      (message, arrays) => this.receive(message, arrays),
      (link) => {
        const ended = link === "none" && this.store.features.size > 0;
        this.link = link;
        this.changes += 1;
        if (ended && this.store.notice === "") this.store.say("The session has ended; what needs it is not offered any more. Run the cell again.");
        if (link === "lost") this.store.say("The session cannot be reached; trying again.");
        else if (this.store.notice.startsWith("The session cannot")) this.store.say("");
        this.shown();
      },
    );
  }

  /** The first message to a session. */
  ready(token?: string): ToSession {
    const said = { type: "viewer.ready", protocol_version: PROTOCOL_VERSION, features: FEATURES, has: this.store.has() } as const;
    return token ? { ...said, token } : said;
  }

  /** Whether there is a session, and it answers this. */
  can(feature: Feature): boolean {
    return this.link === "session" && this.store.features.has(feature);
  }

  /** What is pointed at, or else picked, in one line. */
  get line(): string {
    const pick = this.store.hover ?? this.store.selection.at(-1);
    const node = pick && this.store.nodes.get(pick.node_id);
    if (!pick || !node) return "";
    const more = this.store.hover === null && this.store.selection.length > 1 ? `${this.store.selection.length} picked · ` : "";
    return more + describe(pick, node);
  }

  pick(x: number, y: number): Picked | null {
    return this.view.pick(x, y);
  }

  /** Where a point of the scene is seen, in CSS pixels from the upper left of the picture. */
  place(point: Vector): [number, number] {
    const { x, y } = this.view.place(point);
    return [x, y];
  }

  /** Pick at a point of the view; several: keep what is picked already. */
  choose(x: number, y: number, several: boolean): void {
    const pick = this.view.pick(x, y);
    this.chooseAll(pick ? [pick] : [], several);
  }

  chooseAll(picks: readonly Picked[], several: boolean): void {
    // What was said about what was picked before is over.
    if (this.link === "session" && this.store.notice !== "") this.store.say("");
    if (several && picks.length === 1) this.store.toggle(picks[0] as Picked);
    else if (several) this.store.select([...this.store.selection, ...picks]);
    else this.store.select(picks);
    this.explain();
    if (this.store.panel === "measure") this.measure();
  }

  turnTo(view: ViewName): void {
    this.view.camera.turnTo(view);
    this.view.fit();
  }

  lookFrom(direction: Vector): void {
    this.view.camera.lookFrom(direction);
    this.view.request();
  }

  /** Ids of parts that commands are about: of what is picked, else of all that is seen. */
  targets(): string[] {
    const picked = [...new Set(this.store.selection.map((pick) => pick.node_id))];
    return picked.length > 0 ? picked : this.store.visible().map((node) => node.head.node_id);
  }

  measure(): void {
    const [a, b] = this.store.selection.slice(-2);
    if (!a) return;
    if (this.can("measure")) {
      this.transport.send({ type: "measure", request_id: this.ask("measure.result"), a, ...(b ? { b } : {}) });
      return;
    }
    this.store.measured = measureMeshes(a, b ?? null, this.store);
    this.store.tell("answers");
  }

  askSelector(): void {
    const first = this.store.selection[0];
    if (!first || (first.kind !== "face" && first.kind !== "edge")) return;
    const alike = this.store.selection.filter((pick) => pick.kind === first.kind && pick.node_id === first.node_id);
    this.transport.send({
      type: "selector", request_id: this.ask("selector.propose"), node_id: first.node_id, digest: first.digest, target: first.kind,
      indexes: alike.map((pick) => pick.index),
    });
  }

  insert(text: string): void {
    this.transport.send({ type: "insert", text });
  }

  openForm(): void {
    const face = this.store.selection.find((pick) => pick.kind === "face");
    if (face) this.transport.send({ type: "open_form", node_id: face.node_id, digest: face.digest, face: face.index });
  }

  /** Go where a step of the chain from what is picked leads. */
  follow({ kind, face }: ChainLink): void {
    const node = this.store.chain && this.store.nodes.get(this.store.chain.node_id);
    if (!node || face === null) return;
    const { node_id, digest } = node.head;
    this.transport.send({ type: "open_form", node_id, digest, face, step: kind });
  }

  askCompare(id: string, back: number): void {
    this.transport.send({ type: "compare", request_id: this.ask("compare"), node_id: id, back });
  }

  annotate(text: string): void {
    const pick = this.store.selection.at(-1);
    if (!pick || !text.trim()) return;
    this.transport.send({ type: "annotation.set", node_id: pick.node_id, text: text.trim(), point: pick.point });
  }

  removeAnnotation(id: string): void {
    this.transport.send({ type: "annotation.remove", annotation_id: id });
  }

  stop(): void {
    this.transport.send({ type: "stop" });
  }

  /** Cut where the picked face is: what stands before it goes. */
  sectionAtFace(): void {
    const face = this.store.selection.find((pick) => pick.kind === "face");
    const node = face && this.store.nodes.get(face.node_id);
    const normal = face && node?.rows?.faces[face.index]?.normal;
    if (!face || !node || !normal) {
      this.store.say("Pick a flat face first: the section is made along its normal.");
      return;
    }
    const axis = placedDirection(normal, node.head.pose);
    const at = axis.reduce((sum, value, index) => sum + value * (face.point[index] as number), 0);
    const main = axis.findIndex((value) => Math.abs(value) > 0.9999);
    const key: Section["key"] = main < 0 ? "face" : (["x", "y", "z"] as const)[main]!;
    const along = main < 0 ? 1 : Math.sign(axis[main] as number);
    // Just below the face, which would else lie in the same plane as the cut.
    const depth = BELOW_FACE * this.depthAlong(face.node_id, axis);
    this.store.setSection(key, {
      axis: main < 0 ? axis : (key as "x" | "y" | "z"), at: along * (at - depth), flipped: along < 0, on: true,
    });
    if (this.store.panel !== "section") this.store.setPanel("section");
  }

  /** Where a section may be: from and to, along its axis. */
  rangeOf(section: Section): [number, number] {
    const bounds = this.view.bounds();
    if (!bounds) return [-1, 1];
    const axis = axisOf(section);
    const [low, high] = bounds;
    const ends = axis.map((value, index) => [value * low[index]!, value * high[index]!].sort((a, b) => a - b) as [number, number]);
    return [ends.reduce((sum, end) => sum + end[0], 0), ends.reduce((sum, end) => sum + end[1], 0)];
  }

  /** All planes in the middle of what is seen, and one that looks to the front on, unless there is a cut already. */
  beginSection(): void {
    if (this.store.sections.some((section) => section.on)) return;
    for (const section of this.store.sections) {
      const [low, high] = this.rangeOf(section);
      this.store.setSection(section.key, { at: (low + high) / 2, on: section.key === "y" });
    }
  }

  switchSection(key: Section["key"]): void {
    const section = this.store.sections.find((cut) => cut.key === key);
    if (!section) return;
    const [low, high] = this.rangeOf(section);
    const at = section.at > low && section.at < high ? section.at : (low + high) / 2;
    this.store.setSection(key, { on: !section.on, at });
  }

  /** A file of a format, from the session; without one, the STL of the mesh that is shown. */
  download(format: ExportFormat | "png"): void {
    if (format === "png") {
      void this.view.screenshot().then(({ png }) => save(png, `${this.title()}.png`));
      return;
    }
    const ids = this.targets();
    if (this.can("export")) {
      const request_id = this.ask("export.result");
      this.transport.send({ type: "export", request_id, node_ids: ids, format });
      this.store.say(`Writing ${format.toUpperCase()} …`);
      return;
    }
    const meshes = ids.flatMap((id) => {
      const node = this.store.nodes.get(id);
      const mesh = node && this.store.meshOf(node);
      return mesh ? [{ mesh, pose: node.head.pose }] : [];
    });
    save(new Blob([binaryStl(meshes)], { type: "model/stl" }), `${this.title()}.stl`);
  }

  async copyPicture(): Promise<void> {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": this.view.screenshot().then(({ png }) => png) })]);
      this.store.say("The picture is in the clipboard.");
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      this.store.say("The browser did not allow the clipboard; save the picture instead.");
    }
  }

  async copyText(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.store.say(`Copied: ${text}`);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      this.store.say(`The browser did not allow the clipboard: ${text}`);
    }
  }

  /** For tests, screen readers and who looks for a fault: all that is seen, as one value. */
  get state(): Record<string, unknown> {
    const { store, view } = this;
    return {
      nodes: [...store.nodes.values()].map((node) => ({
        node_id: node.head.node_id, revision: node.head.revision, visible: node.visible, drawn: view.parts.drawn.has(node.head.node_id),
        pickable: node.rows !== null, stale: node.head.stale,
      })),
      camera: view.camera.state(),
      selection: store.selection,
      hover: store.hover,
      section: store.cutting(),
      theme: view.themeName,
      frames: view.frames,
      settled: view.settled,
      link: this.link,
      line: this.line,
      notice: store.notice,
      glowing: [...store.highlights.values()].map(({ tone, node_id, faces }) => `${tone} ${node_id} ${faces.length}`),
      measured: store.measured,
      look: store.look,
      explode: store.explode,
      panel: store.panel,
    };
  }

  dispose(): void {
    if (this.timer) clearTimeout(this.timer);
    this.transport.close();
    this.view.dispose();
  }

  private receive(message: FromSession, arrays: Arrays): void {
    if (this.idle(message)) return;
    if (message.type === "viewer.focus") {
      const node = this.store.nodes.get(message.node_id);
      if (!node) return;
      this.store.setNode(message.node_id, { visible: true });
      this.store.select([{ node_id: message.node_id, digest: node.head.digest, kind: "part", index: 0, point: [0, 0, 0] }]);
      this.view.fitSelection();
    } else if (message.type === "viewer.state") {
      this.take(message);
    } else if (message.type === "viewer.screenshot.request") {
      void this.answerScreenshot(message.request_id, message.width, message.height);
    } else if (message.type === "export.result") {
      save(new Blob([arrays["file"] as Uint8Array<ArrayBuffer>], { type: message.media_type }), message.name);
      this.store.say(`${message.name} is downloaded.`);
    } else {
      if (message.type === "scene.reset") this.view.begin();
      const before = this.store.selection;
      this.store.receive(message, arrays);
      if (this.store.selection !== before && this.store.chain === null) this.explain();
    }
  }

  private take(state: Extract<FromSession, { type: "viewer.state" }>): void {
    if (state.visible) this.store.showOnly(state.visible);
    for (const [id, visible] of Object.entries(state.shown ?? {})) this.store.setNode(id, { visible });
    // Who picks by a number says no place.
    if (state.selection) this.store.select(state.selection.map((pick) => ({ ...pick, point: pick.point ?? [0, 0, 0] })));
    if (state.edges) this.store.setLook({ edges: state.edges });
    if (state.theme) this.store.setLook({ theme: state.theme });
    if (state.section) {
      for (const { key } of this.store.sections) this.store.setSection(key, { on: false });
      for (const section of state.section) {
        this.store.setSection(typeof section.axis === "string" ? section.axis : "face", { ...section, on: true });
      }
    }
    if (state.camera) {
      this.store.setLook({ projection: state.camera.projection });
      this.view.setCamera(state.camera);
    }
  }

  private async answerScreenshot(request_id: string, width?: number, height?: number): Promise<void> {
    const { png, ...size } = await this.view.screenshot(width && height ? { width, height } : undefined);
    const bytes = await png.arrayBuffer();
    const buffers = [{ name: "png", dtype: "u1" as const, shape: [bytes.byteLength] }];
    this.transport.send({ type: "viewer.screenshot.result", request_id, ...size, buffers }, [bytes]);
  }

  /** The chain from a picked face to its form, cell and file. */
  private explain(): void {
    const pick = this.store.selection.at(-1);
    if (!this.can("explain") || !pick || (pick.kind !== "face" && pick.kind !== "edge")) return;
    const what = pick.kind === "face" ? { faces: [pick.index] } : { edges: [pick.index] };
    const request_id = this.ask("selection.explain.result");
    this.transport.send({ type: "selection.explain", request_id, node_id: pick.node_id, digest: pick.digest, ...what });
  }

  private depthAlong(id: string, axis: Vector): number {
    const part = this.view.parts.drawn.get(id);
    if (!part) return 0;
    const box = part.box();
    return axis.reduce((sum, value, index) => sum + Math.abs(value) * (box.max.getComponent(index) - box.min.getComponent(index)), 0);
  }

  private title(): string {
    const ids = this.targets();
    return ids.length === 1 ? (ids[0] as string).replaceAll("/", "-") : "assembly";
  }

  /** An id for a question whose answer is a message of this type. */
  private ask(answer: string): string {
    this.requests += 1;
    const id = `r${this.requests}`;
    this.asked.set(answer, id);
    return id;
  }

  /** Whether a message answers what is not asked any more, or refuses what nobody asked for by hand. */
  private idle(message: FromSession): boolean {
    if (!("request_id" in message) || message.request_id === undefined) return false;
    if (message.type === "error") {
      const [answer] = [...this.asked].find(([, id]) => id === message.request_id) ?? [];
      return answer === undefined || answer === "selection.explain.result";
    }
    return this.asked.has(message.type) && this.asked.get(message.type) !== message.request_id;
  }

  /** Tell the session where the view stands: at most ten times a second, and only what is new. */
  private report(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      const { store } = this;
      const state: ToSession = {
        type: "viewer.state", camera: this.view.camera.state(), selection: store.selection,
        visible: store.visible().map((node) => node.head.node_id), section: store.cutting(), theme: this.view.themeName,
      };
      const text = JSON.stringify(state);
      if (text === this.sent) return;
      this.keep();
      if (this.transport.send(state)) this.sent = text;
    }, STATE_PAUSE);
  }

  private keep(): void {
    this.storage?.kept.setItem(this.storage.key(), JSON.stringify({ ...this.store.kept(), camera: this.view.camera.state() }));
  }

  private restore(): void {
    const text = this.storage?.kept.getItem(this.storage.key());
    if (!text) return;
    const kept = JSON.parse(text) as Kept;
    this.store.restore(kept);
    if (kept.camera) this.view.setCamera(kept.camera);
  }
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
