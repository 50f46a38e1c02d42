import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EditorState } from '@codemirror/state';

import { placeOf } from '../src/views/forms.js';

const state = EditorState.create({ doc: '%%loon\n; 𝕏 [cube 1 1 1]\n[f\n  2]' });
const form = { cell: 'c1', line: 2, column: 5, endLine: 2, endColumn: 17, text: '[cube 1 1 1]' };

test('a form is found by line and column, which count code points', () => {
  assert.deepEqual(placeOf(state, form), { from: 12, to: 24 });
  assert.deepEqual(placeOf(state, { ...form, line: 3, column: 1, endLine: 4, endColumn: 5, text: '[f\n  2]' }), { from: 25, to: 32 });
});

test('where another text stands by now nothing is lit', () => {
  assert.equal(placeOf(state, { ...form, text: '[cube 1 1 2]' }), null);
  assert.equal(placeOf(state, { ...form, line: 9 }), null);
  assert.equal(placeOf(state, { ...form, endLine: 0 }), null);
});
