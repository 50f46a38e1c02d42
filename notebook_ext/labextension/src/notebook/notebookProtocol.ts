/**
 * What the kernel asks of the page that shows its notebooks, over the comm `vcad.notebook`.
 *
 * The kernel's side is notebook_ext/front_end/notebook_comm.py. It sends `{id, method, …}` and gets `{id, result}`
 * or `{id, error: {code, message}}`; or it tells, `{event, number, value}`, and gets nothing. The page tells, too:
 * `{event: "interrupt"}`, and `{event: "cells", notebooks: {path: [id]}}`. The page asks the
 * session in turn, `{ask, method, …}`, and gets `{reply, result}` or `{reply, error: {code, message, fix}}`. A notebook is named by
 * its path as the server has it, a cell by its id. What comes is looked at before it is believed.
 */

import type { JSONObject, JSONValue } from '@lumino/coreutils';

/** The comm's name on both sides. */
export const NOTEBOOK_TARGET = 'vcad.notebook';

/** A cell's type, as notebook files call it. */
export type CellKind = 'code' | 'markdown' | 'raw';

/** Where a cell is. */
export interface OfCell {
  readonly path: string;
  readonly cell: string;
}

/** What may be asked. */
export type Request =
  /** Which notebooks this page shows, and where the server's root is. */
  | { readonly method: 'notebooks' }
  /** All cells, with the kinds of their outputs. */
  | { readonly method: 'list'; readonly path: string }
  /** One cell, with its outputs as text. */
  | ({ readonly method: 'get' } & OfCell)
  /** Another text for a cell; `expected` is the one that it must have now. */
  | ({
      readonly method: 'set';
      readonly source: string;
      readonly kind: CellKind | null;
      readonly expected: string;
      readonly agent: string;
    } & OfCell)
  /** A new cell after another one; with none it is the first. */
  | {
      readonly method: 'insert';
      readonly path: string;
      readonly after: string | null;
      readonly source: string;
      readonly kind: CellKind;
      readonly agent: string;
    }
  /** A cell less. */
  | ({ readonly method: 'delete'; readonly expected: string; readonly agent: string } & OfCell)
  /** Run a cell, with the text that it must have now; answered when it has ended. */
  | ({ readonly method: 'run'; readonly expected: string; readonly agent: string } & OfCell)
  /** Interrupt what was begun with `run` under this number. */
  | { readonly method: 'stop'; readonly run: number }
  /** Show a widget, the live view, beside the notebook. */
  | { readonly method: 'dock_view'; readonly path: string; readonly model: string }
  /** Put text at the cursor. */
  | { readonly method: 'insert_text'; readonly path: string; readonly text: string }
  /** What a view below a cell shows by now, for the notebook's file; `said` is the same in words. */
  | ({
      readonly method: 'set_output';
      readonly model: string;
      readonly bundle: JSONObject;
      readonly said: string;
    } & OfCell)
  /** Show where a form stands. */
  | { readonly method: 'open_form'; readonly path: string; readonly form: Form };

/** Where a form stands: in a cell, or in a file of the workspace. Lines and columns count from 1. */
export interface Form {
  readonly cell: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Why a request is refused; the code is one of the project's stable codes. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string
  ) {
    super(message);
  }
}

/** What is said where a notebook is needed and none is open. */
export const NO_NOTEBOOK = 'No notebook is open: open one, or take Loon Notebook in the launcher.';

/** A message of the kernel: a request with its number, an event, or an answer to what the page asked. */
export type Message =
  | { readonly id: number; readonly request: Request | Refusal }
  | { readonly event: string; readonly number: number; readonly value: JSONValue }
  | { readonly reply: number; readonly answer: JSONObject | Refusal };

/** Read a message of the kernel; null for anything else. */
export function readMessage(data: JSONValue): Message | null {
  if (!isObject(data)) {
    return null;
  }
  if (typeof data.event === 'string') {
    const number = typeof data.number === 'number' ? data.number : 0;
    return { event: data.event, number, value: data.value ?? null };
  }
  if (typeof data.reply === 'number') {
    return { reply: data.reply, answer: readAnswer(data) };
  }
  return typeof data.id === 'number' ? { id: data.id, request: readRequest(data) } : null;
}

function readForm({ cell_id: cell, file, column, end_line: endLine, end_column: endColumn }: JSONObject, line: number): Form {
  const number = (value: JSONValue | undefined, otherwise: number): number =>
    typeof value === 'number' ? value : otherwise;
  const start = number(column, 1);
  return {
    cell: text(cell),
    file: text(file),
    line,
    column: start,
    endLine: number(endLine, line),
    endColumn: number(endColumn, start)
  };
}

