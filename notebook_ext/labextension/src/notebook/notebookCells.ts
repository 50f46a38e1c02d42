/**
 * The cells of the notebooks on this page: read, changed and run for a client that asks through a kernel.
 *
 * All changes go through the documents that the person works in, so they are seen at once, can be undone,
 * and nothing that was typed is lost: a cell whose text is not the expected one is left alone. Knows
 * notebooks; does not know how requests come here.
 */

import type { Cell, CodeCell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { IOutput } from '@jupyterlab/nbformat';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject, JSONValue } from '@lumino/coreutils';

import { replacement } from '../language/edits.js';
import type { Answering } from './notebookComm.js';
import {
  type AskReference,
  type CellKind,
  type CellState,
  type Form,
  type OfCell,
  type PartRow,
  type PickedForm,
  readAsks,
  readForms,
  readParts,
  readStates,
  Refusal,
  type Request
} from './notebookProtocol.js';
import { isCode, keepOutput } from './outputs.js';

/** Characters of one output that go into an answer. */
const LONGEST_OUTPUT = 20_000;

/** What the page lends to this file. */
export interface Page {
  readonly notebooks: Pick<INotebookTracker, 'filter' | 'find'>;
  /** Where the server's root is, as the server tells it; empty where it does not. */
  readonly root: string;
  /** A path as the contents service has it, without the name of a drive. */
  localPath(path: string): string;
  /** Run a cell as the person would; resolves when it has ended. */
  run(panel: NotebookPanel, cell: Cell): Promise<boolean>;
  /** Tell the person what has been done for a client; `show` brings the cell on screen. */
  tell(said: string, show: () => void): void;
  /** Mark a cell on screen as a client's. */
  mark(cell: Cell, agent: string): void;
  /** Show the questions that wait for the person. */
  showAsks(panel: NotebookPanel, asks: readonly AskReference[]): void;
  /** Show a widget beside a notebook. */
  dockView(panel: NotebookPanel, model: string): Promise<void>;
  /** Put text at the cursor. */
  insertText(panel: NotebookPanel, text: string): void;
  /** Open a file of the workspace at a place; false where there is none of that name. */
  openFile(panel: NotebookPanel, form: Form): Promise<boolean>;
  /** Show how the cells of a notebook stand; of the others nothing. */
  showStates(panel: NotebookPanel, states: readonly CellState[]): void;
  /** Have the pictures of the graph in a notebook be this one. */
  showGraph(panel: NotebookPanel, html: string): void;
  /** Show the parts of the session of a kernel. */
  showParts(kernel: Kernel.IKernelConnection, parts: readonly PartRow[]): void;
  /** Light up the forms that made what is picked in the viewers of the session of a kernel. */
  lightForms(kernel: Kernel.IKernelConnection, forms: readonly PickedForm[]): void;
}

/** A cell that runs for a client. */
interface Running {
  readonly kernel: Kernel.IKernelConnection;
  readonly begun: () => boolean;
}

/** Answers for all notebooks of one page. */
export class NotebookCells implements Answering {
  constructor(private readonly page: Page) {}

  async answer(request: Request, id: number, kernel: Kernel.IKernelConnection): Promise<JSONObject> {
    switch (request.method) {
      case 'notebooks':
        return this.shown(kernel);
      case 'list':
        return this.list(this.panel(request.path));
      case 'get':
        return this.get(request);
      case 'set':
        return this.set(request);
      case 'insert':
        return this.insert(request);
      case 'delete':
        return this.delete(request);
      case 'run':
        return this.run(request, id, kernel);
      case 'stop':
        return this.stop(request.run);
      case 'dock_view':
        await this.page.dockView(this.panel(request.path), request.model);
        return {};
      case 'insert_text':
        this.page.insertText(this.panel(request.path), request.text);
        return {};
      case 'set_output':
        return this.setOutput(request);
      case 'open_form':
        return this.openForm(this.panel(request.path), request.form);
    }
  }

  cells(kernel: Kernel.IKernelConnection): JSONObject {
    const panels = this.page.notebooks.filter(
      panel => panel.context.isReady && !panel.isDisposed && kernelOf(panel)?.id === kernel.id
    );
    for (const panel of panels) {
      // a cell may stand there anew, or the notebook have come after its state was received
      this.page.showStates(panel, this.states.get(kernel.id) ?? []);
      const graph = this.graphs.get(kernel.id);
      if (graph !== undefined) {
        this.page.showGraph(panel, graph);
      }
    }
    const ids = (panel: NotebookPanel): string[] => shared(panel).cells.map(cell => cell.getId());
    return Object.fromEntries(panels.map(panel => [this.page.localPath(panel.context.path), ids(panel)]));
  }

