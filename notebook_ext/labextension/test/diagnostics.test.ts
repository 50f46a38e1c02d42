import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Text } from '@codemirror/state';

import { Checks } from '../src/language/diagnostics.js';
import type { Finding } from '../src/language/protocol.js';

const FINDING: Finding = { from: 0, to: 1, severity: 'hint', code: 'E0300', message: '', why: '', fix: '', edits: [] };

/** An editor as far as a check looks at it. */
function editorOf(doc: string): { state: { doc: Text } } {
  return { state: { doc: Text.of([doc]) } };
}

/** How a test answers a question. */
interface Answering {
  readonly resolve: (findings: readonly Finding[]) => void;
  readonly reject: (error: Error) => void;
}

/** Checks whose answers a test gives, in the order of the questions. */
function scripted(): { checks: Checks; asked: string[]; answers: Answering[] } {
  const asked: string[] = [];
  const answers: Answering[] = [];
  const checks = new Checks({
    check: text => {
      asked.push(text);
      return new Promise((resolve, reject) => answers.push({ resolve, reject }));
    },
    watch: () => () => undefined
  });
  return { checks, asked, answers };
}

function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

test('texts that were typed over while a check ran are not asked about', async () => {
  const { checks, asked, answers } = scripted();
  const editor = editorOf('a');
  const first = checks.of(editor);
  await settled();
  editor.state = editorOf('ab').state;
  const second = checks.of(editor);
  editor.state = editorOf('abc').state;
  const third = checks.of(editor);
  answers[0]?.resolve([FINDING]);
  await settled();
  assert.deepEqual(asked, ['a', 'abc']);
  answers[1]?.resolve([FINDING]);
  assert.deepEqual((await Promise.all([first, second, third])).map(({ length }) => length), [1, 0, 1]);
});

test('a check that fails holds up none of those to come', async () => {
  const { checks, answers } = scripted();
  const editor = editorOf('a');
  const failing = checks.of(editor);
  const next = checks.of(editor);
  await settled();
  answers[0]?.reject(new Error('no'));
  await assert.rejects(failing);
  await settled();
  answers[1]?.resolve([FINDING]);
  assert.equal((await next).length, 1);
});
