/**
 * The difference between a text and the same text formatted, as small changes.
 *
 * A formatter moves blanks; so the texts are walked side by side, and only blanks that differ are
 * replaced. The cursor, marks and folded regions then stay with the words that they are at.
 */

import type { ChangeSpec } from '@codemirror/state';

const BLANKS = /\s*/y;

/** A stretch of a text, `from` to `to`, with what comes in its place. Offsets count UTF-16 code units. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

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

/** The one replacement that makes `after` of `before`: what both begin and end with is left alone. */
export function replacement(before: string, after: string): Replacement {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) {
    same += 1;
  }
  same -= splits(before, same) || splits(after, same) ? 1 : 0;
  let end = 0;
  while (end < shorter - same && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end += 1;
  }
  end -= splits(before, before.length - end) || splits(after, after.length - end) ? 1 : 0;
  return { from: same, to: before.length - end, insert: after.slice(same, after.length - end) };
}

/** Whether an offset lies within a character of two code units. */
function splits(text: string, offset: number): boolean {
  return offset > 0 && isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
