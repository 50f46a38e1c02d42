/** Messages that stand in the HTML file itself: they come once, and nobody answers. */

import { arraysOf, embedded } from "../buffers";
import type { FromSession } from "../protocol";
import type { Link, Receive, Transport } from "./transport";

/** The element of a mailed file that holds its messages. */
export const EMBEDDED = 'script[type="application/vnd.vcad.messages+json"]';

export class FileTransport implements Transport {
  constructor(private readonly messages: readonly FromSession[]) {}

  open(receive: Receive, changed: (link: Link) => void): void {
    changed("none");
    void this.play(receive);
  }

  send(): boolean {
    return false;
  }

  close(): void {}

  private async play(receive: Receive): Promise<void> {
    const unpacked = this.messages.map(({ buffers = [] }) => Promise.all(buffers.map(embedded)));
    // All at once: one picture, in which everything answers.
    const all = await Promise.all(unpacked);
    this.messages.forEach((message, index) => receive(message, arraysOf(message.buffers, all[index] ?? [])));
  }
}
