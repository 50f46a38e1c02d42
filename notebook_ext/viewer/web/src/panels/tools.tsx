/** The panel beside the picture: measuring, cutting, exploding, comparing, downloading, the help sheet. */

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

import { GROUPS, useful } from "../commands";
import { describe, figure } from "../describing";
import type { ExportFormat, Vector } from "../protocol";
import type { ExplodeAxis, Section } from "../store";
import type { Viewer } from "../viewer";
import { Icon } from "./icons";

interface Props {
  viewer: Viewer;
}

export function ToolPanel({ viewer }: Props): JSX.Element | null {
  switch (viewer.store.panel) {
    case "measure":
      return <Measure viewer={viewer} />;
    case "section":
      return <Sections viewer={viewer} />;
    case "explode":
      return <Explode viewer={viewer} />;
    case "compare":
      return <Compare viewer={viewer} />;
    case "export":
      return <Downloads viewer={viewer} />;
    case "help":
      return <Help viewer={viewer} />;
    case "none":
      return null;
  }
}

function Frame({ viewer, title, children }: Props & { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <aside class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="tool" aria-label={`Close ${title}`} onClick={() => viewer.store.setPanel("none")}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </aside>
  );
}

function Measure({ viewer }: Props): JSX.Element {
  const { measured, selection, nodes } = viewer.store;
  const [low, high] = measured?.box ?? [];
  const vector = (value: Vector): string => value.map(figure).join(", ");
  return (
    <Frame viewer={viewer} title="Measure">
      <p class="hint">Pick one thing for its size, or two (the second with Shift) for what is between them.</p>
      <ol class="picks">
        {selection.slice(-2).map((pick) => {
          const node = nodes.get(pick.node_id);
          return node && <li key={`${pick.node_id}${pick.kind}${pick.index}`}>{describe(pick, node)}</li>;
        })}
      </ol>
      {measured && (
        <p class="main" aria-live="polite">
          {measured.text}
        </p>
      )}
      {measured && (
        <dl class="figures">
          {measured.distance != null && <Figure name="distance" value={`${figure(measured.distance)} mm`} />}
          {measured.delta && <Figure name="along x, y, z" value={`${vector(measured.delta)} mm`} />}
          {measured.angle != null && <Figure name="angle" value={`${figure(measured.angle)}°`} />}
          {measured.axis_distance != null && <Figure name="between axes" value={`${figure(measured.axis_distance)} mm`} />}
          {measured.length != null && <Figure name="length" value={`${figure(measured.length)} mm`} />}
          {measured.area != null && <Figure name="area" value={`${figure(measured.area)} mm²`} />}
          {low && high && <Figure name="box" value={`${low.map((value, axis) => figure(high[axis]! - value)).join(" × ")} mm`} />}
          {measured.radius != null && <Figure name="radius" value={`${figure(measured.radius)} mm`} />}
          <Figure name="from" value={measured.exact ? "the exact body" : "the mesh (≈)"} />
        </dl>
      )}
    </Frame>
  );
}

