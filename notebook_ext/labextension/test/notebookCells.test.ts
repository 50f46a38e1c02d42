import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { NotebookPanel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { NotebookCells, type Page } from '../src/notebook/notebookCells.js';
import { Refusal, type Request } from '../src/notebook/notebookProtocol.js';
import { FakeKernel, settled } from './fakeKernel.js';

/** A cell on screen. */
class FakeCell {
  constructor(
    readonly id: string,
    public source: string,
    readonly type = 'code',
    readonly metadata: JSONObject = {}
  ) {
    const at = (): FakeCell => this;
    this.model = {
      id,
      type,
      executionCount: 3,
      outputs: {
        get length() {
          return at().outputs.length;
        },
        get: (index: number) => ({ toJSON: () => this.outputs[index] }),
        set: (index: number, output: JSONObject) => void (this.outputs[index] = output)
      },
      sharedModel: {
        getSource: () => this.source,
        updateSource: (from: number, to: number, insert: string) => {
          this.source = this.source.slice(0, from) + insert + this.source.slice(to);
        }
      },
      getMetadata: (key: string) => metadata[key],
      toJSON: () => ({ id, metadata }),
      get executionState() {
        return at().executionState;
      }
    };
  }

  executionState = 'idle';
  outputs: JSONObject[] = [];
  readonly model: object;
  readonly disposed = new Signal<this, void>(this);
  readonly outputArea = {
    model: { toJSON: () => this.outputs },
    future: { msg: { header: { msg_id: 'r-1' } } }
  };
}

/** A notebook on screen, and all that happens to it. */
class FakePage {
  readonly kernel = new FakeKernel();
  readonly said: string[] = [];
  readonly asks: string[] = [];
  readonly states: string[] = [];
  readonly parts: string[] = [];
  readonly forms: string[] = [];
  readOnly = false;
  /** Whether the notebook still knows its kernel: not once that was shut down. */
  hasKernel = true;
  runs: (cell: FakeCell) => Promise<boolean> = async () => true;
  readonly cells: FakeCell[];
  readonly notebook: NotebookCells;

  constructor(...cells: FakeCell[]) {
    this.cells = cells;
    const panel = this.panel();
    const page: Page = {
      notebooks: {
        filter: wanted => [panel].filter(wanted),
        find: wanted => [panel].find(wanted)
      },
      root: '/work',
      localPath: path => path.replace(/^RTC:/, ''),
      run: (_, cell) => this.runs(cell as unknown as FakeCell),
      tell: said => this.said.push(said),
      mark: (cell, agent) => this.said.push(`${agent} at ${cell.model.id}`),
      showAsks: (_, asks) => this.asks.push(asks.map(ask => ask.request_id).join()),
      dockView: async (_, model) => void this.said.push(`docked ${model}`),
      insertText: (_, text) => this.said.push(`inserted ${text}`),
      openFile: async (_, { file }) => file === 'lid.oo',
      showStates: (_, states) => this.states.push(states.map(({ cell, state }) => `${cell} ${state}`).join()),
      showGraph: (_, html) => this.states.push(html),
      showParts: (_, parts) => this.parts.push(parts.map(({ name, stale }) => name + stale).join()),
      lightForms: (_, forms) => this.forms.push(forms.map(({ cell, line, text }) => `${cell}:${line} ${text}`).join())
    };
    this.notebook = new NotebookCells(page);
  }

  ask(request: Request, id = 1): Promise<JSONObject> {
    return this.notebook.answer(request, id, this.kernel.connection);
  }

  private panel(): NotebookPanel {
    const { cells, kernel } = this;
    const shared = {
      get cells() {
        return cells.map(({ id }) => ({ getId: () => id }));
      },
      insertCell: (index: number, made: { id?: string; source: string; cell_type: string }) => {
        const cell = new FakeCell(made.id ?? 'made', made.source, made.cell_type);
        cells.splice(index, 0, cell);
        return { getId: () => cell.id };
      },
      deleteCell: (index: number) => void cells.splice(index, 1),
      transact: (change: () => void) => change()
    };
    const readOnly = (): boolean => this.readOnly;
    const hasKernel = (): boolean => this.hasKernel;
    const panel = {
      isDisposed: false,
      context: { isReady: true, path: 'RTC:rooms/plan.ipynb' },
      content: { widgets: cells },
      model: {
        sharedModel: shared,
        get readOnly() {
          return readOnly();
        }
      },
      sessionContext: {
        get session() {
          return hasKernel() ? { kernel } : null;
        },
        pendingInput: false
      }
    };
    return panel as unknown as NotebookPanel;
  }
}

const PATH = 'rooms/plan.ipynb';

function set(source: string, expected: string, kind: 'markdown' | null = null): Request {
  return { method: 'set', path: PATH, cell: 'a', source, expected, kind, agent: 'robot' };
}

async function refused(asked: Promise<unknown>): Promise<string> {
  const error: unknown = await asked.then(
    () => null,
    (reason: unknown) => reason
  );
  assert.ok(error instanceof Refusal, String(error));
  return error.code;
}

test('the page says which notebooks it shows, and which is the kernels own', async () => {
  assert.deepEqual(await new FakePage().ask({ method: 'notebooks' }), {
    root: '/work',
    notebooks: [{ path: PATH, own: true }]
  });
});

test('the session is told which cells its notebooks have, in their order', () => {
  const page = new FakePage(new FakeCell('b', '1'), new FakeCell('a', '2'));
  assert.deepEqual(page.notebook.cells(page.kernel.connection), { [PATH]: ['b', 'a'] });
  assert.deepEqual(page.notebook.cells({ ...page.kernel.connection, id: 'another' }), {});
});

test('the picture of a view is exchanged where it stands, and the text of the output is not', async () => {
  const cell = new FakeCell('a', '%%loon');
  const page = new FakePage(cell);
  const widget = { 'application/vnd.jupyter.widget-view+json': { model_id: 'w' } };
  const data = { 'text/plain': 'as it ran', 'image/png': 'old', ...widget };
  const printed = { output_type: 'stream', name: 'stdout', text: 'hello' };
  cell.outputs = [printed, { output_type: 'execute_result', data, metadata: { kept: 1 } }];
  const asked = { method: 'set_output', path: PATH, cell: 'a', bundle: { 'image/png': 'new' }, said: 'by now' } as const;
  assert.deepEqual(await page.ask({ ...asked, model: 'closed long ago' }), { kept: false, index: 0 });
  assert.deepEqual(await page.ask({ ...asked, model: 'w' }), { kept: true, index: 0 });
  assert.deepEqual(cell.outputs, [
    printed,
    {
      output_type: 'execute_result',
      data: { ...data, 'image/png': 'new' },
      metadata: { kept: 1, 'application/vnd.vcad.view+json': { said: 'by now' } }
    }
  ]);
});

test('cells are listed with the kinds of their outputs, and read with what is text of them', async () => {
  const cell = new FakeCell('a', '1 + 1');
  const page = new FakePage(cell, new FakeCell('b', '# B', 'markdown'));
  cell.outputs = [
    { output_type: 'stream', name: 'stdout', text: ['x'.repeat(20_000), 'y'] },
    { output_type: 'execute_result', data: { 'text/plain': '2', 'image/png': 'aaaa' }, metadata: {} },
    { output_type: 'error', ename: 'E', evalue: 'why', traceback: ['long'] }
  ];
  const { cells } = await page.ask({ method: 'list', path: PATH });
  const outputs = (texts: string[]): JSONObject[] => [
    { output_type: 'stream', name: 'stdout', text: texts[0] ?? '' },
    { output_type: 'display_data', data: { 'text/plain': texts[1] ?? '', 'image/png': '' }, metadata: {} },
    { output_type: 'error', ename: texts[2] === undefined ? '' : 'E', evalue: texts[2] ?? '', traceback: [] }
  ];
  const code = { id: 'a', cell_type: 'code', metadata: {}, source: '1 + 1', execution_count: 3 };
  assert.deepEqual(cells, [
    { ...code, outputs: outputs([]) },
    { id: 'b', cell_type: 'markdown', metadata: {}, source: '# B' }
  ]);
  assert.deepEqual(await page.ask({ method: 'get', path: PATH, cell: 'a' }), {
    index: 0,
    cell: { ...code, outputs: outputs(['x'.repeat(20_000), '2', 'why']) }
  });
});

test('a cell gets another text, and the person is told who did it', async () => {
  const page = new FakePage(new FakeCell('a', 'old text'));
  assert.deepEqual(await page.ask(set('new text', 'old text')), { cell: 'a', index: 0 });
  assert.equal(page.cells[0]?.source, 'new text');
  assert.deepEqual(page.said, ['robot at a', 'robot has changed cell 1 of rooms/plan.ipynb']);
});

test('a cell that was typed in meanwhile is left alone', async () => {
  const page = new FakePage(new FakeCell('a', 'typed'));
  assert.equal(await refused(page.ask(set('new', 'old'))), 'REVISION_CONFLICT');
  assert.equal(page.cells[0]?.source, 'typed');
  assert.deepEqual(page.said, []);
});

test('another kind of cell comes in the place of one, with its id', async () => {
  const page = new FakePage(new FakeCell('a', 'x'), new FakeCell('b', 'y'));
  await page.ask(set('# X', 'x', 'markdown'));
  assert.deepEqual(
    page.cells.map(({ id, source, type }) => [id, source, type]),
    [
      ['a', '# X', 'markdown'],
      ['b', 'y', 'code']
    ]
  );
});

test('cells come in after another one or first, and go', async () => {
  const page = new FakePage(new FakeCell('a', 'x'));
  const made = { method: 'insert', path: PATH, source: 'n', kind: 'code', agent: 'robot' } as const;
  assert.deepEqual(await page.ask({ ...made, after: 'a' }), { cell: 'made', index: 1 });
  assert.deepEqual(await page.ask({ ...made, after: null }), { cell: 'made', index: 0 });
  await page.ask({ method: 'delete', path: PATH, cell: 'a', expected: 'x', agent: 'robot' });
  assert.deepEqual(
    page.cells.map(({ source }) => source),
    ['n', 'n']
  );
});

test('what is locked, runs or is only to be read is not changed', async () => {
  const gone: Request = { method: 'delete', path: PATH, cell: 'a', expected: 'x', agent: '' };
  const locked = new FakePage(new FakeCell('a', 'x', 'code', { editable: false, deletable: false }));
  assert.equal(await refused(locked.ask(set('y', 'x'))), 'PATH_NOT_ALLOWED');
  assert.equal(await refused(locked.ask(gone)), 'PATH_NOT_ALLOWED');
  const page = new FakePage(new FakeCell('a', 'x'));
  (page.cells[0] as FakeCell).executionState = 'running';
  assert.equal(await refused(page.ask(gone)), 'BUSY');
  (page.cells[0] as FakeCell).executionState = 'idle';
  page.readOnly = true;
  assert.equal(await refused(page.ask(set('y', 'x'))), 'PATH_NOT_ALLOWED');
  assert.equal(page.cells[0]?.source, 'x');
});

test('what is not there is said', async () => {
  const page = new FakePage();
  assert.equal(await refused(page.ask({ method: 'list', path: 'other.ipynb' })), 'FILE_NOT_FOUND');
  assert.equal(await refused(page.ask({ method: 'get', path: PATH, cell: 'a' })), 'INVALID_PARAMS');
});

const RUN: Request = { method: 'run', path: PATH, cell: 'a', expected: 'x', agent: 'robot' };

test('a cell runs as the person would run it, and what comes of it is told', async () => {
  const page = new FakePage(new FakeCell('a', 'x'));
  page.runs = async cell => {
    page.kernel.began('other', 'r-0');
    page.kernel.began('x');
    cell.outputs = [{ output_type: 'stream', name: 'stdout', text: 'done' }];
    return false;
  };
  const told = await page.ask(RUN);
  assert.deepEqual([told.ok, told.begun, told.index], [false, true, 0]);
  assert.equal(((told.cell as JSONObject).outputs as JSONObject[])[0]?.text, 'done');
  assert.deepEqual(page.said, ['robot at a', 'robot runs cell 1 of rooms/plan.ipynb']);
});

test('only the cell that was begun is interrupted', async () => {
  const page = new FakePage(new FakeCell('a', 'x'));
  let end: (ok: boolean) => void = () => undefined;
  page.runs = () => new Promise(resolve => (end = resolve));
  const running = page.ask(RUN, 5);
  assert.deepEqual(await page.ask({ method: 'stop', run: 4 }), { runs: false, begun: false });
  assert.deepEqual(await page.ask({ method: 'stop', run: 5 }), { runs: true, begun: false });
  assert.equal(page.kernel.interrupts, 0);
  page.kernel.began('x');
  assert.deepEqual(await page.ask({ method: 'stop', run: 5 }), { runs: true, begun: true });
  assert.equal(page.kernel.interrupts, 1);
  end(false);
  await running;
  assert.deepEqual(await page.ask({ method: 'stop', run: 5 }), { runs: false, begun: false });
});

test('neither text nor another text, nor a cell that runs, is run', async () => {
  assert.equal(await refused(new FakePage(new FakeCell('a', 'x', 'markdown')).ask(RUN)), 'UNSUPPORTED_TYPE');
  assert.equal(await refused(new FakePage(new FakeCell('a', 'y')).ask(RUN)), 'REVISION_CONFLICT');
  const page = new FakePage(new FakeCell('a', 'x'));
  (page.cells[0] as FakeCell).executionState = 'running';
  assert.equal(await refused(page.ask(RUN)), 'BUSY');
});

test('a cell of a notebook with another kernel is not run', async () => {
  const page = new FakePage(new FakeCell('a', 'x'));
  const other = { ...page.kernel, id: 'k-2' } as unknown as FakeKernel['connection'];
  assert.equal(await refused(page.notebook.answer(RUN, 1, other)), 'CAPABILITY_UNAVAILABLE');
});

test('questions are shown at the notebooks of the kernel that asks, until it ends', async () => {
  const page = new FakePage();
  page.notebook.event('asks', [{ request_id: 'q', model_id: 'm' }], page.kernel.connection);
  page.notebook.event('other', [], page.kernel.connection);
  page.notebook.ended(page.kernel.connection);
  await settled();
  assert.deepEqual(page.asks, ['q', '']);
});

test('how cells stand is shown until the kernel ends, and again where a cell stands anew', () => {
  const page = new FakePage(new FakeCell('a', 'x'));
  const { connection } = page.kernel;
  page.notebook.event('cell_states', [{ cell_id: 'a', state: 'pending', said: 'why' }, 3], connection);
  page.notebook.cells(connection);
  page.notebook.ended(connection);
  assert.deepEqual(page.states, ['a pending', 'a pending', '']);
});

test('a kernel that was shut down leaves no words beside cells', () => {
  const page = new FakePage(new FakeCell('a', 'x'));
  const { connection } = page.kernel;
  page.notebook.event('cell_states', [{ cell_id: 'a', state: 'pending', said: 'why' }], connection);
  page.hasKernel = false;
  page.notebook.ended(connection);
  assert.deepEqual(page.states, ['a pending', '']);
});

test('the graph is shown as it is told, once somebody has asked for it, and in notebooks that come later', () => {
  const page = new FakePage(new FakeCell('a', 'x'));
  const { connection } = page.kernel;
  page.notebook.event('graph', '', connection);
  page.notebook.event('graph', '<div>graph</div>', connection);
  page.notebook.cells(connection);
  page.notebook.ended(connection);
  page.notebook.cells(connection);
  assert.deepEqual(
    page.states.filter(each => each !== ''),
    ['<div>graph</div>', '<div>graph</div>']
  );
});

test('the parts of a session are shown until its kernel ends', () => {
  const page = new FakePage();
  const { connection } = page.kernel;
  page.notebook.event('parts', [{ name: 'box', figures: '', stale: '' }, { name: 'lid', stale: '!' }, 3], connection);
  page.notebook.ended(connection);
  assert.deepEqual(page.parts, ['box,lid!', '']);
});

test('the forms of what is picked are lit until the kernel ends', () => {
  const page = new FakePage();
  const { connection } = page.kernel;
  const form = { cell_id: 'c1', line: 2, column: 1, end_line: 2, end_column: 13, text: '[cube 1 1 1]' };
  page.notebook.event('forms', [form, 3], connection);
  page.notebook.ended(connection);
  assert.deepEqual(page.forms, ['c1:2 [cube 1 1 1]', '']);
});

test('a view is docked, a text put in, and a form in a file opened where there is one', async () => {
  const page = new FakePage();
  const { connection } = page.kernel;
  const ask = (request: Request) => page.notebook.answer(request, 1, connection);
  const form = { cell: '', file: 'lid.oo', line: 1, column: 1, endLine: 1, endColumn: 5 };
  await ask({ method: 'dock_view', path: PATH, model: 'm-1' });
  await ask({ method: 'insert_text', path: PATH, text: '{:kind :circle}' });
  assert.deepEqual(await ask({ method: 'open_form', path: PATH, form }), {});
  const gone = { ...form, file: 'gone.oo' };
  await assert.rejects(ask({ method: 'open_form', path: PATH, form: gone }), { code: 'FILE_NOT_FOUND' });
  assert.deepEqual(page.said, ['docked m-1', 'inserted {:kind :circle}']);
});
