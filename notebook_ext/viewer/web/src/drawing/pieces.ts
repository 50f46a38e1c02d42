/** Polylines cut into short pieces, each with its box: of half a million points few are looked at when one points. */

import type { Rows } from "../store";

/** Segments of a piece, at most. */
const SEGMENTS = 32;

/** A half-space: points for which a·x + b·y + c·z + d is not negative. */
export type HalfSpace = readonly [number, number, number, number];

export class Pieces {
  private readonly edges: Uint32Array;
  /** The first and the last point of each piece. */
  private readonly firsts: Uint32Array;
  private readonly lasts: Uint32Array;
  /** (6n) the lowest and the highest corner of each piece's box */
  private readonly boxes: Float32Array;

  constructor({ lines, lineStarts, edges }: Pick<Rows, "lines" | "lineStarts" | "edges">) {
    const segments = edges.map((_, edge) => Math.max(0, (lineStarts[edge + 1] ?? 0) - (lineStarts[edge] ?? 0) - 1));
    const count = segments.reduce((sum, one) => sum + Math.ceil(one / SEGMENTS), 0);
    this.edges = new Uint32Array(count);
    this.firsts = new Uint32Array(count);
    this.lasts = new Uint32Array(count);
    this.boxes = new Float32Array(6 * count);
    let piece = 0;
    segments.forEach((total, edge) => {
      const start = lineStarts[edge] ?? 0;
      for (let done = 0; done < total; done += SEGMENTS, piece++) {
        this.edges[piece] = edge;
        this.firsts[piece] = start + done;
        this.lasts[piece] = start + Math.min(done + SEGMENTS, total);
        this.enclose(piece, lines);
      }
    });
  }

  /** Call with each piece whose box is not wholly outside one of the half-spaces: its edge, first and last point. */
  meeting(within: readonly HalfSpace[], found: (edge: number, first: number, last: number) => void): void {
    const { boxes } = this;
    for (let piece = 0, at = 0; piece < this.edges.length; piece++, at += 6) {
      // the corner of the box that lies furthest inside
      const inside = within.every(
        ([a, b, c, d]) => a * boxes[at + (a > 0 ? 3 : 0)]! + b * boxes[at + (b > 0 ? 4 : 1)]! + c * boxes[at + (c > 0 ? 5 : 2)]! + d >= 0,
      );
      if (inside) found(this.edges[piece]!, this.firsts[piece]!, this.lasts[piece]!);
    }
  }

  private enclose(piece: number, lines: Float32Array): void {
    for (let axis = 0; axis < 3; axis++) {
      let [low, high] = [Infinity, -Infinity];
      for (let point = this.firsts[piece]!; point <= this.lasts[piece]!; point++) {
        const value = lines[3 * point + axis]!;
        if (value < low) low = value;
        if (value > high) high = value;
      }
      this.boxes[6 * piece + axis] = low;
      this.boxes[6 * piece + 3 + axis] = high;
    }
  }
}
