import { expect, test } from "vitest";

import { arraysOf, embedded, type Arrays } from "../src/buffers";
import type { FromSession, ToSession } from "../src/protocol";
import { relayOf, SocketTransport, type Socket } from "../src/transport/socket";
import type { Link } from "../src/transport/transport";
import { WidgetTransport } from "../src/transport/widget";

class FakeSocket implements Socket {
  binaryType = "";
  readyState = 1;
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  readonly sent: (string | ArrayBuffer)[] = [];
  send(data: string | ArrayBuffer): void {
    this.sent.push(data);
  }
  close(): void {}
  hear(data: unknown): void {
    this.onmessage?.({ data: typeof data === "object" && !(data instanceof ArrayBuffer) ? JSON.stringify(data) : data } as MessageEvent);
  }
  end(code: number): void {
    this.readyState = 3;
    this.onclose?.({ code } as CloseEvent);
  }
}

function connected(): {
  sockets: FakeSocket[]; pauses: number[]; again: () => void; received: [FromSession, Arrays][]; links: Link[]; transport: SocketTransport;
} {
  const sockets: FakeSocket[] = [];
  const pauses: number[] = [];
  const received: [FromSession, Arrays][] = [];
  const links: Link[] = [];
  let run = (): void => {};
  const ready = (): ToSession => ({ type: "viewer.ready", protocol_version: "1.0", features: [], has: [], token: "secret" });
  const transport = new SocketTransport("ws://here/relay", "v1", ready, {
    connect: () => sockets[sockets.push(new FakeSocket()) - 1]!,
    later: (what, milliseconds) => {
      pauses.push(milliseconds);
      run = what;
      return () => (run = () => {});
    },
    random: () => 0.5,
  });
  transport.open((message, arrays) => received.push([message, arrays]), (link) => links.push(link));
  return { sockets, pauses, again: () => run(), received, links, transport };
}

test("the first message of every connection is viewer.ready, which alone carries the token", () => {
  const { sockets, again, transport } = connected();
  sockets[0]!.onopen?.({} as Event);
  transport.send({ type: "stop" });
  sockets[0]!.end(1006);
  again();
  sockets[1]!.onopen?.({} as Event);
  const said = [...sockets[0]!.sent, ...sockets[1]!.sent].map((text) => JSON.parse(text as string));
  expect(said.map((message) => [message.type, message.token, message.view_id])).toEqual([
    ["viewer.ready", "secret", "v1"], ["stop", undefined, "v1"], ["viewer.ready", "secret", "v1"],
  ]);
});

test("a lost session is looked for in longer and longer pauses, and at once again after it was found", () => {
  const { sockets, pauses, again, links } = connected();
  for (let attempt = 0; attempt < 8; attempt++) {
    sockets.at(-1)!.end(1006);
    again();
  }
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  sockets.at(-1)!.onopen?.({} as Event);
  sockets.at(-1)!.end(1006);
  expect(pauses.at(-1)).toBe(500);
  expect(links.slice(-2)).toEqual(["session", "lost"]);
});

test("who is refused does not come again", () => {
  const { sockets, pauses, links } = connected();
  sockets[0]!.end(1008);
  expect(pauses).toEqual([]);
  expect(links).toEqual(["none"]);
});

test("a message waits for the frames that it announces", () => {
  const { sockets, received } = connected();
  sockets[0]!.hear({ type: "mesh.update", node: {}, buffers: [{ name: "indices", dtype: "u4", shape: [1, 3] }, { name: "normals", dtype: "f4", shape: [0, 3] }] });
  expect(received).toEqual([]);
  sockets[0]!.hear(Uint32Array.of(0, 1, 2).buffer);
  sockets[0]!.hear(new ArrayBuffer(0));
  expect(received[0]?.[1]).toEqual({ indices: Uint32Array.of(0, 1, 2), normals: new Float32Array() });
});

test("two views of one widget take what is addressed to them, and what is addressed to all", () => {
  let hear: (content: unknown, buffers: DataView[]) => void = () => {};
  const model = {
    send: () => {}, off: () => {}, on: (event: string, callback: typeof hear) => void (event === "msg:custom" && (hear = callback)),
  };
  const received: string[] = [];
  new WidgetTransport(model, "mine").open((message) => received.push(message.type), () => {});
  hear({ type: "scene.reset", view_id: "other" }, []);
  hear({ type: "scene.status", view_id: "mine", text: "" }, []);
  hear({ type: "mesh.remove", view_id: "" }, []);
  expect(received).toEqual(["scene.status", "mesh.remove"]);
});

test("a widget whose kernel is gone says so, be it that it is told or that it cannot send", () => {
  const callbacks = new Map<string, (content: unknown, buffers: DataView[]) => void>();
  let send = (): void => {};
  const model = { send: () => send(), on: (name: string, callback: (content: unknown, buffers: DataView[]) => void) => void callbacks.set(name, callback), off: () => {} };
  const links: Link[] = [];
  const transport = new WidgetTransport(model, "mine");
  transport.open(() => {}, (link) => links.push(link));
  expect(transport.send({ type: "stop" })).toBe(true);
  callbacks.get("comm_live_update")?.(null, []);
  expect(links).toEqual(["session", "none"]);
  send = () => {
    throw new Error("Cannot send");
  };
  expect(transport.send({ type: "stop" })).toBe(false);
  expect(links.at(-1)).toBe("none");
});

test("bytes that do not lie on a boundary are read all the same", () => {
  const bytes = new Uint8Array(9);
  new DataView(bytes.buffer).setFloat32(1, 2.5, true);
  const spec = { name: "x", dtype: "f4" as const, shape: [2] };
  expect(arraysOf([spec], [bytes.subarray(1)])["x"]).toEqual(Float32Array.of(2.5, 0));
  expect(() => arraysOf([{ ...spec, shape: [3] }], [bytes.subarray(1)])).toThrow("2 numbers, not 3");
});

async function base64(bytes: BodyInit): Promise<string> {
  return btoa(String.fromCharCode(...new Uint8Array(await new Response(bytes).arrayBuffer())));
}

test("a file holds bytes as text, packed where that is smaller", async () => {
  const raw = Uint32Array.of(7, 8);
  const packed = new Blob([raw]).stream().pipeThrough(new CompressionStream("gzip"));
  const spec = { name: "x", dtype: "u4" as const, shape: [2] };
  for (const held of [
    { ...spec, encoding: "base64" as const, data: await base64(new Blob([raw])) },
    { ...spec, encoding: "gzip+base64" as const, data: await base64(packed) },
  ]) {
    expect(arraysOf([held], [await embedded(held)])["x"]).toEqual(raw);
  }
});

test("the relay is beside the page, and the token comes from the fragment alone", () => {
  expect(relayOf({ href: "https://hub/user/me/viewer?token=no#token=yes", hash: "#token=yes" }, "relay")).toEqual({
    address: "wss://hub/user/me/relay", token: "yes",
  });
});
