/** Messages over an anywidget's comm, as custom messages. Never traits: those are stored in notebooks. */

import { arraysOf } from "../buffers";
import type { FromSession, ToSession } from "../protocol";
import type { Link, Receive, Transport } from "./transport";

/** The part of an anywidget's model that is used here. */
export interface Model {
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  /** "comm_live_update": a kernel that starts anew has left the model alone. */
  on(event: "msg:custom" | "comm_live_update", callback: (content: unknown, buffers: DataView[]) => void): void;
  off(event: "msg:custom" | "comm_live_update", callback: (content: unknown, buffers: DataView[]) => void): void;
}

export class WidgetTransport implements Transport {
  private heard: ((content: unknown, buffers: DataView[]) => void) | null = null;
  private changed: (link: Link) => void = () => {};
  private readonly alone = (): void => this.changed("none");

  /** viewId: two views of one widget share its comm, so each takes only what is addressed to it or to all. */
  constructor(
    private readonly model: Model,
    private readonly viewId: string,
  ) {}

  open(receive: Receive, changed: (link: Link) => void): void {
    this.heard = (content, buffers) => {
      const message = content as FromSession;
      if (message.view_id && message.view_id !== this.viewId) return;
      receive(message, arraysOf(message.buffers, buffers));
    };
    this.changed = changed;
    this.model.on("msg:custom", this.heard);
    this.model.on("comm_live_update", this.alone);
    changed("session");
  }

  send(message: ToSession, buffers: ArrayBuffer[] = []): boolean {
    try {
      this.model.send({ ...message, view_id: this.viewId }, undefined, buffers);
      return true;
    } catch {
      // So the notebook says that the kernel is not there any more, in words of its own.
      this.alone();
      return false;
    }
  }

  close(): void {
    if (this.heard) this.model.off("msg:custom", this.heard);
    this.model.off("comm_live_update", this.alone);
    this.heard = null;
  }
}
