/** What the viewer wants of a carrier; three carry the same messages. */

import type { Arrays } from "../buffers";
import type { FromSession, ToSession } from "../protocol";

export type Receive = (message: FromSession, arrays: Arrays) => void;

/** Whether the other end can be asked: a file has none, and a socket loses it for a while. */
export type Link = "session" | "lost" | "none";

export interface Transport {
  /** Begin; `receive` gets every message, `changed` every change of the link. Called once. */
  open(receive: Receive, changed: (link: Link) => void): void;
  /** False when there is nobody to take it. */
  send(message: ToSession, buffers?: ArrayBuffer[]): boolean;
  close(): void;
}
