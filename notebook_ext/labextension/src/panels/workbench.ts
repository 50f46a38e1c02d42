/**
 * What a person does with a session besides typing: the commands of the palette and of the launcher.
 *
 * Knows notebooks and the way to their sessions; does not know what the panels show.
 */

import { Dialog, InputDialog, Notification, showErrorMessage } from '@jupyterlab/apputils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { NotebookActions } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';
import type { JSONObject } from '@lumino/coreutils';
import { Panel, type Widget } from '@lumino/widgets';

import { isLoonCell } from '../language/cells.js';
import { loonIcon } from '../icon.js';
import type { NotebookComms } from '../notebook/notebookComms.js';
import { type EntryRow, NO_NOTEBOOK, type PartRow, readEntries, readParts, Refusal } from '../notebook/notebookProtocol.js';

/** The commands' ids, in the order of the palette. */
export const COMMANDS = {
  liveView: 'vcad-workbench:live-view',
  newPart: 'vcad-workbench:new-part',
  insertExample: 'vcad-workbench:insert-example',
  export: 'vcad-workbench:export',
  reference: 'vcad-workbench:reference',
  parts: 'vcad-workbench:parts',
  newNotebook: 'vcad-workbench:new-notebook'
} as const;

const WIDGET_VIEW = 'application/vnd.jupyter.widget-view+json';
const LOAD = '%load_ext notebook_ext';
const FIRST_PART = '%%loon part\n[difference\n  [translate 20 15 -1 [cylinder 5 12]]\n  [cube 40 30 10]]';
const FORMATS = ['step', 'stl', '3mf', 'glb', 'obj', 'dae', 'html'];
const NOTICE_MS = 6000;

/** What the page lends to this file. */
export interface Workplace {
  readonly commands: CommandRegistry;
  readonly notebooks: INotebookTracker;
  readonly comms: NotebookComms;
  /** Put a widget beside a notebook; false where one of its id is there already, which comes to the front. */
  dock(widget: Widget, beside: NotebookPanel): boolean;
  /** The kernel that new notebooks get; undefined lets the person choose. */
  kernelName(): string | undefined;
  /** Bring a panel of the side on screen. */
  reveal(panel: 'parts' | 'reference'): void;
}

/** The sessions of the notebooks on this page, as its commands and panels use them. */
export class Workbench {
  constructor(private readonly place: Workplace) {}

  /** Add all commands. The palette says of none what it belongs to while one searches: so their names do. */
  addCommands(): void {
    const { commands } = this.place;
    const reveal = (panel: 'parts' | 'reference'): void => this.place.reveal(panel);
    const isOpen = (): boolean => this.panel !== null;
    const add = (
      id: string,
      label: string,
      caption: string,
      execute: (args: JSONObject) => unknown,
      isEnabled = isOpen
    ): void => {
      commands.addCommand(id, {
        label,
        caption,
        isEnabled,
        ...(id === COMMANDS.newNotebook ? { icon: loonIcon } : {}),
        execute: args => Promise.resolve(execute(args as JSONObject)).catch(refused),
        describedBy: { args: { type: 'object', properties: {} } }
      });
    };
    const always = (): boolean => true;
    add(COMMANDS.liveView, 'Loon: Open the Live View', 'All parts of the session, beside the notebook', () =>
      this.openLiveView()
    );
    add(COMMANDS.newPart, 'Loon: New Part', 'A new cell with a part to change', () => this.newPart());
    add(COMMANDS.insertExample, 'Loon: Insert Example…', 'A new cell with an example of the reference', () =>
      this.insertExample()
    );
    add(COMMANDS.export, 'Loon: Export…', 'Write a part to a file beside the notebook', ({ part }) =>
      this.exportPart(typeof part === 'string' ? part : null)
    );
    add(COMMANDS.reference, 'Loon: Reference', 'All functions, with pictures', () => reveal('reference'), always);
    add(COMMANDS.parts, 'Loon: Parts', 'The parts of the session', () => reveal('parts'), always);
    add(
      COMMANDS.newNotebook,
      'Loon Notebook',
      'A new notebook with the first part ready',
      () => this.newNotebook(),
      always
    );
  }

  /** The notebook that the person works in, or worked in last. */
  private get panel(): NotebookPanel | null {
    return this.place.notebooks.currentWidget;
  }

  /** Ask the session of that notebook. Rejects with a Refusal. */
  ask(method: string, fields: JSONObject = {}): Promise<JSONObject> {
    const comm = this.place.comms.of(this.panel);
    return comm === null
      ? Promise.reject(new Refusal('CAPABILITY_UNAVAILABLE', NO_NOTEBOOK))
      : comm.ask(method, fields);
  }

  /** The parts of the session. */
  async parts(): Promise<PartRow[]> {
    return readParts((await this.ask('parts')).parts ?? []);
  }

