/** The viewer's whole face: toolbar, list of parts, the picture with what stands over it, panels, status line. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";

import type { Viewer } from "../viewer";
import { Cube } from "./cube";
import { PickedCard } from "./picked";
import { Toolbar } from "./toolbar";
import { ToolPanel } from "./tools";
import { Tree } from "./tree";

export function App({ viewer, onShown }: { viewer: Viewer; onShown: () => void }): JSX.Element {
  const [, draw] = useReducer((count: number, _: null) => count + 1, 0);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.prepend(viewer.stage);
    viewer.shown = () => {
      onShown();
      draw(null);
    };
    viewer.view.request();
  }, [viewer]);
  useEffect(onShown);
  const { look } = viewer.store;
  // The cube and the labels follow every frame; these would cost more than the frame.
  const [toolbar, tree, panel] = useMemo(
    () => [<Toolbar viewer={viewer} />, look.tree && <Tree viewer={viewer} />, <ToolPanel viewer={viewer} />],
    [viewer, viewer.changes],
  );
  return (
    <div class="viewer" data-theme={viewer.view.themeName} data-follows={look.theme === "auto" ? "" : undefined}>
      {toolbar}
      <div class="body">
        {tree}
        <div class="stage" ref={place}>
          <Labels viewer={viewer} />
          {look.cube && <Cube viewer={viewer} />}
          <PickedCard viewer={viewer} />
          {viewer.store.notice && <Notice viewer={viewer} />}
        </div>
        {panel}
      </div>
      <StatusLine viewer={viewer} />
    </div>
  );
}

function Labels({ viewer }: { viewer: Viewer }): JSX.Element {
  return (
    <div class="labels">
      {viewer.labels.map((label) => (
        <div class={`label ${label.kind}`} key={label.key} style={{ transform: `translate(${label.x}px, ${label.y}px)` }}>
          <span>{label.text}</span>
          {label.kind === "annotation" && viewer.can("annotation") && (
            <button type="button" aria-label={`Remove the note ${label.text}`} onClick={() => viewer.removeAnnotation(label.key)}>
              ×
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

function Notice({ viewer }: { viewer: Viewer }): JSX.Element {
  return (
    <div class="notice" role="alert">
      <span>{viewer.store.notice}</span>
      <button type="button" aria-label="Close the message" onClick={() => viewer.store.say("")}>
        ×
      </button>
    </div>
  );
}

function StatusLine({ viewer }: { viewer: Viewer }): JSX.Element {
  const { status } = viewer.store;
  return (
    <footer class="status">
      <span class="what" role="status" aria-live="polite">
        {viewer.line || "Point at a face, an edge or a part."}
      </span>
      <span class="session">{status.text}</span>
      {status.running && viewer.can("stop") && (
        <button type="button" onClick={() => viewer.stop()}>
          Stop
        </button>
      )}
    </footer>
  );
}
