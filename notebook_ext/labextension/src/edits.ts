/**
 * The difference between a text and the same text formatted, as small changes.
 *
 * A formatter moves blanks; so the texts are walked side by side, and only blanks that differ are
 * replaced. The cursor, marks and folded regions then stay with the words that they are at.
 */

import type { ChangeSpec } from '@codemirror/state';

const BLANKS = /\s*/y;

/** The changes that make `after` of `before`. */
export function edits(before: string, after: string): ChangeSpec[] {
  const changes: ChangeSpec[] = [];
  let from = 0;
  let at = 0;
  for (;;) {
    const old = blanksAt(before, from);
    const blank = blanksAt(after, at);
    if (old !== blank) {
      changes.push({ from, to: from + old.length, insert: blank });
    }
    from += old.length;
    at += blank.length;
    if (from === before.length && at === after.length) {
      return changes;
    }
    if (before[from] !== after[at]) {
      // More than blanks differs from here on.
      return [...changes, { from, to: before.length, insert: after.slice(at) }];
    }
    from += 1;
    at += 1;
  }
}

function blanksAt(text: string, offset: number): string {
  BLANKS.lastIndex = offset;
  return BLANKS.exec(text)?.[0] ?? '';
}
