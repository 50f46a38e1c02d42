/** Text as the editor's tokenizer cuts it, for tests. */

import { StringStream } from '@codemirror/language';

import { tokenizer } from '../src/language/tokenizer.js';

/** The role of a stretch of text, end exclusive, in UTF-16 code units. */
export type Highlight = readonly [role: string, start: number, end: number];

/** The tokens of a text; blanks between them are left out. */
export function highlighted(text: string, magic = false): Highlight[] {
  const parser = tokenizer(magic);
  const position = parser.startState?.(2);
  const found: Highlight[] = [];
  let offset = 0;
  for (const line of text.split('\n')) {
    const stream = new StringStream(line, 2, 2);
    while (position !== undefined && !stream.eol()) {
      stream.start = stream.pos;
      const role = parser.token(stream, position);
      if (role !== null) {
        found.push([role, offset + stream.start, offset + stream.pos]);
      }
    }
    offset += line.length + 1;
  }
  return found;
}

/** The tokens as `role:text`. */
export function spelled(text: string, magic = false): string[] {
  return highlighted(text, magic).map(([role, start, end]) => `${role}:${text.slice(start, end)}`);
}