  /** Have the viewers show a part, or hide it. */
  async showPart(part: string, seen: boolean): Promise<void> {
    await this.ask('show_part', { part, seen }).catch(refused);
  }

  /** All names of the reference. */
  async entries(): Promise<EntryRow[]> {
    return readEntries(await this.ask('reference'));
  }

  /** Show the live view beside the notebook; the one that is there comes to the front. */
  async openLiveView(): Promise<void> {
    const { panel } = this;
    if (panel === null) {
      return;
    }
    const { model_id: model } = await this.ask('live_view');
    await this.dockView(panel, String(model));
  }

  /** Show a widget, the live view, beside a notebook. */
  async dockView(panel: NotebookPanel, model: string): Promise<void> {
    const view = new Panel();
    view.addClass('vcad-live-dock');
    view.id = `vcad-live-view-${model}`;
    view.title.label = 'Live view';
    view.title.icon = loonIcon;
    view.title.closable = true;
    const { rendermime } = panel.content;
    const renderer = rendermime.createRenderer(WIDGET_VIEW);
    view.addWidget(renderer);
    if (!this.place.dock(view, panel)) {
      view.dispose();
      return;
    }
    panel.disposed.connect(() => view.dispose());
    const data = { [WIDGET_VIEW]: { version_major: 2, version_minor: 0, model_id: model } };
    await renderer.renderModel(rendermime.createModel({ data, trusted: true }));
  }

  /** A new cell below the active one, which is taken itself where nothing is in it. */
  newPart(source = FIRST_PART): void {
    const { panel } = this;
    if (panel !== null) {
      const active = panel.content.activeCell?.model;
      if (active?.type !== 'code' || active.sharedModel.getSource().trim() !== '') {
        NotebookActions.insertBelow(panel.content);
      }
      panel.content.activeCell?.model.sharedModel.setSource(source);
      panel.content.mode = 'edit';
    }
  }

  /** Put text at the cursor of the Loon cell that is being edited; where there is none, into a new cell. */
  insert(text: string, panel = this.panel): void {
    const cell = panel?.content.activeCell;
    if (panel && cell?.editor && isLoonCell(cell.model.sharedModel.getSource())) {
      cell.editor.replaceSelection?.(text);
      panel.content.mode = 'edit';
      return;
    }
    this.newPart(`%%loon\n${text}`);
  }

  private async insertExample(): Promise<void> {
    const models = (await this.entries()).filter(({ isModel }) => isModel).sort((a, b) => (a.name < b.name ? -1 : 1));
    const lineOf = ({ name, says }: EntryRow): string => `${name}: ${says}`;
    // A select: what is typed into it chooses the line that begins so.
    const { value } = await InputDialog.getItem({ title: 'Insert an example', items: models.map(lineOf) });
    const entry = models.find(model => lineOf(model) === value);
    if (entry === undefined) {
      return;
    }
    const { example } = await this.ask('entry', { name: entry.name });
    this.newPart(`%%loon\n${String(example)}`);
  }

  private async exportPart(wanted: string | null): Promise<void> {
    const parts = await this.parts();
    if (parts.length === 0) {
      throw new Refusal('NO_GEOMETRY', 'there is no part yet: run a cell that makes one');
    }
    const chosen =
      wanted ??
      (await InputDialog.getItem({ title: 'Export a part', items: parts.map(({ name }) => name) })).value;
    if (chosen === null) {
      return;
    }
    const file = await InputDialog.getText({
      title: `Export ${chosen}`,
      label: `A file beside the notebook: ${FORMATS.map(format => `.${format}`).join(' ')}`,
      text: `${chosen}.step`,
      okLabel: 'Export'
    });
    if (file.value) {
      const { path, bytes } = await this.ask('export', { part: chosen, path: file.value });
      Notification.success(`${String(path)}: ${Number(bytes).toLocaleString()} bytes`, {
        autoClose: NOTICE_MS
      });
    }
  }

  private async newNotebook(): Promise<void> {
    const kernelName = this.place.kernelName();
    const args = kernelName === undefined ? {} : { kernelName };
    const panel = (await this.place.commands.execute('notebook:create-new', args)) as NotebookPanel | undefined;
    if (panel === undefined) {
      return;
    }
    await panel.context.ready;
    await panel.sessionContext.ready;
    panel.content.activeCell?.model.sharedModel.setSource(LOAD);
    await NotebookActions.runAndAdvance(panel.content, panel.sessionContext);
    if (panel.content.activeCell?.model.sharedModel.getSource() !== '') {
      NotebookActions.insertBelow(panel.content);
    }
    panel.content.activeCell?.model.sharedModel.setSource(FIRST_PART);
    panel.content.mode = 'edit';
  }
}

/** Tell the person why something was not done. */
function refused(error: unknown): void {
  if (!(error instanceof Refusal)) {
    throw error;
  }
  void showErrorMessage('Loon', `${error.message} [${error.code}]`, [Dialog.okButton()]);
}