  event(name: string, value: JSONValue, kernel: Kernel.IKernelConnection): void {
    if (name === 'asks') {
      this.showAsks(kernel, readAsks(value));
    } else if (name === 'cell_states') {
      this.showStates(kernel, readStates(value));
    } else if (name === 'graph') {
      this.showGraph(kernel, value);
    } else if (name === 'parts') {
      this.page.showParts(kernel, readParts(value));
    } else if (name === 'forms') {
      this.page.lightForms(kernel, readForms(value));
    }
  }

  ended(kernel: Kernel.IKernelConnection): void {
    this.showAsks(kernel, []);
    this.states.delete(kernel.id);
    this.graphs.delete(kernel.id);
    for (const panel of this.page.notebooks.filter(() => true)) {
      // of a kernel that was shut down its notebook does not know any more
      this.page.showStates(panel, this.states.get(kernelOf(panel)?.id ?? '') ?? []);
    }
    this.page.showParts(kernel, []);
    this.page.lightForms(kernel, []);
  }

  private showAsks(kernel: Kernel.IKernelConnection, asks: readonly AskReference[]): void {
    for (const panel of this.panelsOf(kernel)) {
      this.page.showAsks(panel, asks);
    }
  }

  private showStates(kernel: Kernel.IKernelConnection, states: readonly CellState[]): void {
    this.states.set(kernel.id, states);
    for (const panel of this.panelsOf(kernel)) {
      this.page.showStates(panel, states);
    }
  }

  private showGraph(kernel: Kernel.IKernelConnection, html: JSONValue): void {
    if (typeof html !== 'string' || html === '') {
      return; // it was not asked for
    }
    this.graphs.set(kernel.id, html);
    for (const panel of this.panelsOf(kernel)) {
      this.page.showGraph(panel, html);
    }
  }

  private panelsOf(kernel: Kernel.IKernelConnection): NotebookPanel[] {
    return this.page.notebooks.filter(panel => kernelOf(panel)?.id === kernel.id);
  }

  // ---- reading ----

  private shown(kernel: Kernel.IKernelConnection): JSONObject {
    const panels = this.page.notebooks.filter(panel => panel.context.isReady && !panel.isDisposed);
    const notebooks = panels.map(panel => ({
      path: this.page.localPath(panel.context.path),
      own: kernelOf(panel)?.id === kernel.id
    }));
    return { root: this.page.root, notebooks };
  }

  private list(panel: NotebookPanel): JSONObject {
    return { cells: panel.content.widgets.map(cell => brief(cell, 0)) };
  }

  private get(of: OfCell): JSONObject {
    const panel = this.panel(of.path);
    const index = indexOf(panel, of.cell);
    return { index, cell: brief(cellAt(panel, index), LONGEST_OUTPUT) };
  }

  // ---- changing ----

  private set({ path, cell: id, source, kind, expected, agent }: Request & { method: 'set' }): JSONObject {
    const panel = this.panel(path);
    const index = indexOf(panel, id);
    const cell = cellAt(panel, index);
    requireUnlocked(panel, cell, 'editable');
    requireText(cell, expected);
    if (kind !== null && kind !== cell.model.type) {
      requireStill(cell);
      exchange(panel, index, kind, source);
    } else {
      const { from, to, insert } = replacement(expected, source);
      cell.model.sharedModel.updateSource(from, to, insert);
    }
    this.tell(panel, id, agent, `has changed cell ${index + 1}`);
    return { cell: id, index };
  }

  private insert({ path, after, source, kind, agent }: Request & { method: 'insert' }): JSONObject {
    const panel = this.panel(path);
    requireWritable(panel);
    const index = after === null ? 0 : indexOf(panel, after) + 1;
    const made = shared(panel).insertCell(index, fresh(kind, source));
    const id = made.getId();
    this.tell(panel, id, agent, `has put in cell ${index + 1}`);
    return { cell: id, index };
  }

  private delete({ path, cell: id, expected, agent }: Request & { method: 'delete' }): JSONObject {
    const panel = this.panel(path);
    const index = indexOf(panel, id);
    const cell = cellAt(panel, index);
    requireUnlocked(panel, cell, 'deletable');
    requireText(cell, expected);
    requireStill(cell);
    shared(panel).deleteCell(index);
    this.tell(panel, null, agent, `has taken out cell ${index + 1}`);
    return { cell: id, index };
  }

  private setOutput({ path, cell: id, model, bundle, said }: Request & { method: 'set_output' }): JSONObject {
    const panel = this.panel(path);
    const index = indexOf(panel, id);
    const { model: cell } = cellAt(panel, index);
    return { kept: isCode(cell) && keepOutput(cell.outputs, model, bundle, said), index };
  }

