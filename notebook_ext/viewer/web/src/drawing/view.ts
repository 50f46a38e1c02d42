/**
 * The picture: renderer, scene and camera, drawn when something has changed and at no other time.
 *
 * Reads the store, never changes it. Knows no panels and no messages.
 */

import * as THREE from "three";

import { figure } from "../describing";
import type { Annotation, CameraState, Picked, Vector } from "../protocol";
import type { Filter, Store, Topic } from "../store";
import { Camera } from "./camera";
import { Ground } from "./ground";
import { Marks } from "./marks";
import { Parts, type DrawnPart } from "./parts";
import { pick, within, type Eye, type Rectangle } from "./picking";
import { Caps, clippingPlanes } from "./section";
import { THEMES, surroundingTheme, watchTheme, type Theme, type ThemeName } from "./themes";

/** Degrees per second of the turntable. */
const TURNING = 30;
/** Milliseconds of rest after which a coarse picture is made fine, at least, and what that may cost to be done at once. */
const REST = 200;
const AT_ONCE = 90;
/** Above this many triangles what picking needs is made while nothing else happens, before anybody points. */
const PREPARED_FROM = 20_000;

export interface PlacedLabel {
  key: string;
  kind: "dimension" | "annotation";
  text: string;
  x: number;
  y: number;
}

export class View {
  readonly canvas = document.createElement("canvas");
  readonly camera: Camera;
  readonly parts: Parts;
  frames = 0;
  /** Called after each frame, with what stands over the picture. */
  drawn: (labels: PlacedLabel[]) => void = () => {};
  /** Called when the graphics card took everything away, and when it is back. */
  lost: (lost: boolean) => void = () => {};
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly ground = new Ground();
  private readonly pixelRatio = { value: 1 };
  private readonly marks = new Marks(this.pixelRatio);
  private readonly caps = new Caps();
  private readonly resolution = new THREE.Vector2(1, 1);
  private readonly clock = new THREE.Timer();
  /** Whether a processor draws: it has no smoothing to give away, so pictures are coarse while they move. */
  private readonly slow = drawnByProcessor();
  private readonly fine: number;
  private coarse = false;
  /** Whether edges or outlines are left out until the picture rests; and whether there are parts not yet drawn. */
  private spared = false;
  private fresh = false;
  private resting: ReturnType<typeof setTimeout> | null = null;
  private fineCost = 0;
  private readonly stale = { parts: true, marks: true, caps: true };
  private readonly endings: (() => void)[] = [];
  private pending = 0;
  /** Whether there was ever something to fit. */
  private fitted = false;
  /** Whether the camera is still where fitting has put it: then it goes along with what there is, and with the panel. */
  private fits = false;
  private width = 1;
  private height = 1;
  private exploded = 0;
  /** Parts of the scene whose meshes are still on their way: the first content is not there before. */
  private awaited = 0;
  private gone = false;

