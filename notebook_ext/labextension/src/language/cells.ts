/**
 * Notebook cells that hold Loon: those that open with `%%loon`.
 *
 * JupyterLab gives every code cell the language of the kernel. This extension lies over that, and
 * applies while the cell opens with the magic; it comes and goes in the very transaction that writes
 * or removes the magic, so there is no moment of the wrong language. JupyterLab's own language stays
 * underneath, untouched.
 */

import { Compartment, EditorState, type Extension, Prec, type Text } from '@codemirror/state';

/** Blank lines may come first, as IPython allows. */
const OPENS_WITH_MAGIC = /^\s*%%loon(?!\S)/;

/** Characters at the beginning of a cell among which the magic must be. */
const REACH = 200;

/** Whether a text is a `%%loon` cell. */
export function isLoonCell(text: string): boolean {
  return OPENS_WITH_MAGIC.test(text);
}

/**
 * The extension of a code cell.
 *
 * @param source - The text of the cell as its editor is made.
 * @param loon - What applies while the cell holds Loon.
 */
export function whileLoon(source: string, loon: Extension): Extension {
  const compartment = new Compartment();
  const follow = EditorState.transactionExtender.of(transaction => {
    if (!transaction.docChanged) {
      return null;
    }
    const holds = opensWithMagic(transaction.newDoc);
    const held = opensWithMagic(transaction.startState.doc);
    return holds === held ? null : { effects: compartment.reconfigure(holds ? loon : []) };
  });
  // Of several languages the one with the highest precedence is the editor's.
  return [Prec.highest(compartment.of(isLoonCell(source) ? loon : [])), follow];
}

function opensWithMagic(doc: Text): boolean {
  return isLoonCell(doc.sliceString(0, REACH));
}
