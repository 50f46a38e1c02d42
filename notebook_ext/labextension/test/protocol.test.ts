import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { JSONValue } from '@lumino/coreutils';

import { findings, readAnswer } from '../src/language/protocol.js';

test('what is no answer is read as none', () => {
  const nonsense: JSONValue[] = [null, 'x', {}, { id: '1', result: {} }, { id: 1 }, { id: 1, result: 'x' }];
  for (const data of nonsense) {
    assert.equal(readAnswer(data), null);
  }
});

test('findings stay inside the text and have words for everything', () => {
  const edits: JSONValue = [{ from: 4, to: 99, text: '2' }, 'nonsense', { from: 'x' }];
  const result = { diagnostics: [{ from: 3, to: 99, severity: 'hint', code: 'E0300', edits }, 'nonsense'] };
  const kept = [
    { from: 4, to: 10, text: '2' },
    { from: 0, to: 0, text: '' }
  ];
  assert.deepEqual(findings(result, 10), [
    { from: 3, to: 10, severity: 'hint', code: 'E0300', message: '', why: '', fix: '', edits: kept }
  ]);
  assert.deepEqual(findings({}, 10), []);
});
