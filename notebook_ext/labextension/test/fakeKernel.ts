/** A kernel and its comms, as far as the extension uses them. */

import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

/** The front end's end of a comm, with a kernel that answers as a test says. */
export class FakeComm {
  constructor(readonly target: string) {}

  isDisposed = false;
  onMsg: (message: KernelMessage.ICommMsgMsg) => void = () => undefined;
  onClose: () => void = () => undefined;
  readonly sent: JSONObject[] = [];
  opened = 0;

  open(): void {
    this.opened += 1;
  }

  send(data: JSONObject): void {
    this.sent.push(data);
  }

  answer(data: JSONObject): void {
    this.onMsg({ content: { data } } as unknown as KernelMessage.ICommMsgMsg);
  }
}

/** A kernel that knows Loon, or does not. */
export class FakeKernel {
  readonly id = 'k-1';
  isDisposed = false;
  supportsSubshells = false;
  handleComms = true;
  knowsLoon = true;
  asked = 0;
  interrupts = 0;
  readonly comms: FakeComm[] = [];
  readonly statusChanged = new Signal<this, Kernel.Status>(this);
  readonly iopubMessage = new Signal<this, unknown>(this);
  readonly disposed = new Signal<this, void>(this);

  async requestInspect(): Promise<unknown> {
    this.asked += 1;
    return { content: { status: 'ok', found: this.knowsLoon } };
  }

  async interrupt(): Promise<void> {
    this.interrupts += 1;
  }

  createComm(target: string): FakeComm {
    const comm = new FakeComm(target);
    this.comms.push(comm);
    return comm;
  }

  /** Say that a request begins to run this code. */
  began(code: string, request = 'r-1'): void {
    this.iopubMessage.emit({
      header: { msg_type: 'execute_input' },
      parent_header: { msg_type: 'execute_request', msg_id: request },
      content: { code }
    });
  }

  /** Say that a cell has run. */
  ran(): void {
    this.iopubMessage.emit({
      header: { msg_type: 'status' },
      parent_header: { msg_type: 'execute_request' },
      content: { execution_state: 'idle' }
    });
  }

  restart(): void {
    for (const comm of this.comms) {
      comm.isDisposed = true;
    }
    this.statusChanged.emit('restarting');
  }

  /** As the extension's types want it. */
  get connection(): Kernel.IKernelConnection {
    return this as unknown as Kernel.IKernelConnection;
  }
}

/** Let what waits for the fake kernel, which answers at once, go on. */
export function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
