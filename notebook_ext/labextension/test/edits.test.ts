import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ChangeSet, EditorState } from '@codemirror/state';

import { edits, replacement } from '../src/language/edits.js';

function changed(before: string, after: string): string {
  return EditorState.create({ doc: before }).update({ changes: edits(before, after) }).state.doc.toString();
}

test('the edits make one text of the other', () => {
  for (const [before, after] of [
    ['[f  1\n2]', '[f 1 2]'],
    ['  [f]', '[f]'],
    ['[f]', '[f]\n'],
    ['', '[f]'],
    ['[f] ', ''],
    ['[f 1.0]', '[f 1]'],
    ['[f 1]', '[g 1 2]']
  ] as const) {
    assert.equal(changed(before, after), after);
  }
});

test('a text that is in form already is not touched', () => {
  assert.deepEqual(edits('[f 1]', '[f 1]'), []);
});

test('the cursor stays with its word', () => {
  const before = '[f   1\n      word]';
  const after = '[f 1 word]';
  const cursor = before.indexOf('rd');
  assert.equal(ChangeSet.of(edits(before, after), before.length).mapPos(cursor), after.indexOf('rd'));
});

test('one replacement makes one text of the other, and touches only what differs', () => {
  for (const [before, after, from, to, insert] of [
    ['limit = 3', 'limit = 4', 8, 9, '4'],
    ['', 'a', 0, 0, 'a'],
    ['a', '', 0, 1, ''],
    ['aa', 'aaa', 2, 2, 'a'],
    ['abab', 'ab', 2, 4, ''],
    ['same', 'same', 4, 4, ''],
    ['x \u{1f600}', 'x \u{1f601}', 2, 4, '\u{1f601}'],
    ['\u{1f600}', '\u{1f400}', 0, 2, '\u{1f400}']
  ] as const) {
    assert.deepEqual(replacement(before, after), { from, to, insert });
    assert.equal(before.slice(0, from) + insert + before.slice(to), after);
  }
});
