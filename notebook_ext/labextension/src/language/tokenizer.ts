/**
 * Cuts Loon text into tokens, line by line, as CodeMirror's stream parser wants it.
 *
 * Everything that depends on the language comes from the table of tokens; here is only what a
 * regular expression cannot say: strings that span lines, code inside strings, names by where they
 * stand. Knows no colours.
 */

import type { StreamParser, StringStream } from '@codemirror/language';

import { table } from './tokens.js';

/** The blanks by which what stands in brackets is set in, as the formatter does. */
export const INDENT = 2;

/** Where the tokenizer is inside strings and the code in their braces. */
interface Frame {
  readonly kind: 'string' | 'code';
  /** How many strings are around: code in a string of level 0 has level 1. */
  readonly level: number;
  /** Braces open in this code. */
  readonly braces: number;
}

/** What a line leaves for the next. */
export interface Position {
  /** Whether the line of the cell magic may still come. */
  magic: boolean;
  /** What may stand next: the head of a list, or a name to be defined. */
  place: '' | 'head' | 'name';
  /** The form whose name comes next. */
  definer: string;
  /** Innermost last. */
  frames: readonly Frame[];
  /** Columns of the brackets that are open, innermost last. */
  brackets: readonly number[];
}

const MAGIC_LINE = /^\s*%%loon(?!\S).*/;
const QUOTE = /^(\\*)"/;
const ESCAPE = new RegExp(`^(?:${table.strings.escape})`);
const NESTED_ESCAPE = /^\\+[^"]?/;
const NESTED_COMMENT = /^;[^\n}"]*/;

const LEXEME = new RegExp(
  `^(?:${table.lexicon
    .filter(({ kind }) => kind !== 'string' && kind !== 'unclosed')
    .map(({ kind, pattern }) => `(?<${kind}>${pattern})`)
    .join('|')})`
);

const OPERATION = new RegExp(`^(?:${table.symbols.operation})$`);
const CONSTRUCTOR = new RegExp(`^(?:${table.symbols.constructor})$`);
const BUILTINS = new Set(table.symbols.builtin);
const LIBRARY = new Set(table.symbols.library);

/**
 * The stream parser of Loon.
 *
 * @param magic - Whether the text is a cell that may open with a `%%loon` line.
 */
export function tokenizer(magic: boolean): StreamParser<Position> {
  return {
    name: 'loon',
    startState: () => ({ magic, place: '', definer: '', frames: [], brackets: [] }),
    token: (stream, position) => token(stream, position),
    indent: (position, textAfter, { unit }) => indentation(position, textAfter, unit),
    languageData: {
      commentTokens: { line: ';' },
      closeBrackets: { brackets: ['[', '(', '{', '"'] },
      indentOnInput: /^\s*[\])}]$/,
      wordChars: '-?!*%/+<>=.&:'
    }
  };
}

/** How far a line is set in: from the innermost open bracket; null leaves a string as it is. */
function indentation(position: Position, textAfter: string, unit: number): number | null {
  if (position.frames.length > 0) {
    return null;
  }
  const opener = position.brackets.at(-1);
  if (opener === undefined) {
    return 0;
  }
  return /^[\])}]/.test(textAfter) ? opener : opener + unit;
}

function token(stream: StringStream, position: Position): string | null {
  if (position.magic) {
    if (stream.sol() && stream.match(MAGIC_LINE)) {
      position.magic = false;
      return 'magic';
    }
    position.magic = /^\s*$/.test(stream.string);
  }
  const frame = position.frames.at(-1);
  return frame?.kind === 'string' ? inString(stream, position, frame) : inCode(stream, position, frame);
}

/**
 * The next token of code, at the top or in the braces of a string.
 *
 * Opening and closing brackets play one role: CodeMirror matches brackets of the same kind of token,
 * and so a wrong partner shows.
 */
