/**
 * The messages between a session and its viewers, version 1.0.
 *
 * Lengths are millimetres, angles degrees, Z is up. Numbers of faces and edges hold for one (node_id, digest).
 * Knows nothing of carriers: how bytes travel stands in `transport/`.
 */

export const PROTOCOL_VERSION = "1.0";

export type Vector = [number, number, number];

export type Typed = Float32Array | Uint32Array | Uint8Array;

/** One buffer as its message announces it. A file's message holds the bytes, too. */
export interface BufferSpec {
  name: string;
  dtype: "f4" | "u4" | "u1";
  shape: number[];
  encoding?: "base64" | "gzip+base64";
  data?: string;
}

export interface Material {
  name: string;
  /** Red, green and blue, 0 to 1, as the eye takes them (sRGB). */
  color: Vector;
  metallic: number;
  roughness: number;
  opacity: number;
}

export interface Source {
  cell_id?: string;
  file?: string;
  label?: string;
  line?: number;
  column?: number;
  end_line?: number;
  end_column?: number;
}

export interface NodeHead {
  node_id: string;
  revision: number;
  digest: string;
  name: string;
  /** Names of the groups from the root, joined by "/"; "" at the root. */
  group: string;
  material: Material;
  /** A 4 × 4 matrix for columns, row by row; null where it stands as it is modelled. */
  pose: number[] | null;
  /** As it is modelled. */
  bounds: [Vector, Vector] | null;
  triangles: number;
  /** Why the part is not up to date; "" when it is. */
  stale: string;
  /** Used by a later cell: listed, and hidden at first. */
  ingredient: boolean;
  exact: boolean;
  source: Source | null;
  figures: string;
}

export interface FaceRow {
  kind: string;
  area: number;
  radius: number | null;
  center: Vector | null;
  normal: Vector | null;
  made_by: string;
  source: Source | null;
  exact: boolean;
}

/** The pole of a sphere or a cone has the number of an edge, and no row. */
export interface EdgeRow {
  kind: string;
  length: number;
  radius: number | null;
  center: Vector | null;
  direction: Vector | null;
  faces: number[];
  exact: boolean;
}

export type PickKind = "part" | "face" | "edge" | "vertex";

/** A thing that was pointed at. A vertex's index is twice its edge's, plus one at the edge's end. */
export interface Picked {
  node_id: string;
  digest: string;
  kind: PickKind;
  index: number;
  /** In the scene's frame. */
  point: Vector;
}

export interface CameraState {
  position: Vector;
  target: Vector;
  up: Vector;
  projection: "orthographic" | "perspective";
  /** Millimetres from the lower to the upper border of the view, in the plane of the target. */
  zoom: number;
}

export interface SectionPlane {
  axis: "x" | "y" | "z" | Vector;
  at: number;
  flipped: boolean;
}

export interface Annotation {
  annotation_id: string;
  node_id?: string | null;
  text: string;
  point: Vector;
  author?: string;
}

export interface Status {
  text: string;
  running: boolean;
  failed: string[];
}

export interface MeasureResult {
  kind: string;
  distance?: number | null;
  delta?: Vector | null;
  points?: Vector[] | null;
  angle?: number | null;
  axis_distance?: number | null;
  radius?: number | null;
  length?: number | null;
  area?: number | null;
  box?: Vector[] | null;
  exact: boolean;
  text: string;
}

export type Tone = "form" | "taken" | "failed";

export interface ChainLink {
  kind: "form" | "cell" | "file" | "sketchup";
  text: string;
  /** By which `open_form` leads there; null where nothing can be opened. */
  face: number | null;
}

export interface Compared {
  node_id: string;
  revisions: [number, number];
  figures: { old: string; new: string };
  parts: ("added" | "removed" | "unchanged")[];
}

/** What a session may answer; it says in its snapshot what it does. */
export type Feature = "explain" | "measure" | "selector" | "compare" | "export" | "insert" | "open_form" | "annotation" | "stop";

interface Received {
  view_id?: string;
  buffers?: BufferSpec[];
}

export type FromSession = Received &
  (
    | { type: "scene.snapshot"; nodes: NodeHead[]; status?: Status | null; annotations?: Annotation[]; features?: Feature[] }
    | { type: "mesh.update"; node: NodeHead }
    | { type: "mesh.rows"; node_id: string; digest: string; faces: FaceRow[]; edges: (EdgeRow | null)[] }
    | { type: "mesh.remove"; node_id: string; revision: number }
    | { type: "scene.reset" }
    | ({ type: "scene.status" } & Status)
    | { type: "viewer.focus"; node_id: string }
    | ({ type: "viewer.state" } & Partial<ViewerState> & {
        /** Node → whether it is seen; others stay as they are. */
        shown?: Record<string, boolean>;
        edges?: "all" | "sharp" | "none";
      })
    | { type: "viewer.screenshot.request"; request_id: string; width?: number; height?: number }
    | { type: "highlight"; node_id: string; faces: number[]; tone: Tone }
    | ({ type: "measure.result"; request_id: string } & MeasureResult)
    | { type: "selector.propose"; request_id: string; text: string; target: "edge" | "face"; count: number; insertable: boolean }
    | { type: "selection.explain.result"; request_id: string; node_id: string; chain: ChainLink[] }
    | ({ type: "compare"; request_id: string } & Compared)
    | ({ type: "proposal"; proposal_id: string; why: string } & Compared)
    | { type: "proposal.remove"; proposal_id: string }
    | { type: "annotation.set"; annotation: Annotation }
    | { type: "annotation.remove"; annotation_id: string }
    | { type: "export.result"; request_id: string; name: string; media_type: string }
    | { type: "error"; request_id?: string; error_code: string; message: string; fix: string }
  );

/** What a viewer says of itself, and what a session may set in it. */
export interface ViewerState {
  camera: CameraState;
  selection: Picked[];
  visible: string[];
  section: SectionPlane[];
  theme: "light" | "dark";
}

export type ExportFormat = "stl" | "3mf" | "step" | "glb" | "html";

export type ToSession =
  | { type: "viewer.ready"; protocol_version: string; features: string[]; has: string[]; token?: string }
  | ({ type: "viewer.state" } & ViewerState)
  | { type: "viewer.screenshot.result"; request_id: string; width: number; height: number; buffers: BufferSpec[] }
  | { type: "selection.explain"; request_id: string; node_id: string; digest: string; faces?: number[]; edges?: number[] }
  | { type: "measure"; request_id: string; a: Picked; b?: Picked }
  | { type: "selector"; request_id: string; node_id: string; digest: string; target: "edge" | "face"; indexes: number[] }
  | { type: "compare"; request_id: string; node_id: string; back: number }
  | { type: "insert"; text: string }
  | { type: "open_form"; node_id: string; digest: string; face: number; step?: ChainLink["kind"] }
  | { type: "export"; request_id: string; node_ids: string[]; format: ExportFormat }
  | { type: "stop" }
  | { type: "annotation.set"; node_id?: string; text: string; point: Vector }
  | { type: "annotation.remove"; annotation_id: string };

/** Parts of the protocol that this viewer answers. */
export const FEATURES = [
  "picking", "measure", "section", "selector", "explain", "highlight", "compare", "proposal", "annotation", "export", "screenshot",
];
