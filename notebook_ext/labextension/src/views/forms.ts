/**
 * The forms of a Loon cell and the faces in the viewers: the form of what is picked there lights up here, and where
 * the cursor stands is reported.
 *
 * Knows the editor; does not know who picks, nor who listens.
 */

import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin } from '@codemirror/view';
import { Signal } from '@lumino/signaling';

import { isLoonCell } from '../language/cells.js';
import type { PickedForm } from '../notebook/notebookProtocol.js';

/** How long a cursor rests before it is reported. */
const PAUSE_MS = 150;

/** The forms of what is picked in the viewers, of all sessions on this page. */
export class PickedForms {
  readonly changed = new Signal<this, void>(this);

  /** Of a cell, by its id. */
  of(cell: string): readonly PickedForm[] {
    return [...this.forms.values()].flat().filter(form => form.cell === cell);
  }

  set(kernel: string, forms: readonly PickedForm[]): void {
    this.forms.set(kernel, forms);
    this.changed.emit();
  }

  private readonly forms = new Map<string, readonly PickedForm[]>();
}

/** Where a form stands in a text that has not been changed since it ran; null in any other. */
export function placeOf(state: EditorState, form: PickedForm): { from: number; to: number } | null {
  const from = offset(state, form.line, form.column);
  const to = offset(state, form.endLine, form.endColumn);
  return from !== null && to !== null && from < to && state.sliceDoc(from, to) === form.text ? { from, to } : null;
}

/** Lines and columns count from 1, columns in code points. */
function offset({ doc }: EditorState, line: number, column: number): number | null {
  if (line < 1 || line > doc.lines) {
    return null;
  }
  const { from, text } = doc.line(line);
  return from + [...text].slice(0, column - 1).join('').length;
}

const light = StateEffect.define<DecorationSet>();
const picked = Decoration.mark({ class: 'cm-loon-picked' });

function marks(state: EditorState, forms: readonly PickedForm[]): DecorationSet {
  const places = forms.flatMap(form => placeOf(state, form) ?? []);
  return Decoration.set(
    places.map(({ from, to }) => picked.range(from, to)),
    true
  );
}

/** Have the forms of a cell light up that made what is picked. cell: its id. */
export function lightPicked(cell: string, forms: PickedForms): Extension {
  const field = StateField.define<DecorationSet>({
    create: state => marks(state, forms.of(cell)),
    update: (lit, { docChanged, effects }) =>
      effects.find(effect => effect.is(light))?.value ?? (docChanged ? Decoration.none : lit),
    provide: lit => EditorView.decorations.from(lit)
  });
  const follow = ViewPlugin.define(view => {
    const show = (): void => view.dispatch({ effects: light.of(marks(view.state, forms.of(cell))) });
    forms.changed.connect(show);
    return { destroy: () => void forms.changed.disconnect(show) };
  });
  return [field, follow];
}

/** A cursor in a cell: the whole text, and where in it. */
export type CursorListener = (text: string, offset: number) => void;

/**
 * Tell where the cursor of a person rests. Of a cell that is no Loon only that it has come there, since nothing
 * glows for it any more.
 */
export function tellCursor(tell: CursorListener): Extension {
  return ViewPlugin.define(view => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const rested = (): void => {
      const text = view.state.doc.toString();
      const { empty, from, head } = view.state.selection.main;
      if (view.hasFocus) {
        // The end of a form that is selected whole is outside of it.
        tell(isLoonCell(text) ? text : '', empty ? head : from + 1);
      }
    };
    return {
      update: ({ selectionSet, focusChanged }) => {
        if ((selectionSet || focusChanged) && view.hasFocus) {
          clearTimeout(timer);
          timer = setTimeout(rested, PAUSE_MS);
        }
      },
      destroy: () => clearTimeout(timer)
    };
  });
}
