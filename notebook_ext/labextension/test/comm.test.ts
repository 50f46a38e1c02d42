import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LanguageComm } from '../src/language/comm.js';
import type { Answer } from '../src/language/protocol.js';
import { FakeKernel, settled } from './fakeKernel.js';

function connected(kernel: FakeKernel): LanguageComm {
  return new LanguageComm(kernel.connection);
}

test('each request gets the answer with its number, in whatever order they come', async () => {
  const kernel = new FakeKernel();
  const comm = connected(kernel);
  const answers = [comm.ask('check', 'a'), comm.ask('format', 'b')];
  await settled();
  assert.deepEqual(kernel.comms[0]?.sent, [
    { id: 1, method: 'check', text: 'a' },
    { id: 2, method: 'format', text: 'b' }
  ]);
  kernel.comms[0]?.answer({ id: 2, error: { code: 'E0101', message: 'stray ]' } });
  kernel.comms[0]?.answer({ id: 1, result: { diagnostics: [] } });
  const expected: Answer[] = [
    { result: { diagnostics: [] } },
    { error: { code: 'E0101', message: 'stray ]' } }
  ];
  assert.deepEqual(await Promise.all(answers), expected);
  assert.equal(kernel.comms[0]?.opened, 1);
});

test('a request says which cell it is about, where it is about one', async () => {
  const kernel = new FakeKernel();
  void connected(kernel).ask('check', 'a', { cell: 'cell-7' });
  await settled();
  assert.deepEqual(kernel.comms[0]?.sent, [{ id: 1, method: 'check', text: 'a', cell: 'cell-7' }]);
  kernel.restart();
});

test('a connection that may have no comms has no answers, and no errors', async () => {
  const kernel = new FakeKernel();
  kernel.handleComms = false;
  assert.equal(await connected(kernel).ask('check', 'a'), null);
  assert.equal(kernel.comms.length, 0);
});

test('a kernel without the extension is asked for no comm until it has run a cell', async () => {
  const kernel = new FakeKernel();
  kernel.knowsLoon = false;
  const comm = connected(kernel);
  assert.equal(await comm.ask('check', 'a'), null);
  kernel.knowsLoon = true;
  assert.equal(await comm.ask('check', 'a'), null);
  assert.equal(kernel.comms.length, 0);
  kernel.ran();
  await settled();
  void comm.ask('check', 'a');
  await settled();
  assert.equal(kernel.comms.length, 1);
  kernel.restart();
});

test('a restart ends what was asked, and the next question opens a new comm', async () => {
  const kernel = new FakeKernel();
  const comm = connected(kernel);
  let changes = 0;
  comm.changed.connect(() => (changes += 1));
  const lost = comm.ask('check', 'a');
  await settled();
  kernel.restart();
  assert.equal(await lost, null);
  assert.equal(changes, 1);
  const answer = comm.ask('check', 'b');
  await settled();
  kernel.comms[1]?.answer({ id: 2, result: {} });
  assert.deepEqual(await answer, { result: {} });
});

test('when the kernel closes the comm, what was asked has no answer', async () => {
  const kernel = new FakeKernel();
  const lost = connected(kernel).ask('check', 'a');
  await settled();
  kernel.comms[0]?.onClose();
  assert.equal(await lost, null);
});

test('a cell that has run is a reason to ask again', async () => {
  const kernel = new FakeKernel();
  const comm = connected(kernel);
  let changes = 0;
  comm.changed.connect(() => (changes += 1));
  kernel.ran();
  void comm.ask('check', 'a');
  await settled();
  kernel.ran();
  await settled();
  assert.equal(changes, 2);
  kernel.restart();
});