function Figure({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function Sections({ viewer }: Props): JSX.Element {
  return (
    <Frame viewer={viewer} title="Section">
      {viewer.store.sections.map((section) => (
        <SectionRow key={section.key} section={section} viewer={viewer} />
      ))}
      <button type="button" class="wide" onClick={() => viewer.sectionAtFace()}>
        Section at the picked face
      </button>
    </Frame>
  );
}

function SectionRow({ section, viewer }: Props & { section: Section }): JSX.Element {
  const [low, high] = viewer.rangeOf(section);
  const name = section.key === "face" ? "face" : section.key.toUpperCase();
  const set = (at: number): void => {
    if (Number.isFinite(at)) viewer.store.setSection(section.key, { at, on: true });
  };
  return (
    <fieldset class={`section ${section.key}`}>
      <label>
        <input type="checkbox" checked={section.on} onChange={() => viewer.switchSection(section.key)} /> {name}
      </label>
      <input
        type="range" aria-label={`Section ${name}`} min={low} max={high} step={(high - low) / 400} value={section.at}
        onInput={(event) => set(event.currentTarget.valueAsNumber)}
      />
      <Length label={`Section ${name}, millimetres`} value={section.at} set={set} />
      <button
        type="button" class="flip" aria-pressed={section.flipped} aria-label={`Other side of section ${name}`} title="Other side"
        onClick={() => viewer.store.setSection(section.key, { flipped: !section.flipped })}
      >
        ⇄
      </button>
    </fieldset>
  );
}

/** A number to type, mm. What is being typed stays, whatever else changes meanwhile, until it is entered or left. */
function Length({ label, value, set }: { label: string; value: number; set(value: number): void }): JSX.Element {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      type="number" aria-label={label} step="any" value={typed ?? figure(value)}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={(event) => {
        set(event.currentTarget.valueAsNumber);
        setTyped(null);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

const EXPLODED: [ExplodeAxis, string][] = [
  ["middle", "from the middle"], ["assembly", "group by group"], ["x", "along X"], ["y", "along Y"], ["z", "along Z"],
];

function Explode({ viewer }: Props): JSX.Element {
  const { axis, amount } = viewer.store.explode;
  return (
    <Frame viewer={viewer} title="Explode">
      <label class="line">
        Amount
        <input
          type="range" min="0" max="1" step="0.01" value={amount}
          onInput={(event) => viewer.store.setExplode({ amount: event.currentTarget.valueAsNumber })}
        />
      </label>
      <div class="choices" role="radiogroup" aria-label="Direction">
        {EXPLODED.map(([id, text]) => (
          <button type="button" role="radio" aria-checked={axis === id} key={id} onClick={() => viewer.store.setExplode({ axis: id })}>
            {text}
          </button>
        ))}
      </div>
    </Frame>
  );
}

function Compare({ viewer }: Props): JSX.Element {
  const { store } = viewer;
  const [back, setBack] = useState(1);
  const { comparison } = store;
  const id = comparison?.node_id ?? viewer.targets()[0];
  const ask = (count: number): void => {
    if (!(count >= 1 && count <= 20)) return;
    setBack(count);
    if (id) viewer.askCompare(id, count);
  };
  return (
    <Frame viewer={viewer} title={comparison?.proposal ? "Proposal" : "What changed"}>
      {comparison?.proposal && (
        <p class="hint">
          <strong>{comparison.node_id}</strong>: {comparison.proposal.why} <em>Take it or not where it is asked, in the notebook.</em>
        </p>
      )}
      {!comparison?.proposal && (
        <label class="line">
          Revisions back
          <input type="number" min="1" max="20" value={back} onChange={(event) => ask(event.currentTarget.valueAsNumber)} />
          <button type="button" onClick={() => ask(back)}>
            Compare
          </button>
        </label>
      )}
      {comparison && (
        <>
          <table class="compared">
            <thead>
              <tr>
                <th>{comparison.proposal ? "now" : `before (${comparison.revisions[0]})`}</th>
                <th>{comparison.proposal ? "proposed" : `after (${comparison.revisions[1]})`}</th>
              </tr>
            </thead>
            <tbody>
              <tr>
                <td>{comparison.figures.old}</td>
                <td>{comparison.figures.new}</td>
              </tr>
            </tbody>
          </table>
          <p class="legend">
            <span class="added">added</span> <span class="removed">removed</span> <span class="unchanged">unchanged</span>
          </p>
          <button type="button" class="wide" onClick={() => store.compare(null)}>
            Show the part again
          </button>
        </>
      )}
    </Frame>
  );
}

const FORMATS: [ExportFormat, string][] = [
  ["stl", "STL, triangles for printing"], ["3mf", "3MF, triangles with colours"], ["step", "STEP, the exact body"],
  ["glb", "GLB, for pictures and games"], ["html", "HTML, this viewer as one file"],
];

function Downloads({ viewer }: Props): JSX.Element {
  const count = viewer.targets().length;
  const formats = viewer.can("export") ? FORMATS : FORMATS.slice(0, 1);
  return (
    <Frame viewer={viewer} title="Download">
      <p class="hint">{viewer.store.selection.length > 0 ? "What is picked" : "All that is shown"}: {count === 1 ? "1 part" : `${count} parts`}.</p>
      {formats.map(([format, text]) => (
        <button type="button" class="wide" key={format} data-format={format} onClick={() => viewer.download(format)}>
          {text}
        </button>
      ))}
      <button type="button" class="wide" data-format="png" onClick={() => viewer.download("png")}>
        PNG, the picture
      </button>
    </Frame>
  );
}

const MOUSE: [string, string][] = [
  ["drag", "turn"], ["right or middle drag", "move"], ["wheel", "zoom to the pointer"], ["click", "pick"], ["Shift + click", "pick several"],
  ["Ctrl + drag", "pick all in a rectangle; leftwards also what it touches"], ["double click", "zoom to what is picked"],
  ["arrows", "turn; with Shift move"], ["+ and −", "zoom"],
];

function Help({ viewer }: Props): JSX.Element {
  return (
    <Frame viewer={viewer} title="Keys and mouse">
      <div class="help">
        <h3>Mouse and arrows</h3>
        <dl>{MOUSE.map(([keys, text]) => <Key keys={keys} text={text} key={keys} />)}</dl>
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {useful(viewer).filter((command) => command.group === group).map((command) => (
                <Key keys={command.key} text={command.label} key={command.id} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Frame>
  );
}

function Key({ keys, text }: { keys: string; text: string }): JSX.Element {
  return (
    <>
      <dt>
        <kbd>{keys}</kbd>
      </dt>
      <dd>{text}</dd>
    </>
  );
}
