/**
 * Messages over the gateway's WebSocket: JSON as text frames, each followed by the binary frames it announces.
 *
 * A lost connection is made again, each time after twice the pause, up to half a minute, until the other end
 * refuses this viewer for good (another version of the protocol, a wrong token).
 */

import { arraysOf } from "../buffers";
import type { FromSession, ToSession } from "../protocol";
import type { Link, Receive, Transport } from "./transport";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** Close codes after which asking again is of no use: refused by policy, and our own "not this version". */
const FOR_GOOD = new Set([1008, 4400, 4401, 4403]);

/** The part of a WebSocket that is used here, so that tests can stand in for one. */
export interface Socket {
  binaryType: string;
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  readyState: number;
  send(data: string | ArrayBuffer): void;
  close(): void;
}

export interface Surroundings {
  connect: (address: string) => Socket;
  /** Runs a function later; gives what takes that back. */
  later: (run: () => void, milliseconds: number) => () => void;
  /** 0 to 1: spreads the attempts of many viewers that lost the same session. */
  random: () => number;
}

export const BROWSER: Surroundings = {
  connect: (address) => new WebSocket(address),
  later: (run, milliseconds) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

export class SocketTransport implements Transport {
  private socket: Socket | null = null;
  private pause = FIRST_PAUSE;
  private takeBack: (() => void) | null = null;
  private announced: FromSession | null = null;
  private frames: ArrayBuffer[] = [];
  private closed = false;

  /** ready: makes the first message of every connection, which alone carries the token. */
  constructor(
    private readonly address: string,
    private readonly viewId: string,
    private readonly ready: () => ToSession,
    private readonly around: Surroundings = BROWSER,
  ) {}

  open(receive: Receive, changed: (link: Link) => void): void {
    const socket = this.around.connect(this.address);
    this.socket = socket;
    this.announced = null;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      this.send(this.ready());
      changed("session");
    };
    socket.onmessage = (event) => this.take(event.data as string | ArrayBuffer, receive);
    socket.onclose = (event) => {
      if (this.closed || this.socket !== socket) return;
      this.socket = null;
      const ended = FOR_GOOD.has(event.code);
      changed(ended ? "none" : "lost");
      if (ended) return;
      this.takeBack = this.around.later(() => this.open(receive, changed), this.pause * (0.75 + this.around.random() / 2));
      this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
    };
  }

  send(message: ToSession, buffers: ArrayBuffer[] = []): boolean {
    if (this.socket?.readyState !== 1) return false;
    this.socket.send(JSON.stringify({ ...message, view_id: this.viewId }));
    for (const buffer of buffers) this.socket.send(buffer);
    return true;
  }

  close(): void {
    this.closed = true;
    this.takeBack?.();
    this.socket?.close();
  }

  private take(data: string | ArrayBuffer, receive: Receive): void {
    if (typeof data === "string") {
      this.announced = JSON.parse(data) as FromSession;
      this.frames = [];
    } else {
      this.frames.push(data);
    }
    const message = this.announced;
    if (message === null || this.frames.length < (message.buffers?.length ?? 0)) return;
    this.announced = null;
    receive(message, arraysOf(message.buffers, this.frames));
  }
}

/** The relay's address beside the page's own, and the token of the link, which never stands in a query. */
export function relayOf(location: { href: string; hash: string }, relay: string): { address: string; token: string } {
  const address = new URL(relay, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  return { address: address.href, token: new URLSearchParams(location.hash.replace(/^#/, "")).get("token") ?? "" };
}
