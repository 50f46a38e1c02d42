/**
 * Answers about Loon text, from the kernel of the notebook that the text stands in.
 *
 * Finds notebooks and their kernels, which may be exchanged at any time. Knows neither what is asked nor
 * how it travels.
 */

import type { ISharedCell, ISharedNotebook } from '@jupyter/ydoc';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { Token } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';

import { LanguageComm } from './comm.js';
import type { Answer, Method, OfText } from './protocol.js';

/** Who can be asked about Loon. */
export interface ILanguageService {
  /** Emitted with a notebook whose kernel may answer otherwise than before. */
  readonly changed: ISignal<ILanguageService, ISharedNotebook>;

  /** Ask about the text of a cell; null when its kernel has no answer. */
  askAbout(cell: ISharedCell, method: Method, text: string): Promise<Answer | null>;

  /** Ask about a text that belongs to no notebook: the first kernel that knows Loon answers. */
  askAny(method: Method, text: string, of?: OfText): Promise<Answer | null>;
}

export const ILanguageService = new Token<ILanguageService>(
  'vcad-workbench:ILanguageService',
  'Answers about Loon text from the kernel of a notebook.'
);

/** The language service of all notebooks that a tracker knows. */
export class NotebookLanguageService implements ILanguageService {
  constructor(private readonly tracker: INotebookTracker) {
    tracker.forEach(panel => this.follow(panel));
    tracker.widgetAdded.connect((_, panel) => this.follow(panel));
  }

  get changed(): ISignal<ILanguageService, ISharedNotebook> {
    return this.changes;
  }

  async askAbout(cell: ISharedCell, method: Method, text: string): Promise<Answer | null> {
    const panel = this.tracker.find(({ model }) => model !== null && model.sharedModel === cell.notebook);
    const kernel = panel?.sessionContext.session?.kernel;
    return kernel ? this.commOf(kernel).ask(method, text, { cell: cell.getId() }) : null;
  }

  async askAny(method: Method, text: string, of: OfText = {}): Promise<Answer | null> {
    const kernels = this.tracker.filter(() => true).map(panel => panel.sessionContext.session?.kernel);
    for (const kernel of kernels) {
      const answer = kernel ? await this.commOf(kernel).ask(method, text, of) : null;
      if (answer !== null) {
        return answer;
      }
    }
    return null;
  }

  /** Tell of every change of the kernel behind a notebook, until the notebook is closed. */
  private follow(panel: NotebookPanel): void {
    let followed: LanguageComm | null = null;
    const tell = (): void => {
      if (panel.model !== null) {
        this.changes.emit(panel.model.sharedModel);
      }
    };
    const followKernel = (): void => {
      followed?.changed.disconnect(tell);
      const kernel = panel.isDisposed ? null : panel.sessionContext.session?.kernel;
      followed = kernel ? this.commOf(kernel) : null;
      followed?.changed.connect(tell);
      tell();
    };
    panel.sessionContext.kernelChanged.connect(followKernel);
    panel.disposed.connect(followKernel);
    followKernel();
  }

  private commOf(kernel: Kernel.IKernelConnection): LanguageComm {
    const comm = this.comms.get(kernel) ?? new LanguageComm(kernel);
    this.comms.set(kernel, comm);
    return comm;
  }

  private readonly changes = new Signal<this, ISharedNotebook>(this);
  private readonly comms = new WeakMap<Kernel.IKernelConnection, LanguageComm>();
}