function inCode(stream: StringStream, position: Position, frame: Frame | undefined): string | null {
  const level = frame?.level ?? 0;
  if (frame?.braces === 0 && stream.eat(table.strings.close)) {
    leave(position, 1);
    return 'interpolation';
  }
  const quote = matched(stream, QUOTE);
  if (quote) {
    const slashes = quote[1]?.length ?? 0;
    if (slashes === slashesBefore(level)) {
      enter(position, { kind: 'string', level, braces: 0 });
      return 'string';
    }
    return closeString(position, slashes) ? 'string' : 'illegal';
  }
  if (frame && stream.match(NESTED_COMMENT)) {
    return 'comment';
  }
  const column = stream.column();
  const groups = matched(stream, LEXEME)?.groups ?? {};
  const kind = Object.keys(groups).find(name => groups[name] !== undefined) ?? 'illegal';
  const text = stream.current();
  if (kind === 'blank') {
    return null;
  }
  if (kind === 'comment') {
    return kind;
  }
  if (kind === 'symbol') {
    return symbol(text, position);
  }
  position.place = text === '[' ? 'head' : '';
  if (kind === 'open') {
    position.brackets = [...position.brackets, column];
    countBrace(position, frame, text, 1);
    return 'bracket';
  }
  if (kind === 'close') {
    position.brackets = position.brackets.slice(0, -1);
    countBrace(position, frame, text, -1);
    return 'bracket';
  }
  return kind === 'int' || kind === 'float' ? 'number' : kind;
}

/** The next token of a string: its text, an escape, or a brace that opens code. */
function inString(stream: StringStream, position: Position, frame: Frame): string {
  const nested = frame.level > 0;
  if (!nested && stream.match(ESCAPE)) {
    return 'escape';
  }
  const quote = matched(stream, QUOTE);
  if (quote) {
    const closed = closeString(position, quote[1]?.length ?? 0);
    return closed ? 'string' : 'escape';
  }
  if (nested && stream.match(NESTED_ESCAPE)) {
    return 'escape';
  }
  if (stream.eat(table.strings.open)) {
    enter(position, { kind: 'code', level: frame.level + 1, braces: 0 });
    return 'interpolation';
  }
  if (!stream.match(/^[^"\\{}]+/)) {
    stream.match(/^\\?[\s\S]/);
  }
  return 'string';
}

/** The part that a symbol plays where it stands. */
function symbol(name: string, position: Position): string {
  const { place, definer } = position;
  if (place === 'name') {
    if (table.symbols.definers[definer]?.includes(name)) {
      return 'special';
    }
    position.place = '';
    return 'definition';
  }
  position.place = '';
  if (place === 'head' && Object.hasOwn(table.symbols.special, name)) {
    position.definer = name;
    if (Object.hasOwn(table.symbols.definers, name)) {
      position.place = 'name';
    } else if (name === 'pub') {
      position.place = 'head';
    }
    return 'special';
  }
  if (place === 'head' && OPERATION.test(name)) {
    return 'operation';
  }
  if (LIBRARY.has(name)) {
    return 'library';
  }
  if (BUILTINS.has(name)) {
    return 'builtin';
  }
  return CONSTRUCTOR.test(name) ? 'constructor' : 'symbol';
}

/** Backslashes before a quotation mark that opens or closes a string of this level. */
function slashesBefore(level: number): number {
  return 2 ** level - 1;
}

/** Leave the string whose quotation mark has so many backslashes, and all inside it. */
function closeString(position: Position, slashes: number): boolean {
  const { frames } = position;
  const index = frames.findIndex(
    ({ kind, level }) => kind === 'string' && slashesBefore(level) === slashes
  );
  if (index < 0) {
    return false;
  }
  leave(position, frames.length - index);
  return true;
}

function enter(position: Position, frame: Frame): void {
  position.frames = [...position.frames, frame];
  position.place = '';
}

function leave(position: Position, count: number): void {
  position.frames = position.frames.slice(0, -count);
  position.place = '';
}

/** Note a brace inside the code of a string, so that the one that ends the code is known. */
function countBrace(position: Position, frame: Frame | undefined, text: string, change: 1 | -1): void {
  if (frame && /[{}]$/.test(text)) {
    const braces = Math.max(0, frame.braces + change);
    position.frames = [...position.frames.slice(0, -1), { ...frame, braces }];
  }
}

function matched(stream: StringStream, pattern: RegExp): RegExpMatchArray | null {
  const groups = stream.match(pattern);
  return typeof groups === 'boolean' ? null : groups;
}
