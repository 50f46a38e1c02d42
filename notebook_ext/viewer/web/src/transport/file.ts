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
    for (const message of this.messages) {
      const specs = message.buffers ?? [];
      receive(message, arraysOf(specs, await Promise.all(specs.map(embedded))));
    }
  }
}
