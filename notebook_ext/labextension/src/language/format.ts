/**
 * The command that formats Loon: the active `%%loon` cell, or the file in the active editor.
 *
 * Text is replaced only when the answer has come and the text is still the one that was asked about.
 */

import type { EditorView } from '@codemirror/view';
import { Notification } from '@jupyterlab/apputils';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { IEditorTracker } from '@jupyterlab/fileeditor';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';
import type { Widget } from '@lumino/widgets';

import { isLoonCell } from './cells.js';
import { edits } from './edits.js';
import type { Answer } from './protocol.js';
import type { ILanguageService } from './service.js';

export const FORMAT_COMMAND = 'vcad-workbench:format';

const MAGIC_LINE = '%%loon\n';
/** Of Loon files. */
export const MIME_TYPE = 'text/x-loon';
const NOTICE_MS = 6000;
const NOBODY =
  'Formatting asks a kernel that knows Loon, and there is none yet: run %load_ext notebook_ext in a notebook.';

/** Where texts are found, and who is asked about them. */
export interface FormatContext {
  readonly service: ILanguageService;
  readonly notebooks: INotebookTracker;
  /** Null where JupyterLab has no file editor. */
  readonly files: IEditorTracker | null;
  /** What the person works in. */
  readonly current: () => Widget | null;
}

/** A text that the command would format. */
interface Subject {
  readonly kind: 'Cell' | 'File';
  readonly view: EditorView;
  readonly ask: (text: string) => Promise<Answer | null>;
}

/** Add the command. */
export function addFormatCommand(commands: CommandRegistry, context: FormatContext): void {
  commands.addCommand(FORMAT_COMMAND, {
    label: () => `Loon: Format ${subject(context)?.kind ?? 'Cell'}`,
    caption: 'Lay out the Loon text: comments and meaning stay',
    isEnabled: () => subject(context) !== null,
    execute: async () => {
      const chosen = subject(context);
      if (chosen !== null) {
        await format(chosen);
      }
    },
    describedBy: { args: { type: 'object', properties: {} } }
  });
}

function subject({ service, notebooks, files, current }: FormatContext): Subject | null {
  const widget = current();
  if (widget === null) {
    return null;
  }
  if (widget === notebooks.currentWidget) {
    return loonCell(notebooks, service);
  }
  return files !== null && widget === files.currentWidget ? loonFile(files, service) : null;
}

function loonCell(notebooks: INotebookTracker, service: ILanguageService): Subject | null {
  const cell = notebooks.activeCell;
  const view = viewOf(cell?.editor);
  if (cell?.model.type !== 'code' || view === null || !isLoonCell(view.state.doc.toString())) {
    return null;
  }
  return { kind: 'Cell', view, ask: text => service.askAbout(cell.model.sharedModel, 'format', text) };
}

function loonFile(files: IEditorTracker, service: ILanguageService): Subject | null {
  const editor = files.currentWidget?.content.editor;
  const view = viewOf(editor);
  if (view === null || editor?.model.mimeType !== MIME_TYPE) {
    return null;
  }
  return { kind: 'File', view, ask: text => askAsCell(text, service) };
}

/** A kernel formats cells; so a file travels as the body of one, and ends in a newline again. */
async function askAsCell(file: string, service: ILanguageService): Promise<Answer | null> {
  const answer = await service.askAny('format', MAGIC_LINE + file);
  if (answer === null || 'error' in answer || typeof answer.result.text !== 'string') {
    return answer;
  }
  const body = answer.result.text.slice(MAGIC_LINE.length).trimEnd();
  return { result: { text: body === '' ? '' : `${body}\n` } };
}

function viewOf(editor: CodeEditor.IEditor | null | undefined): EditorView | null {
  return editor instanceof CodeMirrorEditor ? editor.editor : null;
}

async function format({ view, ask }: Subject): Promise<void> {
  const { doc, readOnly } = view.state;
  if (readOnly) {
    return;
  }
  const before = doc.toString();
  const answer = await ask(before);
  if (answer === null) {
    Notification.warning(NOBODY, { autoClose: NOTICE_MS });
  } else if ('error' in answer) {
    const { code, message } = answer.error;
    Notification.error([code, message].filter(Boolean).join(': '), { autoClose: NOTICE_MS });
  } else if (view.state.doc === doc && typeof answer.result.text === 'string') {
    view.dispatch({ changes: edits(before, answer.result.text), userEvent: 'format' });
  }
}
