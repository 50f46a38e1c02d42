/**
 * One kernel that asks its page about notebooks.
 *
 * Opens the comm once the kernel has the extension, and again after a restart. What is answered is the
 * business of the function it is given.
 */

import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject, JSONValue } from '@lumino/coreutils';

import { ENDINGS, endsExecution, newComm } from '../kernelComm.js';
import { NOTEBOOK_TARGET, readMessage, Refusal, type Request } from './notebookProtocol.js';

const NOBODY = 'there is no session to ask: run %load_ext notebook_ext in the notebook';

/** Code that may have loaded the extension: after any other, a kernel without it need not be asked again. */
const MAY_LOAD = /loon|notebook_ext|vcad|%run|import/;

/** Who answers. `id` is the request's number, by which a later one may mean it. */
export interface Answering {
  answer(request: Request, id: number, kernel: Kernel.IKernelConnection): Promise<JSONObject>;
  /** The cells of the notebooks of a kernel, by path and in their order. */
  cells(kernel: Kernel.IKernelConnection): JSONObject;
  /** What the kernel says unasked. */
  event(name: string, value: JSONValue, kernel: Kernel.IKernelConnection): void;
  /** Nothing that the kernel has said holds any longer. */
  ended(kernel: Kernel.IKernelConnection): void;
}

/** The kernel's way to the page. */
export class NotebookComm {
  constructor(
    private readonly kernel: Kernel.IKernelConnection,
    private readonly answering: Answering
  ) {
    kernel.statusChanged.connect(this.onStatus, this);
    kernel.iopubMessage.connect(this.onMessage, this);
    kernel.disposed.connect(this.forget, this);
    void this.connect();
  }

  private async connect(): Promise<void> {
    if (this.connecting || (this.comm !== null && !this.comm.isDisposed)) {
      return;
    }
    this.connecting = true;
    try {
      const comm = await newComm(this.kernel, NOTEBOOK_TARGET);
      if (comm !== null) {
        comm.onMsg = message => void this.receive(comm, message.content.data);
        comm.onClose = () => this.forget();
        this.comm = comm;
        comm.open();
        this.tellCells();
      }
    } finally {
      this.connecting = false;
    }
  }

  private async receive(comm: Kernel.IComm, data: JSONValue): Promise<void> {
    const message = readMessage(data);
    if (message === null) {
      return;
    }
    if ('reply' in message) {
      this.settle(message.reply, message.answer);
      return;
    }
    if ('event' in message) {
      // Two that were sent at the same time may come in either order.
      if (message.number >= (this.newest.get(message.event) ?? 0)) {
        this.newest.set(message.event, message.number);
        this.answering.event(message.event, message.value, this.kernel);
      }
      return;
    }
    const answer = await this.answerTo(message.id, message.request);
    if (!comm.isDisposed) {
      comm.send({ id: message.id, ...answer });
    }
  }

  /** An answer in any case: the kernel waits for it. */
  private async answerTo(id: number, request: Request | Refusal): Promise<JSONObject> {
    try {
      if (request instanceof Refusal) {
        throw request;
      }
      return { result: await this.answering.answer(request, id, this.kernel) };
    } catch (error) {
      if (error instanceof Refusal) {
        return { error: { code: error.code, message: error.message } };
      }
      console.error('vcad-workbench: a request of the kernel could not be answered', error);
      return { error: { code: 'INTERNAL_ERROR', message: `the page failed: ${String(error)}` } };
    }
  }

  /** The person has asked for an interrupt: a kernel that runs no cell would not notice. */
  interrupted(): void {
    if (this.comm !== null && !this.comm.isDisposed) {
      this.comm.send({ event: 'interrupt' });
    }
  }

  /** Tell which cells there are. */
  tellCells(): void {
    if (this.comm !== null && !this.comm.isDisposed) {
      this.comm.send({ event: 'cells', notebooks: this.answering.cells(this.kernel) });
    }
  }

  /** Ask the session behind the kernel. Rejects with a Refusal where it refuses, or is not there. */
  ask(method: string, fields: JSONObject = {}): Promise<JSONObject> {
    const { comm } = this;
    if (comm === null || comm.isDisposed) {
      return Promise.reject(new Refusal('CAPABILITY_UNAVAILABLE', NOBODY));
    }
    this.asked += 1;
    const ask = this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(ask, answer => (answer instanceof Refusal ? reject(answer) : resolve(answer)));
      comm.send({ ask, method, ...fields });
    });
  }

  private settle(ask: number, answer: JSONObject | Refusal): void {
    const settle = this.waiting.get(ask);
    this.waiting.delete(ask);
    settle?.(answer);
  }

  private forget(): void {
    this.comm = null;
    this.newest.clear();
    for (const ask of [...this.waiting.keys()]) {
      this.settle(ask, new Refusal('CAPABILITY_UNAVAILABLE', NOBODY));
    }
    this.answering.ended(this.kernel);
  }

  private onStatus(_: Kernel.IKernelConnection, status: Kernel.Status): void {
    if (ENDINGS.includes(status)) {
      this.forget();
    }
  }

  private onMessage(_: Kernel.IKernelConnection, message: KernelMessage.IIOPubMessage): void {
    if (message.header.msg_type === 'execute_input' && 'code' in message.content) {
      this.mayLoad ||= MAY_LOAD.test(String(message.content.code));
    } else if (this.mayLoad && endsExecution(message)) {
      this.mayLoad = false;
      void this.connect();
    }
  }

  private comm: Kernel.IComm | null = null;
  private connecting = false;
  private mayLoad = false;
  private readonly newest = new Map<string, number>();
  private asked = 0;
  private readonly waiting = new Map<number, (answer: JSONObject | Refusal) => void>();
}
