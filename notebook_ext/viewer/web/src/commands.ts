/** Everything that can be done with a key: one record each, which toolbar, keyboard and help sheet are made of. */

import type { ViewName } from "./drawing/camera";
import type { IconName } from "./panels/icons";
import type { Feature } from "./protocol";
import type { Filter, Panel } from "./store";
import type { Viewer } from "./viewer";

export const GROUPS = ["Views", "Show", "Pick", "Tools", "Parts", "Files"] as const;

export interface Command {
  id: string;
  group: (typeof GROUPS)[number];
  label: string;
  /** As `KeyboardEvent.key` has it, "Shift+" before it where that is held. */
  key: string;
  icon: IconName;
  run(viewer: Viewer): void;
  /** Whether what it switches is on; absent for what is no switch. */
  on?(viewer: Viewer): boolean;
  /** Only in the help sheet and by key. */
  hidden?: boolean;
  /** Of no use where no session answers this. */
  needs?: Feature;
}

const view = (id: ViewName, label: string, key: string, icon: IconName): Command => ({
  id: `view-${id}`, group: "Views", label, key, icon, run: (viewer) => viewer.turnTo(id),
});

const filter = (id: Filter, label: string, key: string, icon: IconName): Command => ({
  id: `filter-${id}`, group: "Pick", label, key, icon, run: ({ store }) => store.setLook({ filter: id }),
  on: ({ store }) => store.look.filter === id,
});

type Switch = "wireframe" | "transparent" | "zebra" | "outline" | "grid" | "axes" | "cube" | "tree";

const look = (id: Switch, group: Command["group"], label: string, key: string, icon: IconName): Command => ({
  id, group, label, key, icon, run: ({ store }) => store.setLook({ [id]: !store.look[id] }), on: ({ store }) => store.look[id],
});

const panel = (id: Panel, group: Command["group"], label: string, key: string, icon: IconName): Command => ({
  id, group, label, key, icon, run: ({ store }) => store.setPanel(id), on: ({ store }) => store.panel === id,
});

const STYLES = ["all", "sharp", "none"] as const;

export const COMMANDS: Command[] = [
  view("iso", "Isometric view", "0", "iso"),
  view("front", "Front view", "1", "front"),
  view("back", "Back view", "2", "back"),
  view("left", "Left view", "3", "left"),
  view("right", "Right view", "4", "right"),
  view("top", "Top view", "5", "top"),
  view("bottom", "Bottom view", "6", "bottom"),
  { id: "fit", group: "Views", label: "Fit everything", key: "f", icon: "fit", run: ({ view: picture }) => picture.fit() },
  { id: "zoom", group: "Views", label: "Zoom to what is picked", key: "z", icon: "zoom", run: ({ view: picture }) => picture.fitSelection() },
  {
    id: "perspective", group: "Views", label: "Perspective", key: "p", icon: "perspective",
    run: ({ store }) => store.setLook({ projection: store.look.projection === "perspective" ? "orthographic" : "perspective" }),
    on: ({ store }) => store.look.projection === "perspective",
  },
  {
    id: "turntable", group: "Views", label: "Turntable", key: "y", icon: "turntable",
    run: ({ store }) => {
      store.turning = !store.turning;
      store.tell("look");
    },
    on: ({ store }) => store.turning,
  },
  {
    id: "edges", group: "Show", label: "Edges: all, sharp, none", key: "e", icon: "edges",
    run: ({ store }) => store.setLook({ edges: STYLES[(STYLES.indexOf(store.look.edges) + 1) % 3]! }),
    on: ({ store }) => store.look.edges !== "none",
  },
  look("transparent", "Show", "Transparent", "t", "transparent"),
  look("wireframe", "Show", "Wireframe", "w", "wireframe"),
  look("zebra", "Show", "Zebra stripes", "k", "zebra"),
  { ...look("outline", "Show", "Outlines", "o", "outline"), hidden: true },
  look("grid", "Show", "Grid", "g", "grid"),
  look("axes", "Show", "Axes", "a", "axes"),
  { ...look("cube", "Show", "Orientation cube", "u", "iso"), hidden: true },
  {
    id: "theme", group: "Show", label: "Light or dark", key: "l", icon: "theme",
    run: ({ store, view: picture }) => store.setLook({ theme: picture.themeName === "dark" ? "light" : "dark" }),
  },
  filter("any", "Pick anything", "Shift+A", "pickAny"),
  filter("part", "Pick parts", "Shift+P", "pickPart"),
  filter("face", "Pick faces", "Shift+F", "pickFace"),
  filter("edge", "Pick edges", "Shift+E", "pickEdge"),
  filter("vertex", "Pick vertices", "Shift+V", "pickVertex"),
  {
    id: "clear", group: "Pick", label: "Pick nothing; close what is open", key: "Escape", icon: "close", hidden: true,
    run: ({ store }) => {
      if (store.comparison) store.compare(null);
      if (store.panel !== "none") store.setPanel("none");
      else store.select([]);
      store.dropTaken();
      store.turning = false;
      store.say("");
    },
  },
  {
    ...panel("measure", "Tools", "Measure", "m", "measure"),
    run: (viewer) => {
      viewer.store.setPanel("measure");
      if (viewer.store.panel === "measure") viewer.measure();
    },
  },
  {
    ...panel("section", "Tools", "Section", "x", "section"),
    run: (viewer) => {
      viewer.store.setPanel("section");
      if (viewer.store.panel === "section") viewer.beginSection();
    },
  },
  {
    id: "section-face", group: "Tools", label: "Section at the picked face", key: "n", icon: "section", hidden: true,
    run: (viewer) => viewer.sectionAtFace(),
  },
  panel("explode", "Tools", "Explode", "d", "explode"),
  { ...panel("compare", "Tools", "Compare with a revision before", "r", "compare"), needs: "compare" },
  look("tree", "Parts", "List of parts", "v", "tree"),
  {
    id: "isolate", group: "Parts", label: "Show only what is picked", key: "i", icon: "isolate",
    run: (viewer) => viewer.store.showOnly(viewer.targets()),
  },
  {
    id: "hide", group: "Parts", label: "Hide what is picked", key: "h", icon: "hide",
    run: (viewer) => {
      if (viewer.store.selection.length === 0) viewer.store.say("Pick a part first; then it can be hidden.");
      else for (const id of viewer.targets()) viewer.store.setNode(id, { visible: false });
    },
  },
  {
    id: "show-all", group: "Parts", label: "Show all parts", key: "Shift+H", icon: "showAll",
    run: ({ store }) => store.showOnly([...store.nodes.keys()]),
  },
  { id: "screenshot", group: "Files", label: "Save a picture", key: "s", icon: "camera", run: (viewer) => viewer.download("png") },
  { id: "copy", group: "Files", label: "Copy the picture", key: "c", icon: "copy", run: (viewer) => void viewer.copyPicture() },
  panel("export", "Files", "Download", "b", "download"),
  panel("help", "Files", "Keys and mouse", "?", "help"),
];

/** The commands that are of use now. */
export function useful(viewer: Viewer): Command[] {
  return COMMANDS.filter((command) => !command.needs || viewer.can(command.needs));
}

/** The command of a key press; null where there is none, or where a text is being written. */
export function commandOf(event: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">): Command | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const letter = /^[a-z]$/i.test(event.key);
  const name = letter ? (event.shiftKey ? `Shift+${event.key.toUpperCase()}` : event.key.toLowerCase()) : event.key;
  return COMMANDS.find((command) => command.key === name) ?? null;
}
