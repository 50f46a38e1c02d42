/** Mouse, touch and keys over the picture: what is hovered, picked, drawn around, and when the wheel zooms. */

import { commandOf } from "../commands";
import type { Viewer } from "../viewer";

/** CSS pixels that a click may move. */
const STILL = 4;
/** Degrees that an arrow key turns. */
const TURN = 15;

export interface PointingOptions {
  /** Whether the wheel scrolls the page until the view was clicked: it stands in a notebook. */
  wheelWaits: () => boolean;
}

export function listen(viewer: Viewer, root: HTMLElement, { wheelWaits }: PointingOptions): () => void {
  const { stage, view, store } = viewer;
  const canvas = view.canvas;
  let pressed: { x: number; y: number; button: number; moved: boolean } | null = null;
  let band: HTMLElement | null = null;
  let waiting: { x: number; y: number } | null = null;
  let taken = false;

  const at = (event: MouseEvent): { x: number; y: number } => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  /** Once per frame, however often the mouse reports. */
  const hover = (): void => {
    const place = waiting;
    waiting = null;
    if (place) store.setHover(view.pick(place.x, place.y));
  };
  const down = (event: PointerEvent): void => {
    if (event.composedPath()[0] !== canvas) return;
    taken = true;
    canvas.focus({ preventScroll: true });
    pressed = { ...at(event), button: event.button, moved: false };
    if (event.button === 0 && (event.ctrlKey || event.metaKey)) {
      // Ours, not the camera's.
      event.stopImmediatePropagation();
      canvas.setPointerCapture(event.pointerId);
      band = document.createElement("div");
      band.className = "band";
      stage.append(band);
    }
  };
  const move = (event: PointerEvent): void => {
    const place = at(event);
    if (pressed) {
      pressed.moved ||= Math.hypot(place.x - pressed.x, place.y - pressed.y) > STILL;
      if (band) drawBand(band, pressed, place);
      return;
    }
    if (event.pointerType === "touch" || event.composedPath()[0] !== canvas) return;
    if (waiting === null) requestAnimationFrame(hover);
    waiting = place;
  };
  const up = (event: PointerEvent): void => {
    const start = pressed;
    pressed = null;
    if (!start) return;
    const place = at(event);
    if (band) {
      band.remove();
      band = null;
      if (start.moved) {
        const rectangle = {
          left: Math.min(start.x, place.x), right: Math.max(start.x, place.x), top: Math.min(start.y, place.y), bottom: Math.max(start.y, place.y),
        };
        const kind = store.look.filter === "face" || store.look.filter === "edge" ? store.look.filter : "part";
        viewer.chooseAll(view.within(rectangle, place.x < start.x, kind), event.shiftKey);
        return;
      }
    }
    if (start.button === 0 && !start.moved) viewer.choose(place.x, place.y, event.shiftKey || event.ctrlKey || event.metaKey);
  };
  const leave = (): void => {
    waiting = null;
    store.setHover(null);
  };
  const wheel = (event: WheelEvent): void => {
    if (taken || event.ctrlKey || event.metaKey || !wheelWaits()) return;
    // Kept from the camera, so that the page scrolls.
    event.stopImmediatePropagation();
  };
  const key = (event: KeyboardEvent): void => {
    const target = event.composedPath()[0];
    if (target instanceof HTMLInputElement && target.type !== "range" && target.type !== "checkbox") return;
    if (event.key === "Escape") taken = false;
    if (!(target instanceof HTMLInputElement) && steer(viewer, event)) {
      event.preventDefault();
      return;
    }
    const command = commandOf(event);
    if (!command || (command.needs && !viewer.can(command.needs))) return;
    event.preventDefault();
    event.stopPropagation();
    command.run(viewer);
  };
  const twice = (event: MouseEvent): void => {
    if (event.composedPath()[0] === canvas) view.fitSelection();
  };

  // Before camera-controls, which listens on the canvas itself.
  stage.addEventListener("pointerdown", down, { capture: true });
  stage.addEventListener("pointermove", move);
  // A button may be let go of anywhere.
  document.addEventListener("pointerup", up);
  stage.addEventListener("pointerleave", leave);
  stage.addEventListener("wheel", wheel, { capture: true, passive: true });
  stage.addEventListener("dblclick", twice);
  root.addEventListener("keydown", key);
  return () => {
    document.removeEventListener("pointerup", up);
    root.removeEventListener("keydown", key);
  };
}

function drawBand(band: HTMLElement, from: { x: number; y: number }, to: { x: number; y: number }): void {
  band.classList.toggle("touching", to.x < from.x);
  Object.assign(band.style, {
    left: `${Math.min(from.x, to.x)}px`, top: `${Math.min(from.y, to.y)}px`,
    width: `${Math.abs(to.x - from.x)}px`, height: `${Math.abs(to.y - from.y)}px`,
  });
}

const ARROWS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Turn, move or zoom by a key; whether it was one. */
function steer({ view }: Viewer, event: KeyboardEvent): boolean {
  const { controls } = view.camera;
  const arrow = ARROWS[event.key];
  if (arrow && event.shiftKey) {
    const step = view.camera.height / 12;
    void controls.truck(arrow[0] * step, arrow[1] * step, true);
  } else if (arrow) {
    void controls.rotate((arrow[0] * TURN * Math.PI) / 180, (arrow[1] * TURN * Math.PI) / 180, true);
  } else if (event.key === "+" || event.key === "=" || event.key === "-") {
    view.camera.zoomBy(event.key === "-" ? 1 / 1.25 : 1.25);
  } else {
    return false;
  }
  view.request();
  return true;
}
