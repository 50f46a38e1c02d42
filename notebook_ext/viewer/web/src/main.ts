/**
 * The viewer in its three places: an anywidget in a notebook, a page of the gateway, a file without anything.
 *
 * Each makes a carrier and mounts the same viewer; a file carries its messages in itself and mounts on loading.
 */

import { h, render as renderTree } from "preact";

import { App } from "./panels/app";
import { listen } from "./panels/pointing";
import css from "./panels/viewer.css?inline";
import type { FromSession, ToSession } from "./protocol";
import { EMBEDDED, FileTransport } from "./transport/file";
import { relayOf, SocketTransport } from "./transport/socket";
import type { Transport } from "./transport/transport";
import { WidgetTransport, type Model } from "./transport/widget";
import { Viewer, type Options } from "./viewer";

/** The height of a view that nothing around gives one. */
const OWN_HEIGHT = "480px";
/** Under which a viewer keeps what its user chose. */
const KEY = "vcad-viewer";

interface Mounted {
  viewer: Viewer;
  unmount(): void;
}

/** Where a viewer was put, with what tests and scripts may ask of it. */
interface Root extends HTMLElement {
  vcadViewer?: Viewer;
}

function mount(el: HTMLElement, transport: Transport, options: { inNotebook: () => boolean; alone?: boolean } & Pick<Options, "storage">): Mounted {
  const root: Root = document.createElement("div");
  root.className = "vcad-viewer";
  // JupyterLab's own shortcuts would take the keys first.
  root.dataset["lmSuppressShortcuts"] = "true";
  root.setAttribute("role", "application");
  root.setAttribute("aria-label", "Viewer of parts");
  root.style.cssText = "display:block;position:relative;width:100%;height:100%";
  el.append(root);
  const shadow = root.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets = [sheet];
  const viewer = new Viewer({ transport, ...(options.storage ? { storage: options.storage } : {}) });
  if (root.clientWidth < 620) viewer.store.setLook({ tree: false });
  root.vcadViewer = viewer;
  let focused: EventTarget | undefined;
  shadow.addEventListener("focusin", (event) => (focused = event.composedPath()[0]));
  const onShown = (): void => {
    root.dataset["state"] = JSON.stringify(viewer.state);
    // A button that went away with what it was about leaves no focus behind, and keys would go nowhere.
    if (!(focused instanceof Element) || focused.isConnected || document.activeElement !== document.body) return;
    viewer.view.canvas.focus({ preventScroll: true });
  };
  renderTree(h(App, { viewer, onShown }), shadow);
  const deaf = listen(viewer, options.alone ? document : root, { wheelWaits: options.inNotebook });
  return {
    viewer,
    unmount: () => {
      deaf();
      renderTree(null, shadow);
      viewer.dispose();
      root.remove();
    },
  };
}

/** In a notebook: anywidget calls this for each view of the widget. */
function render({ model, el }: { model: Model & { get?(name: string): unknown }; el: HTMLElement }): () => void {
  Object.assign(el.style, { height: OWN_HEIGHT, overflow: "hidden" });
  const docked = (): boolean => el.closest(".vcad-live-dock, .jp-LinkedOutputView") !== null;
  // Not before it is on the page, which it is after this call.
  requestAnimationFrame(() => (el.style.resize = docked() ? "" : "vertical"));
  const transport = new WidgetTransport(model, newViewId());
  // A view beside the notebook has a camera and a list of its own, and is not there after a reload.
  const storage = reloaded(model.get?.("scene_id"), () => (docked() ? "docked" : "below"));
  const { viewer, unmount } = mount(el, transport, {
    ...(storage ? { storage } : {}),
    // In a place of its own there is nothing else to scroll.
    inNotebook: () => !docked(),
  });
  viewer.start();
  transport.send(viewer.ready());
  return unmount;
}

/** On a page of the gateway; relay: the WebSocket's address, relative to the page's. */
export function mountPage(el: HTMLElement, { relay = "relay" }: { relay?: string } = {}): Viewer {
  const { address, token } = relayOf(location, relay);
  const socket = new SocketTransport(address, newViewId(), (): ToSession => mounted.viewer.ready(token));
  const mounted = mount(el, socket, { inNotebook: () => false, alone: true, storage: { kept: localStorage, key: () => KEY } });
  mounted.viewer.start();
  return mounted.viewer;
}

/** In a file, which has no session: everything is in its messages. */
export function mountFile(el: HTMLElement, messages: readonly FromSession[]): Viewer {
  const { viewer } = mount(el, new FileTransport(messages), { inNotebook: () => false, alone: true });
  viewer.start();
  return viewer;
}

/** What a notebook's page keeps for a scene while its tab is open; nothing where the page may not, as in a sandboxed frame. */
function reloaded(scene: unknown, place: () => string): Options["storage"] {
  try {
    return typeof scene === "string" && scene !== "" ? { kept: sessionStorage, key: () => `${KEY}-${scene}-${place()}` } : undefined;
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** crypto.randomUUID is not there on a page of plain http, as some hubs serve. */
function newViewId(): string {
  return crypto.getRandomValues(new Uint32Array(3)).join("-");
}

const messages = document.querySelector(EMBEDDED);
if (messages) {
  const el = document.getElementById("vcad-viewer") ?? document.body;
  mountFile(el, JSON.parse(messages.textContent ?? "[]") as FromSession[]);
}

export default { render };
