/** Bytes of messages and the arrays that they are. */

import type { BufferSpec, Typed } from "./protocol";

export type Arrays = Record<string, Typed>;

type Bytes = ArrayBuffer | ArrayBufferView;

/** The arrays that a message announces, by name. Copies only what does not lie on a boundary of its type. */
export function arraysOf(specs: readonly BufferSpec[] | undefined, buffers: readonly Bytes[]): Arrays {
  const arrays: Arrays = {};
  (specs ?? []).forEach((spec, index) => {
    const bytes = buffers[index];
    if (bytes === undefined) throw new Error(`the buffer ${spec.name} is announced and did not come`);
    const array = arrayOf(spec.dtype, bytes);
    const count = spec.shape.reduce((product, size) => product * size, 1);
    if (array.length !== count) throw new Error(`the buffer ${spec.name} has ${array.length} numbers, not ${count}`);
    arrays[spec.name] = array;
  });
  return arrays;
}

function arrayOf(dtype: BufferSpec["dtype"], bytes: Bytes): Typed {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  if (dtype === "u1") return view;
  const aligned = view.byteOffset % 4 === 0 ? view : view.slice();
  return dtype === "f4"
    ? new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4)
    : new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

/** What a file's message holds of one buffer. */
export async function embedded(spec: BufferSpec): Promise<ArrayBuffer> {
  const text = atob(spec.data ?? "");
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  if (spec.encoding !== "gzip+base64") return bytes.buffer;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).arrayBuffer();
}
