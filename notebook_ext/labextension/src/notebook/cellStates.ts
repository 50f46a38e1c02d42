/**
 * What a notebook shows of how its cells follow each other: a word beside each cell of which there is something
 * to say, and the pictures of the graph as it is now.
 */

import type { NotebookPanel } from '@jupyterlab/notebook';

import type { CellState } from './notebookProtocol.js';

const CLASS = 'vcad-cell-state';
const GRAPH = 'vcad-graph';

/** What there is of a cell here. */
interface ShownCell {
  readonly node: HTMLElement;
  readonly model: { readonly id: string };
}

/** The graph that a notebook shows. */
interface ShownGraph {
  readonly html: string;
  /** The pictures that are of it. */
  readonly drawn: WeakSet<Element>;
}

/** Have these cells, and no others of a notebook, say beside their text how they stand. */
export function showStates({ content }: NotebookPanel, states: readonly CellState[]): void {
  const known = new Map(states.map(state => [state.cell, state]));
  for (const cell of content.widgets) {
    showState(cell, known.get(cell.model.id));
  }
}

function showState({ node }: ShownCell, state: CellState | undefined): void {
  const there = node.querySelector<HTMLElement>(`:scope > .${CLASS}`);
  if (state === undefined) {
    there?.remove();
    return;
  }
  const line = there ?? document.createElement('div');
  line.className = CLASS;
  line.dataset.state = state.state;
  line.setAttribute('role', 'status');
  const word = state.value === '' ? state.state : `now ${state.value}`;
  line.textContent = word;
  line.title = state.value === '' ? state.said : `${state.said}: ${word}`;
  line.setAttribute('aria-label', `${state.state}: ${line.title}`);
  if (there === null) {
    node.append(line);
  }
}

/** The pictures of the graph in the notebooks of a page: what a kernel has sent last stands wherever one is drawn. */
export class GraphPictures {
  /** Have the pictures of the graph in a notebook be this one, those too that are drawn later. */
  readonly show = ({ content }: NotebookPanel, html: string): void => {
    const known = this.shown.get(content.node);
    if (known?.html === html) {
      return;
    }
    this.shown.set(content.node, { html, drawn: new WeakSet() });
    this.draw(content.node);
    if (known === undefined) {
      // outputs are drawn when they come into sight, as the notebook has them
      new MutationObserver(() => this.draw(content.node)).observe(content.node, { childList: true, subtree: true });
    }
  };

  private draw(notebook: HTMLElement): void {
    const shown = this.shown.get(notebook);
    if (shown === undefined) {
      return;
    }
    for (const graph of [...notebook.getElementsByClassName(GRAPH)]) {
      if (!shown.drawn.has(graph)) {
        const picture = drawn(shown.html);
        const { scrollLeft } = graph;
        graph.replaceWith(picture);
        picture.scrollLeft = scrollLeft;
        shown.drawn.add(picture);
      }
    }
  }

  private readonly shown = new WeakMap<HTMLElement, ShownGraph>();
}

function drawn(html: string): Element {
  const made = document.createElement('template');
  made.innerHTML = html;
  return made.content.children[0] ?? document.createElement('div');
}
