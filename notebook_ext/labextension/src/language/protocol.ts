/**
 * What is said between the editor and the kernel about Loon text, over the comm `vcad.language`.
 *
 * The kernel's side is notebook_ext/language/comm.py. Offsets count UTF-16 code units in the text that
 * was sent, the `%%loon` line included. Answers come from outside, so they are looked at before they
 * are believed.
 */

import type { JSONObject, JSONValue } from '@lumino/coreutils';

/** The comm's name on both sides. */
export const TARGET = 'vcad.language';

/** What can be asked about a text. */
export type Method = 'check' | 'format';

/** What a text is of. */
export type OfText = { readonly cell?: string } | { readonly file: string };

/** Something a check has found. */
export interface Finding {
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning' | 'hint';
  /** As in the diagnostics under a cell: `E0201`. */
  readonly code: string;
  readonly message: string;
  readonly why: string;
  readonly fix: string;
  /** The fix as changes of the text, where it leaves nothing to decide; none overlaps another. */
  readonly edits: readonly Edit[];
}

/** A stretch of the text, and what replaces it. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** What the kernel answers: a result, or why there is none. */
export type Answer =
  | { readonly result: JSONObject }
  | { readonly error: { readonly code: string; readonly message: string } };

/** A message of the kernel, with the number of the request that it answers; null for anything else. */
export function readAnswer(data: JSONValue): { id: number; answer: Answer } | null {
  if (!isObject(data) || typeof data.id !== 'number') {
    return null;
  }
  const { id, result, error } = data;
  if (isObject(error)) {
    return { id, answer: { error: { code: text(error.code), message: text(error.message) } } };
  }
  return isObject(result) ? { id, answer: { result } } : null;
}

/** The findings of a check, kept inside a text of this length. */
export function findings(result: JSONObject, length: number): Finding[] {
  const { diagnostics } = result;
  return Array.isArray(diagnostics)
    ? diagnostics.filter(isObject).map(entry => finding(entry, length))
    : [];
}

function finding(entry: JSONObject, length: number): Finding {
  const from = offset(entry.from, length);
  const { severity } = entry;
  return {
    from,
    to: Math.max(from, offset(entry.to, length)),
    severity: severity === 'warning' || severity === 'hint' ? severity : 'error',
    code: text(entry.code),
    message: text(entry.message),
    why: text(entry.why),
    fix: text(entry.fix),
    edits: Array.isArray(entry.edits) ? entry.edits.filter(isObject).map(change => edit(change, length)) : []
  };
}

function edit(entry: JSONObject, length: number): Edit {
  const from = offset(entry.from, length);
  return { from, to: Math.max(from, offset(entry.to, length)), text: text(entry.text) };
}

function offset(value: JSONValue | undefined, length: number): number {
  return typeof value === 'number' ? Math.min(Math.max(0, value), length) : 0;
}

function text(value: JSONValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: JSONValue | undefined): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
