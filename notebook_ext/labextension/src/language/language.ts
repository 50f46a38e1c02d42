/**
 * Loon as a CodeMirror language: tokens with colours, brackets, comments, indentation.
 *
 * Knows neither notebooks nor kernels. Colours come from the theme by the standard tags that each
 * role falls back to; style/loon.css gives a few roles that JupyterLab's theme leaves plain a colour.
 */

import {
  indentUnit,
  LanguageSupport,
  StreamLanguage,
  syntaxHighlighting
} from '@codemirror/language';
import { type Extension, Prec } from '@codemirror/state';
import { Tag, tagHighlighter, tags } from '@lezer/highlight';

import { INDENT, type Position, tokenizer } from './tokenizer.js';

/** Role to the standard tag that colours it in any theme. */
const APPEARANCE: Readonly<Record<string, Tag>> = {
  magic: tags.meta,
  comment: tags.lineComment,
  string: tags.string,
  escape: tags.special(tags.string),
  interpolation: tags.special(tags.string),
  keyword: tags.attributeName,
  number: tags.number,
  boolean: tags.bool,
  bracket: tags.bracket,
  special: tags.keyword,
  definition: tags.definition(tags.variableName),
  operation: tags.operator,
  builtin: tags.standard(tags.variableName),
  library: tags.function(tags.variableName),
  constructor: tags.typeName,
  symbol: tags.variableName,
  quote: tags.meta,
  postfix: tags.operator,
  illegal: tags.invalid
};

/**
 * Role to a tag of its own, so that a role has a class besides the theme's colour. Without names: the
 * @lezer/highlight of Notebook 7 takes none yet.
 */
const ROLES: Readonly<Record<string, Tag>> = Object.fromEntries(
  Object.keys(APPEARANCE).map(role => [role, Tag.define()])
);

const classes = tagHighlighter(
  Object.entries(ROLES).map(([role, tag]) => ({ tag, class: `cm-loon-${role}` }))
);

const TOKEN_TABLE = Object.fromEntries(
  Object.entries(ROLES).map(([role, tag]) => [nodeName(role), [tag, APPEARANCE[role] ?? tag]])
);

/** What both kinds of text need beside their language. */
const SUPPORT: Extension = [
  syntaxHighlighting(classes),
  // Over the notebook's own setting, which is made for Python.
  Prec.highest(indentUnit.of(' '.repeat(INDENT)))
];

/** Loon in a file. */
export const loon = new LanguageSupport(language(false), SUPPORT);

/** Loon in a notebook cell, under a `%%loon` line. */
export const loonCell = new LanguageSupport(language(true), SUPPORT);

function language(magic: boolean): StreamLanguage<Position> {
  const parser = tokenizer(magic);
  return StreamLanguage.define({
    ...parser,
    token: (stream, position) => {
      const role = parser.token(stream, position);
      return role === null ? null : nodeName(role);
    },
    tokenTable: TOKEN_TABLE
  });
}

/** A role's name in the syntax tree: plain names like `builtin` mean something else to CodeMirror. */
function nodeName(role: string): string {
  return `loon-${role}`;
}
