import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { JSONObject, JSONValue } from '@lumino/coreutils';

import { type Answering, NotebookComm } from '../src/notebook/notebookComm.js';
import { Refusal, type Request } from '../src/notebook/notebookProtocol.js';
import { FakeKernel, settled } from './fakeKernel.js';

/** Answers with what it is asked, and notes what it is told. */
class Echo implements Answering {
  readonly heard: [string, JSONValue][] = [];
  ends = 0;

  async answer(request: Request, id: number): Promise<JSONObject> {
    if (request.method === 'delete') {
      throw new Refusal('BUSY', 'not now');
    }
    if (request.method === 'run') {
      throw new TypeError('a mistake');
    }
    return { method: request.method, id };
  }

  cells(): JSONObject {
    return { 'plan.ipynb': ['a'] };
  }

  event(name: string, value: JSONValue): void {
    this.heard.push([name, value]);
  }

  ended(): void {
    this.ends += 1;
  }
}

/** What was sent, but for which cells there are. */
function sent(comm: { readonly sent: JSONObject[] } | undefined): JSONObject[] {
  return (comm?.sent ?? []).filter(({ event }) => event !== 'cells');
}

async function connected(kernel: FakeKernel): Promise<Echo> {
  const echo = new Echo();
  new NotebookComm(kernel.connection, echo);
  await settled();
  return echo;
}

test('a kernel that knows Loon gets the comm at once', async () => {
  const kernel = new FakeKernel();
  await connected(kernel);
  assert.deepEqual(
    kernel.comms.map(({ target, opened }) => [target, opened]),
    [['vcad.notebook', 1]]
  );
});

test('the cells there are are told when the comm opens, and when they change', async () => {
  const kernel = new FakeKernel();
  const comm = new NotebookComm(kernel.connection, new Echo());
  comm.tellCells(); // nobody is there yet
  await settled();
  comm.tellCells();
  const told = { event: 'cells', notebooks: { 'plan.ipynb': ['a'] } };
  assert.deepEqual(kernel.comms[0]?.sent, [told, told]);
});

test('each request is answered with its number, also one that makes no sense', async t => {
  const noted = t.mock.method(console, 'error', () => undefined);
  const kernel = new FakeKernel();
  await connected(kernel);
  const [comm] = kernel.comms;
  const of = { path: 'a', cell: 'c', expected: '', agent: '' };
  comm?.answer({ id: 1, method: 'notebooks' });
  comm?.answer({ id: 2, method: 'delete', ...of });
  comm?.answer({ id: 3, method: 'erase' });
  comm?.answer({ id: 4, method: 'run', ...of });
  comm?.answer({ id: 'x' });
  await settled();
  const [first, ...refusals] = sent(comm).sort((a, b) => Number(a.id) - Number(b.id));
  assert.deepEqual(first, { id: 1, result: { method: 'notebooks', id: 1 } });
  assert.deepEqual(
    refusals.map(({ id, error }) => [id, (error as JSONObject).code]),
    [
      [2, 'BUSY'],
      [3, 'INVALID_REQUEST'],
      [4, 'INTERNAL_ERROR']
    ]
  );
  assert.equal(noted.mock.callCount(), 1);
});

test('what is told needs no answer, and what comes too late is not heard', async () => {
  const kernel = new FakeKernel();
  const echo = await connected(kernel);
  kernel.comms[0]?.answer({ event: 'asks', number: 2, value: ['new'] });
  kernel.comms[0]?.answer({ event: 'asks', number: 1, value: ['late'] });
  kernel.comms[0]?.answer({ event: 'other', number: 1, value: 'x' });
  await settled();
  assert.deepEqual(echo.heard, [
    ['asks', ['new']],
    ['other', 'x']
  ]);
  assert.deepEqual(sent(kernel.comms[0]), []);
});

test('a kernel without the extension is asked again when a cell may have loaded it, and not before', async () => {
  const kernel = new FakeKernel();
  kernel.knowsLoon = false;
  await connected(kernel);
  kernel.began('1 + 1');
  kernel.ran();
  await settled();
  assert.deepEqual([kernel.asked, kernel.comms.length], [1, 0]);
  kernel.knowsLoon = true;
  kernel.began('%load_ext notebook_ext');
  kernel.ran();
  await settled();
  assert.deepEqual([kernel.asked, kernel.comms.length], [2, 1]);
});

test('after a restart the comm is opened anew once the extension is loaded, and only once', async () => {
  const kernel = new FakeKernel();
  const echo = await connected(kernel);
  kernel.restart();
  assert.equal(echo.ends, 1);
  kernel.began('%load_ext notebook_ext');
  kernel.ran();
  kernel.began('%%loon');
  kernel.ran();
  await settled();
  assert.equal(kernel.comms.length, 2);
});

test('the comm is opened again when the kernel has closed it', async () => {
  const kernel = new FakeKernel();
  const echo = await connected(kernel);
  kernel.comms[0]?.onClose();
  assert.equal(echo.ends, 1);
  kernel.began('%load_ext notebook_ext');
  kernel.ran();
  await settled();
  assert.equal(kernel.comms.length, 2);
});

test('the page asks the session, and gets its answer, its refusal, or that nobody is there', async () => {
  const kernel = new FakeKernel();
  const comm = new NotebookComm(kernel.connection, new Echo());
  await assert.rejects(comm.ask('parts'), { code: 'CAPABILITY_UNAVAILABLE' });
  await settled();
  const [wire] = kernel.comms;
  const [parts, written, lost] = [comm.ask('parts'), comm.ask('export', { path: 'x' }), comm.ask('parts')];
  assert.deepEqual(sent(wire), [
    { ask: 1, method: 'parts' },
    { ask: 2, method: 'export', path: 'x' },
    { ask: 3, method: 'parts' }
  ]);
  wire?.answer({ reply: 2, error: { code: 'EXPORT_FAILED', message: 'the disk is full', fix: 'make room' } });
  wire?.answer({ reply: 1, result: { parts: [] } });
  assert.deepEqual(await parts, { parts: [] });
  await assert.rejects(written, { code: 'EXPORT_FAILED', message: 'the disk is full; make room' });
  kernel.restart();
  await assert.rejects(lost, { code: 'CAPABILITY_UNAVAILABLE' });
});