  private tell(panel: NotebookPanel, id: string | null, agent: string, said: string): void {
    if (agent === '') {
      return; // the person has asked for it, and sees it
    }
    const find = (): number => panel.content.widgets.findIndex(cell => cell.model.id === id);
    const cell = panel.content.widgets[find()];
    if (cell !== undefined) {
      this.page.mark(cell, agent);
    }
    this.page.tell(`${agent} ${said} of ${this.page.localPath(panel.context.path)}`, () => {
      const index = find();
      if (index >= 0) {
        panel.content.activeCellIndex = index;
        void panel.content.scrollToItem(index, 'smart');
      }
    });
  }

  // ---- showing ----

  /** Bring a form on screen, selected. */
  private async openForm(panel: NotebookPanel, form: Form): Promise<JSONObject> {
    if (form.cell === '') {
      if (!(await this.page.openFile(panel, form))) {
        throw new Refusal('FILE_NOT_FOUND', `there is no file ${form.file} that JupyterLab could open`);
      }
      return {};
    }
    const { content } = panel;
    const index = indexOf(panel, form.cell);
    content.activeCellIndex = index;
    await content.scrollToItem(index, 'smart');
    const { editor } = cellAt(panel, index);
    content.mode = 'edit';
    if (editor) {
      select(editor, form);
    }
    return {};
  }

  // ---- running ----

  private async run(
    { path, cell: id, expected, agent }: Request & { method: 'run' },
    number: number,
    kernel: Kernel.IKernelConnection
  ): Promise<JSONObject> {
    const panel = this.panel(path);
    const index = indexOf(panel, id);
    const cell = cellAt(panel, index);
    if (cell.model.type !== 'code') {
      throw new Refusal('UNSUPPORTED_TYPE', `cell ${index + 1} is no code: there is nothing to run`);
    }
    if (kernelOf(panel)?.id !== kernel.id) {
      throw new Refusal('CAPABILITY_UNAVAILABLE', 'the notebook has another kernel than this session');
    }
    if (panel.sessionContext.pendingInput) {
      throw new Refusal('BUSY', 'a cell waits for what the person types; it must have that first');
    }
    requireText(cell, expected);
    requireStill(cell);
    const begin = this.follow(cell, number, kernel);
    this.tell(panel, id, agent, `runs cell ${index + 1}`);
    try {
      const ok = await this.page.run(panel, cell);
      return { index, ok, begun: begin(), cell: brief(cell, LONGEST_OUTPUT) };
    } finally {
      this.running.delete(number);
    }
  }

  /** Note that a cell runs; what this gives says whether it has begun. */
  private follow(cell: Cell, number: number, kernel: Kernel.IKernelConnection): () => boolean {
    let begun = false;
    const listen = (_: Kernel.IKernelConnection, message: KernelMessage.IIOPubMessage): void => {
      const { parent_header: parent, header } = message;
      const request = (cell as CodeCell).outputArea.future?.msg.header.msg_id;
      if (header.msg_type === 'execute_input' && 'msg_id' in parent && parent.msg_id === request) {
        begun = true;
        kernel.iopubMessage.disconnect(listen);
      }
    };
    kernel.iopubMessage.connect(listen);
    cell.disposed.connect(() => kernel.iopubMessage.disconnect(listen));
    this.running.set(number, { kernel, begun: () => begun });
    return () => {
      kernel.iopubMessage.disconnect(listen);
      return begun;
    };
  }

  /** Interrupt a cell; one that still waits for its turn is left, for the one before it is the person's. */
  private async stop(number: number): Promise<JSONObject> {
    const running = this.running.get(number);
    const begun = running?.begun() ?? false;
    if (running !== undefined && begun) {
      await running.kernel.interrupt();
    }
    return { runs: running !== undefined, begun };
  }

  /** The notebook that this path names. */
  private panel(path: string): NotebookPanel {
    const notebook = this.page.notebooks.find(
      panel => !panel.isDisposed && this.page.localPath(panel.context.path) === path
    );
    if (notebook === undefined || notebook.model === null) {
      throw new Refusal('FILE_NOT_FOUND', `${path} is not open on this page`);
    }
    return notebook;
  }

  private readonly running = new Map<number, Running>();
  /** How the cells of a kernel's notebooks stand, by its id. */
  private readonly states = new Map<string, readonly CellState[]>();
  /** The picture of the graph that the page shows of a kernel's session, by its id. */
  private readonly graphs = new Map<string, string>();
}

