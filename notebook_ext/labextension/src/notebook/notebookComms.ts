/**
 * The kernels of all notebooks on the page, each of which may ask the page.
 */

import type { ISharedCell } from '@jupyter/ydoc';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

import { type Answering, NotebookComm } from './notebookComm.js';
import { Refusal } from './notebookProtocol.js';

/** Follows notebooks as they are opened, and kernels as they are exchanged. */
export class NotebookComms {
  constructor(
    private readonly tracker: INotebookTracker,
    private readonly answering: Answering
  ) {}

  /** Begin with the notebooks there are. */
  follow(): void {
    this.tracker.forEach(panel => this.followPanel(panel));
    this.tracker.widgetAdded.connect((_, panel) => this.followPanel(panel));
  }

  /** Tell the kernel of a notebook that the person wants what it does to stop. */
  interrupted(panel: NotebookPanel | null): void {
    this.of(panel)?.interrupted();
  }

  /** Tell the session where the cursor rests in a cell; text: '' where that is no Loon. */
  cursorAt(cell: ISharedCell, text: string, offset: number): void {
    const said = text === '' ? '' : `${cell.getId()} ${offset} ${text}`;
    if (said === this.said) {
      return;
    }
    this.said = said;
    const panel = this.tracker.find(({ model }) => model !== null && model.sharedModel === cell.notebook);
    this.of(panel ?? null)
      ?.ask('cursor', { cell: cell.getId(), text, offset })
      .catch(error => {
        this.said = '';
        if (!(error instanceof Refusal)) {
          throw error;
        }
      });
  }

  /** Tell the session how high a view under a cell is made, and how wide it is where it is narrow. */
  resizeView(view: Element, number: number, height: number | null, width?: number): void {
    const panel = this.tracker.find(({ node }) => node.contains(view)) ?? null;
    this.of(panel)
      ?.ask('resize_view', { view: number, height, width: width ?? null })
      .catch(error => {
        if (!(error instanceof Refusal)) {
          throw error;
        }
      });
  }

  /** The way to the session of a notebook; null where it has no kernel. */
  of(panel: NotebookPanel | null): NotebookComm | null {
    const kernel = panel?.sessionContext.session?.kernel;
    return (kernel && this.comms.get(kernel)) ?? null;
  }

  private followPanel(panel: NotebookPanel): void {
    this.followKernelOf(panel);
    const tell = (): void => this.of(panel)?.tellCells();
    void panel.context.ready.then(() => {
      panel.content.model?.cells.changed.connect(tell);
      tell();
    });
  }

  private followKernelOf(panel: NotebookPanel): void {
    const follow = (): void => {
      const kernel = panel.sessionContext.session?.kernel;
      if (kernel && !this.comms.has(kernel)) {
        this.comms.set(kernel, new NotebookComm(kernel, this.answering));
      }
    };
    panel.sessionContext.kernelChanged.connect(follow);
    follow();
  }

  /** The cursor that the session knows. */
  private said = '';
  private readonly comms = new WeakMap<Kernel.IKernelConnection, NotebookComm>();
}
