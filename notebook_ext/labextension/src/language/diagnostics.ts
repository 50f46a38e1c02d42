/**
 * What a check finds in a `%%loon` cell, underlined while it is written, shown on hover; F8 goes from one
 * finding to the next.
 *
 * Asks when writing pauses and when other cells have run; an answer to an older text is dropped. Knows
 * not who answers.
 */

import { type Diagnostic, linter, nextDiagnostic, previousDiagnostic } from '@codemirror/lint';
import { type Extension, StateEffect, type Text } from '@codemirror/state';
import { type EditorView, keymap, ViewPlugin } from '@codemirror/view';

import type { Finding } from './protocol.js';

/** How long writing pauses before the text is checked. */
const PAUSE_MS = 300;

/** Who checks a text: its findings, none where that is not known. */
export interface Checker {
  check(text: string): Promise<readonly Finding[]>;

  /** Call back whenever the same text may be found otherwise, until the function returned is called. */
  watch(changed: () => void): () => void;
}

/** Asks for another check of a text that is the same. */
const recheck = StateEffect.define<null>();

/** Underline what the checker finds. */
export function diagnostics(checker: Checker): Extension {
  const checks = new Checks(checker);
  return [
    linter(view => checks.of(view), {
      delay: PAUSE_MS,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some(effect => effect.is(recheck)))
    }),
    keymap.of([{ key: 'F8', run: nextDiagnostic, shift: previousDiagnostic }]),
    ViewPlugin.define(view => ({
      destroy: checker.watch(() => view.dispatch({ effects: recheck.of(null) }))
    }))
  ];
}

/** An editor as far as a check looks at it. */
interface Edited {
  readonly state: { readonly doc: Text };
}

/** The checks of one editor, one at a time: a kernel that is busy finds no queue when it is free. */
export class Checks {
  constructor(private readonly checker: Checker) {}

  /** The diagnostics of the text as it is now; none when it changes while an older check runs. */
  async of(view: Edited): Promise<readonly Diagnostic[]> {
    const { doc } = view.state;
    const check = this.last.then(() => this.run(view, doc));
    // A check that fails is reported by the editor, and holds up none of those to come.
    this.last = check.then(ignore, ignore);
    return check;
  }

  private async run(view: Edited, doc: Text): Promise<readonly Diagnostic[]> {
    if (view.state.doc !== doc) {
      return [];
    }
    const findings = await this.checker.check(doc.toString());
    return findings.map(diagnostic);
  }

  /** Settled when the last check has ended, in whatever way. */
  private last: Promise<void> = Promise.resolve();
}

function ignore(): void {}

function diagnostic(finding: Finding): Diagnostic {
  const { from, to, severity, message, edits } = finding;
  return {
    from,
    to,
    severity,
    message,
    markClass: 'cm-loon-finding',
    renderMessage: () => explanation(finding),
    actions: edits.length > 0 ? [{ name: 'Fix', apply: (view, now) => repair(view, finding, now) }] : []
  };
}

/** Do what the fix of a finding says, which begins elsewhere by now if text above it has changed. */
function repair(view: EditorView, { from, edits }: Finding, now: number): void {
  const by = now - from;
  view.dispatch({
    changes: edits.map(edit => ({ from: edit.from + by, to: edit.to + by, insert: edit.text })),
    userEvent: 'input.fix'
  });
}

/** Code and message, why, and what to do: as the diagnostics under a cell say it. */
function explanation({ code, message, why, fix }: Finding): HTMLElement {
  const element = document.createElement('div');
  element.className = 'cm-loon-explanation';
  const head = paragraph('cm-loon-message', message);
  if (code !== '') {
    const name = document.createElement('code');
    name.textContent = code;
    head.prepend(name, ' ');
  }
  element.append(head);
  if (why !== '') {
    element.append(paragraph('cm-loon-why', why));
  }
  if (fix !== '') {
    element.append(paragraph('cm-loon-fix', fix));
  }
  return element;
}

function paragraph(className: string, text: string): HTMLElement {
  const element = document.createElement('p');
  element.className = className;
  element.append(text);
  return element;
}