function kernelOf(panel: NotebookPanel): Kernel.IKernelConnection | null | undefined {
  return panel.sessionContext.session?.kernel;
}

function shared(panel: NotebookPanel) {
  if (panel.model === null) {
    throw new Refusal('FILE_NOT_FOUND', `${panel.context.path} has been closed`);
  }
  return panel.model.sharedModel;
}

function indexOf(panel: NotebookPanel, id: string): number {
  const index = panel.content.widgets.findIndex(cell => cell.model.id === id);
  if (index < 0) {
    throw new Refusal('INVALID_PARAMS', `there is no cell ${id}; it may have been taken out meanwhile`);
  }
  return index;
}

function cellAt(panel: NotebookPanel, index: number): Cell {
  const cell = panel.content.widgets[index];
  if (cell === undefined) {
    throw new Refusal('INVALID_PARAMS', `there is no cell ${index + 1}`);
  }
  return cell;
}

// ---- what may be done ----

function requireWritable(panel: NotebookPanel): void {
  if (panel.model?.readOnly) {
    throw new Refusal('PATH_NOT_ALLOWED', 'the notebook is open for reading only');
  }
}

function requireUnlocked(panel: NotebookPanel, cell: Cell, lock: 'editable' | 'deletable'): void {
  requireWritable(panel);
  if (cell.model.getMetadata(lock) === false) {
    throw new Refusal('PATH_NOT_ALLOWED', `the cell is locked: its metadata say that it is not ${lock}`);
  }
}

function requireText(cell: Cell, expected: string): void {
  if (cell.model.sharedModel.getSource() !== expected) {
    throw new Refusal('REVISION_CONFLICT', 'the cell has been changed meanwhile');
  }
}

/** A cell that runs is not run again, nor exchanged or taken out: what it puts out would be lost. */
function requireStill(cell: Cell): void {
  if (cell.model.type === 'code' && (cell as CodeCell).model.executionState === 'running') {
    throw new Refusal('BUSY', 'the cell runs, or waits for its turn');
  }
}

// ---- cells as JSON ----

function fresh(kind: CellKind, source: string, kept: JSONObject = {}) {
  // Without outputs there is nothing that could not be trusted.
  return { cell_type: kind, source, ...kept, metadata: kind === 'code' ? { trusted: true } : {} };
}

/** Another kind of cell in the place of one, with its id, as JupyterLab itself does it. */
function exchange(panel: NotebookPanel, index: number, kind: CellKind, source: string): void {
  const notebook = shared(panel);
  const { id, metadata } = cellAt(panel, index).model.toJSON();
  const { trusted: _, ...kept } = metadata;
  const made = fresh(kind, source, typeof id === 'string' ? { id } : {});
  notebook.transact(() => {
    notebook.deleteCell(index);
    notebook.insertCell(index, { ...made, metadata: { ...kept, ...made.metadata } });
  });
}

/**
 * A cell as notebook files hold it, without what is long.
 *
 * @param longest - Characters of each output that is text; of pictures and the like only the type stays.
 */
function brief(cell: Cell, longest: number): JSONObject {
  const { model } = cell;
  const base = { id: model.id, cell_type: model.type, metadata: {}, source: model.sharedModel.getSource() };
  if (model.type !== 'code') {
    return base;
  }
  const { outputArea } = cell as CodeCell;
  return {
    ...base,
    execution_count: (cell as CodeCell).model.executionCount,
    outputs: outputArea.model.toJSON().map(output => briefOutput(output, longest))
  };
}

function briefOutput(output: IOutput, longest: number): JSONObject {
  if (output.output_type === 'stream') {
    return { output_type: 'stream', name: String(output.name), text: cut(output.text, longest) };
  }
  if (output.output_type === 'error') {
    const { ename, evalue } = output;
    return { output_type: 'error', ename: cut(ename, longest), evalue: cut(evalue, longest), traceback: [] };
  }
  const data: JSONObject = {};
  for (const [type, value] of Object.entries((output.data ?? {}) as JSONObject)) {
    data[type] = type === 'text/plain' ? cut(value, longest) : '';
  }
  return { output_type: 'display_data', data, metadata: {} };
}

function cut(text: unknown, longest: number): string {
  return (Array.isArray(text) ? text.join('') : String(text ?? '')).slice(0, longest);
}

/** Select a form in an editor, which shows it. */
export function select(editor: CodeEditor.IEditor, { line, column, endLine, endColumn }: Form): void {
  const start = { line: line - 1, column: column - 1 };
  editor.setSelection({ start, end: { line: endLine - 1, column: endColumn - 1 } });
  editor.revealPosition(start);
  editor.focus();
}
