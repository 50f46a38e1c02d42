import assert from 'node:assert/strict';
import { test } from 'node:test';

import { getIndentation, indentUnit, language, matchBrackets, syntaxTree } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';

import { isLoonCell, whileLoon } from '../src/language/cells.js';
import { loon, loonCell } from '../src/language/language.js';

function stateOf(doc: string, extensions: Extension = loon): EditorState {
  return EditorState.create({ doc, extensions });
}

/** The language of a cell after a change, over another language of JupyterLab's. */
function languageAfter(before: string, change: { from: number; to?: number; insert: string }): string {
  const state = stateOf(before, [whileLoon(before, loonCell), indentUnit.of('    ')]);
  return state.update({ changes: change }).state.facet(language)?.name ?? 'underneath';
}

test('brackets match with and without a sign before them', () => {
  const state = stateOf('#[1 {:a "]"} (2)]');
  assert.deepEqual(matchBrackets(state, 1, 1)?.end, { from: 16, to: 17 });
  assert.equal(matchBrackets(state, 1, 1)?.matched, true);
});

test('a bracket closed by one of another kind is no match', () => {
  assert.equal(matchBrackets(stateOf('[1)'), 0, 1)?.matched, false);
});

test('a line is set in by two from the bracket that it stands in', () => {
  const state = stateOf('[pipe [cube 1 1 1]\n[translate 1\n"a {\n');
  assert.equal(getIndentation(state, state.doc.line(2).from), 2);
  assert.equal(getIndentation(state, state.doc.line(3).from), 2);
});

test('a string keeps the indentation that it has', () => {
  const state = stateOf('[f "a\n   b"]');
  assert.equal(getIndentation(state, state.doc.line(2).from), null);
});

test('only %%loon at the beginning makes a cell of Loon', () => {
  assert.ok(isLoonCell('%%loon'));
  assert.ok(isLoonCell('\n%%loon part\n[cube 1 1 1]'));
  assert.ok(!isLoonCell('%%loonish'));
  assert.ok(!isLoonCell('%loon [+ 1 2]'));
  assert.ok(!isLoonCell('x = 1\n%%loon'));
});

test('a cell becomes Loon in the change that completes the magic, and ceases in the one that breaks it', () => {
  assert.equal(languageAfter('%%loo\n[f]', { from: 5, insert: 'n' }), 'loon');
  assert.equal(languageAfter('%%loon\n[f]', { from: 0, to: 1, insert: '' }), 'underneath');
  assert.equal(languageAfter('%%loon\n[f]', { from: 8, insert: 'x' }), 'loon');
});

test('a cell of Loon is set in by two, whatever the notebook says', () => {
  const state = stateOf('%%loon\n', [whileLoon('%%loon\n', loonCell), indentUnit.of('    ')]);
  assert.equal(state.facet(indentUnit), '  ');
});

test('the tree names the roles', () => {
  const state = stateOf('[cube 1 1 1]');
  assert.equal(syntaxTree(state).resolveInner(2).name, 'loon-library');
});