function readAnswer({ result, error }: JSONObject): JSONObject | Refusal {
  if (isObject(result)) {
    return result;
  }
  const { code, message, fix } = isObject(error) ? error : {};
  const said = [message, fix].filter(text => typeof text === 'string' && text !== '').join('; ');
  return new Refusal(typeof code === 'string' ? code : 'REMOTE_ERROR', said || 'the session refused it');
}

function readRequest(data: JSONObject): Request | Refusal {
  const { method, path, cell, after, source, expected, kind, agent, run } = data;
  const by = typeof agent === 'string' ? agent : '';
  if (method === 'notebooks') {
    return { method };
  }
  if (method === 'stop' && typeof run === 'number') {
    return { method, run };
  }
  if (method === 'list' && typeof path === 'string') {
    return { method, path };
  }
  if (method === 'insert' && typeof path === 'string' && typeof source === 'string' && isKind(kind)) {
    return { method, path, source, kind, after: typeof after === 'string' ? after : null, agent: by };
  }
  if (method === 'dock_view' && typeof path === 'string' && typeof data.model_id === 'string') {
    return { method, path, model: data.model_id };
  }
  if (method === 'insert_text' && typeof path === 'string' && typeof data.text === 'string') {
    return { method, path, text: data.text };
  }
  if (method === 'open_form' && typeof path === 'string' && typeof data.line === 'number') {
    return { method, path, form: readForm(data, data.line) };
  }
  if (typeof path === 'string' && typeof cell === 'string') {
    if (method === 'set_output' && typeof data.model_id === 'string' && isObject(data.bundle)) {
      return { method, path, cell, model: data.model_id, bundle: data.bundle, said: text(data.said) };
    }
    if (method === 'get') {
      return { method, path, cell };
    }
    if (method === 'set' && typeof source === 'string' && typeof expected === 'string') {
      return { method, path, cell, source, expected, kind: isKind(kind) ? kind : null, agent: by };
    }
    if ((method === 'delete' || method === 'run') && typeof expected === 'string') {
      return { method, path, cell, expected, agent: by };
    }
  }
  return new Refusal('INVALID_REQUEST', `${String(method)} is no request that this page knows`);
}

/** What waits for a person's answer: the question, and the model of the widget that shows it. */
export interface AskReference {
  readonly request_id: string;
  readonly model_id: string;
}

/** The questions in the value of the event `asks`. */
export function readAsks(value: JSONValue): AskReference[] {
  return rows(value).flatMap(({ request_id, model_id }) =>
    typeof request_id === 'string' && typeof model_id === 'string' ? [{ request_id, model_id }] : []
  );
}

/** A part of the session, in the value of the event `parts`. */
export interface PartRow {
  readonly name: string;
  readonly figures: string;
  /** Why it is out of date; empty where it is not. */
  readonly stale: string;
  /** Whether viewers show it. */
  readonly seen: boolean;
}

/** The parts in the value of the event `parts`. */
export function readParts(value: JSONValue): PartRow[] {
  return rows(value).map(row => ({
    name: text(row.name),
    figures: text(row.figures),
    stale: text(row.stale),
    seen: row.seen !== false
  }));
}

/** How a cell stands with what it is built from. */
export interface CellState {
  readonly cell: string;
  /** In a word or two, and the class of what shows it. */
  readonly state: string;
  /** Why, in words. */
  readonly said: string;
  /** What a cell gives by now, where that is no part and its output says what it gave. */
  readonly value: string;
}

/** The cells in the value of the event `cell_states`. */
export function readStates(value: JSONValue): CellState[] {
  return rows(value).map(row => ({
    cell: text(row.cell_id),
    state: text(row.state),
    said: text(row.said),
    value: text(row.value)
  }));
}

/** A form that made what is picked, with its text as it ran. */
export interface PickedForm extends Omit<Form, 'file'> {
  readonly text: string;
}

/** The forms in the value of the event `forms`. */
export function readForms(value: JSONValue): PickedForm[] {
  return rows(value).flatMap(row => {
    const { file: _, ...form } = readForm(row, typeof row.line === 'number' ? row.line : 0);
    return [{ ...form, text: text(row.text) }];
  });
}

/** A name of the reference. */
export interface EntryRow {
  readonly name: string;
  readonly group: string;
  readonly usage: string;
  readonly says: string;
  /** Whether its example is a model, of which there is a picture. */
  readonly isModel: boolean;
}

/** The names in an answer to `reference`. */
export function readEntries({ entries }: JSONObject): EntryRow[] {
  return rows(entries).map(row => ({
    name: text(row.name),
    group: text(row.group),
    usage: text(row.usage),
    says: text(row.says),
    isModel: row.is_model === true
  }));
}

function rows(value: JSONValue | undefined): JSONObject[] {
  return (Array.isArray(value) ? value : []).filter(isObject);
}

function text(value: JSONValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function isKind(value: JSONValue | undefined): value is CellKind {
  return value === 'code' || value === 'markdown' || value === 'raw';
}

function isObject(value: JSONValue | undefined): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
