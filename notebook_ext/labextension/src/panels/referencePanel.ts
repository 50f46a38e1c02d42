/**
 * The side panel with the reference: every name of the language and the library, searched as one types, with a
 * picture of each model, and a button that puts the example into the notebook.
 */

import type { JSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';

import { referenceIcon } from '../icon.js';
import { matching } from './matching.js';
import type { EntryRow } from '../notebook/notebookProtocol.js';
import { button, element } from './partsPanel.js';

/** Where the reference comes from, and where examples go. */
export interface Reference {
  entries(): Promise<EntryRow[]>;
  ask(method: string, fields: JSONObject): Promise<JSONObject>;
  insert(text: string): void;
}

/** The panel. */
export class ReferencePanel extends Widget {
  constructor(private readonly reference: Reference) {
    super();
    this.id = 'vcad-reference';
    this.addClass('vcad-side');
    this.title.icon = referenceIcon;
    this.title.caption = 'Loon reference';
    this.search.type = 'search';
    this.search.placeholder = 'Search the reference';
    this.search.setAttribute('aria-label', 'Search the reference');
    this.search.className = 'vcad-side-search jp-mod-styled';
    this.search.addEventListener('input', () => this.list());
    this.node.append(element('div', 'vcad-side-head', 'Reference'), this.search, this.results);
  }

  /** Another notebook is in front: ask its session. */
  refresh(): void {
    if (this.isVisible) {
      void this.load();
    }
  }

  /** A session has told something: ask it where none has answered yet. */
  retry(): void {
    if (this.entries.length === 0) {
      this.refresh();
    }
  }

  protected override onAfterShow(): void {
    void this.load();
    this.search.focus();
  }

  private async load(): Promise<void> {
    const load = ++this.loads;
    try {
      const entries = await this.reference.entries();
      if (load !== this.loads) {
        return; // another notebook is in front by now
      }
      // What a person has opened stays open where nothing is new.
      if (JSON.stringify(entries) !== JSON.stringify(this.entries)) {
        this.entries = entries;
        this.list();
      }
    } catch (refusal) {
      if (load !== this.loads) {
        return;
      }
      this.entries = [];
      this.results.replaceChildren(element('p', 'vcad-side-none', messageOf(refusal)));
    }
  }

  private list(): void {
    const groups = new Map<string, HTMLElement[]>();
    for (const entry of matching(this.entries, this.search.value)) {
      groups.set(entry.group, [...(groups.get(entry.group) ?? []), this.row(entry)]);
    }
    this.results.replaceChildren(
      ...[...groups].flatMap(([group, rows]) => [element('h3', 'vcad-side-group', group), ...rows])
    );
  }

  private row(entry: EntryRow): HTMLElement {
    const row = document.createElement('details');
    row.className = 'vcad-entry';
    const head = element('summary', 'vcad-entry-head');
    head.append(element('code', '', entry.usage), element('span', 'vcad-entry-says', entry.says));
    row.append(head);
    row.addEventListener('toggle', () => row.open && row.childElementCount === 1 && void this.fill(row, entry));
    return row;
  }

  /** All that there is to say, and then, since it is evaluated for it, the picture. */
  private async fill(row: HTMLElement, { name, isModel }: EntryRow): Promise<void> {
    const body = element('div', 'vcad-entry-body');
    row.append(body);
    try {
      const said = await this.reference.ask('entry', { name });
      const example = String(said.example ?? '');
      if (example !== '') {
        body.append(button('Insert', 'Put the example into the notebook', () => this.reference.insert(example)));
      }
      body.append(element('pre', '', String(said.text ?? '')));
      if (isModel) {
        const { picture } = await this.reference.ask('entry', { name, picture: true });
        const image = document.createElement('img');
        image.alt = `what the example of ${name} makes`;
        image.src = `data:image/png;base64,${String(picture)}`;
        body.prepend(image);
      }
    } catch (refusal) {
      body.append(element('p', 'vcad-side-none', messageOf(refusal)));
    }
  }

  private entries: EntryRow[] = [];
  private loads = 0;
  private readonly search = document.createElement('input');
  private readonly results = element('div', 'vcad-side-results');
}

function messageOf(refusal: unknown): string {
  return refusal instanceof Error ? refusal.message : String(refusal);
}
