/**
 * One kernel, asked about Loon text over a comm.
 *
 * A kernel may not know Loon (yet), may be busy, restart or die: then there is no answer, which is no
 * error. What is done with answers is the business of those who ask.
 */

import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';

import { ENDINGS, endsExecution, newComm } from '../kernelComm.js';
import { type Answer, type Method, type OfText, readAnswer, TARGET } from './protocol.js';

/** A request that has no answer after this long gets none: the kernel computes, and may for hours. */
const PATIENCE_MS = 30_000;

/** The way to one kernel. */
export class LanguageComm {
  constructor(private readonly kernel: Kernel.IKernelConnection) {
    kernel.statusChanged.connect(this.onStatus, this);
    kernel.iopubMessage.connect(this.onMessage, this);
    kernel.disposed.connect(this.forget, this);
  }

  /** Emitted when the kernel may answer otherwise than before: it has run a cell, or has restarted. */
  get changed(): ISignal<this, void> {
    return this.changes;
  }

  /**
   * Ask about a text; null when the kernel has no answer.
   *
   * @param of - What the text is of, where it is known: a cell of the notebook, by its id, or a file, by its path.
   */
  async ask(method: Method, text: string, of: OfText = {}): Promise<Answer | null> {
    const comm = await this.connected();
    if (comm === null || comm.isDisposed) {
      return null;
    }
    const id = this.nextId++;
    return new Promise(resolve => {
      const timer = setTimeout(() => this.settle(id, null), PATIENCE_MS);
      this.waiting.set(id, answer => {
        clearTimeout(timer);
        resolve(answer);
      });
      comm.send({ id, method, text, ...of });
    });
  }

  /** The open comm, opened when need be; null while the kernel does not know Loon. */
  private connected(): Promise<Kernel.IComm | null> {
    this.comm ??= this.connect();
    return this.comm;
  }

  private async connect(): Promise<Kernel.IComm | null> {
    const comm = await newComm(this.kernel, TARGET);
    if (comm === null) {
      return null;
    }
    comm.onMsg = message => this.receive(message);
    comm.onClose = () => this.forget();
    comm.open();
    return comm;
  }

  private receive(message: KernelMessage.ICommMsgMsg): void {
    const read = readAnswer(message.content.data);
    if (read !== null) {
      this.settle(read.id, read.answer);
    }
  }

  private settle(id: number, answer: Answer | null): void {
    const resolve = this.waiting.get(id);
    this.waiting.delete(id);
    resolve?.(answer);
  }

  /** Give up the comm and what was asked over it. */
  private forget(): void {
    this.comm = null;
    for (const id of [...this.waiting.keys()]) {
      this.settle(id, null);
    }
  }

  private onStatus(_: Kernel.IKernelConnection, status: Kernel.Status): void {
    if (ENDINGS.includes(status)) {
      this.forget();
      this.changes.emit();
    }
  }

  private onMessage(_: Kernel.IKernelConnection, message: KernelMessage.IIOPubMessage): void {
    if (endsExecution(message)) {
      void this.reconsider();
    }
  }

  /** What has run may have loaded the extension, and may have given names another meaning. */
  private async reconsider(): Promise<void> {
    const pending = this.comm;
    const comm = await pending;
    if (this.comm === pending && (comm === null || comm.isDisposed)) {
      this.comm = null;
    }
    this.changes.emit();
  }

  private comm: Promise<Kernel.IComm | null> | null = null;
  private nextId = 1;
  private readonly waiting = new Map<number, (answer: Answer | null) => void>();
  private readonly changes = new Signal<this, void>(this);
}
