/** What can be done with what is picked: where it comes from, a selector for it, notes. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { ChainLink, Feature, Picked } from "../protocol";
import type { Viewer } from "../viewer";

/** Without any of these there is nothing to show. */
const OFFERED: Feature[] = ["selector", "open_form", "annotation", "explain"];

export function PickedCard({ viewer }: { viewer: Viewer }): JSX.Element | null {
  const { selection, chain, selector } = viewer.store;
  const last = selection.at(-1);
  if (!last || !OFFERED.some((feature) => viewer.can(feature))) return null;
  const selectable = last.kind === "face" || last.kind === "edge";
  return (
    <section class="about" aria-label="What is picked">
      {chain && chain.node_id === last.node_id && <Chain links={chain.links} viewer={viewer} />}
      <div class="actions">
        {selectable && !selector && viewer.can("selector") && (
          <button type="button" onClick={() => viewer.askSelector()}>
            Selector
          </button>
        )}
        {last.kind === "face" && viewer.can("open_form") && (
          <button type="button" onClick={() => viewer.openForm()}>
            Go to its form
          </button>
        )}
        {viewer.can("annotation") && <Note viewer={viewer} />}
      </div>
      {selector && <SelectorRow viewer={viewer} pick={last} />}
    </section>
  );
}

function Chain({ links, viewer }: { links: ChainLink[]; viewer: Viewer }): JSX.Element {
  return (
    <ol class="chain" aria-label="Where it comes from">
      {links.map((link) => (
        <li key={`${link.kind}${link.text}`}>
          {link.face === null ? (
            link.text
          ) : (
            <button type="button" class="link" onClick={() => viewer.follow(link)}>
              {link.text}
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

function SelectorRow({ viewer, pick }: { viewer: Viewer; pick: Picked }): JSX.Element | null {
  const [radius, setRadius] = useState(2);
  const selector = viewer.store.selector;
  if (!selector) return null;
  const insertable = selector.insertable && viewer.can("insert");
  // A body of a scene has no name that a cell could use, and an instance is called as its part is.
  const name = pick.node_id.split("#")[0] as string;
  return (
    <div class="selector">
      <code>{selector.text}</code>
      <p class="hint">selects {selector.count === 1 ? `this ${selector.target}` : `these ${selector.count} ${selector.target}s`}, and no other</p>
      <div class="actions">
        <button type="button" onClick={() => void viewer.copyText(selector.text)}>
          Copy
        </button>
        {insertable && (
          <button type="button" onClick={() => viewer.insert(selector.text)}>
            Insert at the cursor
          </button>
        )}
        {insertable && selector.target === "edge" && !name.includes("/") && (
          <>
            <label>
              r <input type="number" min="0" step="any" value={radius} onInput={(event) => setRadius(event.currentTarget.valueAsNumber)} />
            </label>
            <button type="button" disabled={!(radius > 0)} onClick={() => viewer.insert(`[fillet-at ${radius} ${selector.text} ${name}]`)}>
              Fillet these…
            </button>
          </>
        )}
      </div>
    </div>
  );
}

function Note({ viewer }: { viewer: Viewer }): JSX.Element {
  const [text, setText] = useState<string | null>(null);
  if (text === null) {
    return (
      <button type="button" onClick={() => setText("")}>
        Add a note
      </button>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        viewer.annotate(text);
        setText(null);
      }}
    >
      <input aria-label="Note" placeholder="Note" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit">Add</button>
    </form>
  );
}