  constructor(
    private readonly store: Store,
    private readonly container: HTMLElement,
  ) {
    this.renderer = new THREE.WebGLRenderer({
      canvas: this.canvas, alpha: true, antialias: !this.slow, stencil: true, powerPreference: "high-performance",
    });
    this.renderer.localClippingEnabled = true;
    // Twice as many pixels smooth as well as samples do, and only where the picture stands still.
    this.fine = this.slow ? 2 : Math.min(devicePixelRatio, 2);
    this.renderer.setPixelRatio(this.fine);
    this.canvas.tabIndex = 0;
    container.append(this.canvas);
    this.camera = new Camera(this.canvas);
    this.parts = new Parts(store, this.resolution);
    this.scene.add(this.ground.group, this.parts.group, this.caps.group, this.marks.group);
    for (const event of ["control", "wake", "transitionstart"] as const) {
      this.camera.controls.addEventListener(event, () => this.request());
    }
    this.camera.controls.addEventListener("control", () => (this.fits = false));
    this.endings.push(store.subscribe((topic) => this.noticed(topic)), watchTheme(() => this.noticed("look")));
    const resized = new ResizeObserver(() => this.resize());
    resized.observe(container);
    this.endings.push(() => resized.disconnect());
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.gone = true;
      this.lost(true);
    });
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.gone = false;
      this.lost(false);
      this.noticed("nodes");
    });
    this.resize();
  }

  get themeName(): ThemeName {
    const chosen = this.store.look.theme;
    return chosen === "auto" ? surroundingTheme() : chosen;
  }

  get theme(): Theme {
    return THEMES[this.themeName];
  }

  get eye(): Eye {
    return { camera: this.camera, width: this.width, height: this.height };
  }

  /** Whether nothing is left to be drawn. */
  get settled(): boolean {
    return this.frames > 0 && !this.pending && !this.coarse && !this.spared;
  }

  /** Draw soon. */
  request(): void {
    if (this.pending || this.gone) return;
    this.pending = requestAnimationFrame(() => this.frame());
  }

  pick(x: number, y: number, filter: Filter = this.store.look.filter): Picked | null {
    this.bringUpToDate();
    return pick(x, y, this.parts.visible(), clippingPlanes(this.store.sections), this.eye, filter);
  }

  within(rectangle: Rectangle, touching: boolean, filter: Filter): Picked[] {
    this.bringUpToDate();
    return within(rectangle, touching, this.parts.visible(), this.eye, filter);
  }

  fit(animated = true): void {
    this.bringUpToDate();
    this.camera.fit(this.parts.box(), animated);
    this.fits = true;
    this.request();
  }

  /** Fit what is selected; everything where nothing is. */
  fitSelection(): void {
    const box = new THREE.Box3();
    for (const picked of this.store.selection) {
      const part = this.parts.drawn.get(picked.node_id);
      if (part) box.union(boxOf(part, picked));
    }
    if (box.isEmpty()) return this.fit();
    // An edge or a vertex has no size of its own to fit.
    const least = 0.02 * this.parts.box().getSize(new THREE.Vector3()).length();
    box.expandByVector(new THREE.Vector3().setScalar(least / 2));
    this.camera.fit(box);
    this.fits = false;
    this.request();
  }

  /** Where a point of the scene is seen, in CSS pixels. */
  place(point: Vector): THREE.Vector3 {
    return this.camera.project(new THREE.Vector3(...point), this.width, this.height);
  }

  /** The box around all that is seen; null where nothing is. */
  bounds(): [Vector, Vector] | null {
    this.bringUpToDate();
    const box = this.parts.box();
    return box.isEmpty() ? null : [box.min.toArray() as Vector, box.max.toArray() as Vector];
  }

  /** Look at what comes next as at what comes first. */
  begin(): void {
    this.fitted = this.fits = false;
  }

  setCamera(state: CameraState): void {
    this.fitted = true;
    this.fits = false;
    this.camera.restore(state);
    this.request();
  }

  /** The view as it is, or in another size, as PNG; only the scene, without panels. */
  async screenshot(size?: { width: number; height: number }): Promise<{ png: Blob; width: number; height: number }> {
    this.bringUpToDate();
    this.spared = this.parts.sparing(false);
    this.setCoarse(false);
    if (size) {
      // Made twice as large and then smaller, for smoothness that does not hang on the graphics card.
      this.renderer.setPixelRatio(2);
      this.measure(size.width, size.height);
    }
    this.render();
    const picture = this.overBackground(size?.width ?? this.canvas.width, size?.height ?? this.canvas.height);
    if (size) {
      this.renderer.setPixelRatio(this.fine);
      this.resize();
    }
    const png = await new Promise<Blob>((resolve, reject) =>
      picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser made no picture"))), "image/png"),
    );
    return { png, width: picture.width, height: picture.height };
  }

  dispose(): void {
    cancelAnimationFrame(this.pending);
    if (this.resting) clearTimeout(this.resting);
    this.gone = true;
    for (const end of this.endings) end();
    this.caps.dispose();
    this.marks.dispose();
    this.ground.dispose();
    this.parts.dispose();
    this.camera.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.remove();
  }

  private noticed(topic: Topic): void {
    if (topic === "nodes") this.fresh = true;
    if (topic === "answers") this.stale.marks = true;
    else if (topic === "panel" || topic === "status") return;
    else if (topic === "hover" || topic === "selection") {
      this.stale.marks = true;
      this.stale.parts = true;
    } else if (topic === "marks") {
      this.stale.marks = true;
      this.stale.parts = true;
    } else {
      this.stale.parts = true;
      this.stale.marks = true;
      this.stale.caps = true;
    }
    this.request();
  }

  private frame(): void {
    this.pending = 0;
    this.clock.update();
    const seconds = Math.min(this.clock.getDelta(), 0.1);
    this.bringUpToDate();
    if (this.store.turning) void this.camera.controls.rotate((TURNING * seconds * Math.PI) / 180, 0, false);
    const moving = this.camera.update(seconds) || this.store.turning;
    this.spared = this.parts.sparing(this.slow && (moving || this.fresh));
    this.fresh = false;
    this.draw(this.slow && (moving || this.fineCost > AT_ONCE));
    if (moving) this.request();
    else if (this.coarse || this.spared) this.rest();
    this.drawn(this.labels());
  }

  private bringUpToDate(): void {
    const { store, theme, stale } = this;
    const planes = clippingPlanes(store.sections);
    if (stale.parts) {
      stale.parts = false;
      this.parts.reconcile(theme, planes);
      if (store.look.projection !== this.camera.projection) this.camera.projection = store.look.projection;
      const box = this.parts.box();
      this.ground.rebuild(box, theme, store.look);
      const sphere = box.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 100) : box.getBoundingSphere(new THREE.Sphere());
      // The ground reaches beyond the parts.
      sphere.radius = Math.max(sphere.radius * 2.5 + sphere.center.length(), 1e-3);
      this.camera.enclosing(sphere);
      this.container.style.background = `linear-gradient(${theme.sky.join()})`;
      if (!this.fitted && !box.isEmpty() && this.width > 1) {
        this.fitted = this.fits = true;
        this.camera.fit(box, false);
      } else if (this.fits && (this.awaited > 0 || store.explode.amount !== this.exploded)) {
        this.camera.fit(box, false);
      }
      this.exploded = store.explode.amount;
      this.awaited = store.visible().filter((node) => store.meshOf(node) === null).length;
      this.preparePicking();
    }
    if (stale.caps) {
      stale.caps = false;
      this.caps.rebuild(this.parts.visible().filter((part) => part.node.faces && !part.surface.material.transparent), planes, theme);
    }
    if (stale.marks) {
      stale.marks = false;
      this.marks.rebuild(store, this.parts, theme, planes);
    }
  }

  /** Make the picture fine when nothing has moved for a while. */
  private rest(): void {
    if (this.resting) clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (this.pending || this.gone) return;
      const start = performance.now();
      this.spared = this.parts.sparing(false);
      this.draw();
      // What is asked for last is answered last: all of it is drawn then.
      const gl = this.renderer.getContext();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      this.fineCost = performance.now() - start;
      this.drawn(this.labels());
      // Who goes on pointing in the meantime waits for it; so it takes as long a rest as it takes itself.
    }, Math.max(REST, this.fineCost));
  }

  private draw(coarse = false): void {
    this.setCoarse(coarse);
    this.render();
  }

  private setCoarse(coarse: boolean): void {
    if (!this.slow || coarse === this.coarse) return;
    this.coarse = coarse;
    this.renderer.setPixelRatio(coarse ? 1 : this.fine);
  }

  private render(): void {
    if (this.gone) return;
    this.pixelRatio.value = this.renderer.getPixelRatio();
    this.caps.scale(this.camera.height / this.height);
    this.renderer.render(this.scene, this.camera.camera);
    this.frames += 1;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (width < 2 || height < 2) return;
    this.measure(width, height);
    if (!this.fitted) this.stale.parts = true;
    if (this.fits) this.camera.fit(this.parts.box(), false);
    // In the same frame: a canvas that is resized is empty until it is drawn.
    if (this.frames > 0) this.draw(this.slow);
    this.request();
  }

  private measure(width: number, height: number): void {
    [this.width, this.height] = [width, height];
    this.renderer.setSize(width, height);
    this.resolution.set(width, height);
    this.camera.resize(width, height);
  }

  /** The canvas as it was just drawn, with what the page shows behind it. */
  private overBackground(width: number, height: number): HTMLCanvasElement {
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [width, height];
    const context = picture.getContext("2d") as CanvasRenderingContext2D;
    context.imageSmoothingQuality = "high";
    const gradient = context.createLinearGradient(0, 0, 0, height);
    gradient.addColorStop(0, this.theme.sky[0]);
    gradient.addColorStop(1, this.theme.sky[1]);
    context.fillStyle = gradient;
    context.fillRect(0, 0, width, height);
    context.drawImage(this.canvas, 0, 0, width, height);
    return picture;
  }

  private preparePicking(): void {
    const large = this.parts.visible().filter(({ shape, node }) => !shape.isPrepared(node.rows) && shape.mesh.indices.length / 3 > PREPARED_FROM);
    const idle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 200));
    for (const { shape, node } of large) idle(() => shape.prepare(node.rows));
  }

  private labels(): PlacedLabel[] {
    const labels: PlacedLabel[] = [];
    const place = (key: string, kind: PlacedLabel["kind"], text: string, at: Vector): void => {
      const { x, y } = this.place(at);
      if (x >= 0 && y >= 0 && x <= this.width && y <= this.height) labels.push({ key, kind, text, x, y });
    };
    const measured = this.store.measured;
    const [from, to] = measured?.points ?? [];
    if (measured && from && to) {
      const middle = from.map((value, axis) => (value + to[axis]!) / 2) as Vector;
      const away = measured.distance == null ? measured.text : `${measured.exact ? "" : "≈ "}${figure(measured.distance)} mm`;
      place("measured", "dimension", away, middle);
    }
    for (const annotation of this.store.annotations.values()) {
      if (this.shows(annotation)) place(annotation.annotation_id, "annotation", annotation.text, annotation.point);
    }
    return labels;
  }

  private shows(annotation: Annotation): boolean {
    const node = annotation.node_id ? this.store.nodes.get(annotation.node_id) : undefined;
    return node ? node.visible : true;
  }
}

/** Whether the browser draws without a graphics card; asked once, with a context that is given back. */
function drawnByProcessor(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** The box around a picked thing, where it stands. */
function boxOf(part: DrawnPart, picked: Picked): THREE.Box3 {
  const rows = part.node.rows;
  if (picked.kind === "face" && rows) {
    const { positions } = part.shape.mesh;
    const box = new THREE.Box3();
    const point = new THREE.Vector3();
    for (const vertex of part.shape.cornersOf(picked.index, rows)) {
      box.expandByPoint(point.fromArray(positions, 3 * vertex).applyMatrix4(part.group.matrixWorld));
    }
    return box;
  }
  if (picked.kind === "edge" && rows) {
    const points = Array.from(rows.lines.subarray(3 * (rows.lineStarts[picked.index] ?? 0), 3 * (rows.lineStarts[picked.index + 1] ?? 0)));
    return new THREE.Box3().setFromArray(points).applyMatrix4(part.group.matrixWorld);
  }
  if (picked.kind === "vertex") return new THREE.Box3().setFromPoints([new THREE.Vector3(...picked.point)]);
  return part.box();
}
