/**
 * What a notebook shows of how its cells follow each other: a word beside each cell of which there is something
 * to say, and the pictures of the graph as it is now.
 */

import type { NotebookPanel } from '@jupyterlab/notebook';

import type { CellState } from './notebookProtocol.js';

const CLASS = 'vcad-cell-state';

/** What there is of a cell here. */
interface ShownCell {
  readonly node: HTMLElement;
  readonly model: { readonly id: string };
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

/** Have the pictures of the graph in a notebook be this one, in their places. */
export function showGraph({ content }: NotebookPanel, html: string): void {
  for (const graph of content.node.querySelectorAll('.vcad-graph')) {
    const { scrollLeft } = graph;
    const made = document.createElement('template');
    made.innerHTML = html;
    const [picture] = made.content.children;
    if (picture !== undefined) {
      graph.replaceWith(picture);
      picture.scrollLeft = scrollLeft;
    }
  }
}
