/**
 * The side panel with the parts of the session: figures, what is out of date, export, what viewers show.
 */

import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { loonIcon } from '../icon.js';
import { NO_NOTEBOOK, type PartRow } from '../notebook/notebookProtocol.js';

/** What can be done with a part. */
export interface PartActions {
  openLiveView(): void;
  exportPart(name: string): void;
  showPart(name: string, seen: boolean): void;
}

/** The parts of the session of each kernel, as it tells of them. */
export class KnownParts {
  readonly changed = new Signal<this, string>(this);

  of(kernel: string): readonly PartRow[] {
    return this.rows.get(kernel) ?? [];
  }

  set(kernel: string, rows: readonly PartRow[]): void {
    this.rows.set(kernel, rows);
    this.changed.emit(kernel);
  }

  private readonly rows = new Map<string, readonly PartRow[]>();
}

/** Lists the parts of the notebook in front. */
export class PartsPanel extends Widget {
  /** @param current - The id of the kernel of the notebook in front, empty without one; null without a notebook. */
  constructor(
    private readonly parts: KnownParts,
    private readonly current: () => string | null,
    private readonly actions: PartActions
  ) {
    super();
    this.id = 'vcad-parts';
    this.addClass('vcad-side');
    this.title.icon = loonIcon;
    this.title.caption = 'Loon parts';
    parts.changed.connect(() => this.refresh());
    this.refresh();
  }

  /** Show what is known now. */
  refresh(): void {
    const head = element('div', 'vcad-side-head', 'Parts');
    const view = button('Live view', 'All parts, beside the notebook', () => this.actions.openLiveView());
    head.append(view);
    const kernel = this.current();
    view.disabled = kernel === null;
    const rows = kernel === null ? [] : this.parts.of(kernel);
    const list = element('ul', 'vcad-side-list');
    list.append(...rows.map(row => this.row(row)));
    const none = element('p', 'vcad-side-none', kernel === null ? NO_NOTEBOOK : 'No parts yet: run a %%loon cell that names one.');
    this.node.replaceChildren(head, rows.length > 0 ? list : none);
  }

  private row({ name, figures, stale, seen }: PartRow): HTMLElement {
    const row = element('li', ['vcad-part', stale && 'vcad-mod-stale', !seen && 'vcad-mod-hidden'].filter(Boolean).join(' '));
    const head = element('div', 'vcad-part-head');
    const shown = button(seen ? 'Hide' : 'Show', `${seen ? 'Hide' : 'Show'} ${name} in the viewers`, () =>
      this.actions.showPart(name, !seen)
    );
    head.append(element('span', 'vcad-part-name', name), shown);
    head.append(button('Export…', `Write ${name} to a file`, () => this.actions.exportPart(name)));
    row.append(head, element('div', 'vcad-part-figures', figures.replace(`${name}: `, '')));
    if (stale) {
      const failed = stale.startsWith('failed:');
      row.append(element('div', failed ? 'vcad-part-stale vcad-mod-failed' : 'vcad-part-stale', stale));
    }
    return row;
  }
}

/** An element with a class and a text. */
export function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** A button that says what it does. */
export function button(label: string, title: string, press: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'vcad-side-button';
  made.textContent = label;
  made.title = title;
  made.addEventListener('click', press);
  return made;
}
