/**
 * The grid on Z = 0, as wide as the parts need, and the axes.
 *
 * Both are drawn before everything else and leave no depth behind, so no part is ever crossed by them, be it
 * above the ground or below.
 */

import * as THREE from "three";

import { Lines } from "./lines";
import type { Theme } from "./themes";

const MINOR_CELLS = 20;
const MARGIN = 0.3;

export class Ground {
  readonly group = new THREE.Group();
  /** Millimetres between two minor lines. */
  step = 1;
  private lines: Lines[] = [];
  private key = "";

  rebuild(box: THREE.Box3, theme: Theme, shown: { grid: boolean; axes: boolean }): void {
    const size = box.isEmpty() ? new THREE.Vector3(100, 100, 100) : box.getSize(new THREE.Vector3());
    const low = box.isEmpty() ? new THREE.Vector3(-50, -50, 0) : box.min;
    const high = box.isEmpty() ? new THREE.Vector3(50, 50, 0) : box.max;
    const longer = Math.max(size.x, size.y, size.z) || 1;
    this.step = niceStep(longer / MINOR_CELLS);
    const perMajor = String(this.step.toExponential()).startsWith("2") ? 5 : 10;
    const major = this.step * perMajor;
    const first = [low.x, low.y].map((value) => Math.floor((value - MARGIN * longer) / major));
    const last = [high.x, high.y].map((value) => Math.ceil((value + MARGIN * longer) / major));
    const key = [this.step, ...first, ...last, theme.edge, shown.grid, shown.axes].join();
    if (key === this.key) return;
    this.key = key;
    for (const lines of this.lines) lines.dispose();
    this.lines = [];
    const [x0, y0] = first.map((value) => value * major) as [number, number];
    const [x1, y1] = last.map((value) => value * major) as [number, number];
    if (shown.grid) {
      const minor: number[] = [];
      const thick: number[] = [];
      for (let line = Math.round(x0 / this.step); line <= Math.round(x1 / this.step); line++) {
        (line % perMajor === 0 ? thick : minor).push(line * this.step, y0, 0, line * this.step, y1, 0);
      }
      for (let line = Math.round(y0 / this.step); line <= Math.round(y1 / this.step); line++) {
        (line % perMajor === 0 ? thick : minor).push(x0, line * this.step, 0, x1, line * this.step, 0);
      }
      this.add(minor, theme.gridMinor, 1, 0.4);
      this.add(thick, theme.gridMajor, 1.1, 0.6);
    }
    if (shown.axes) {
      const reach = longer * 0.25;
      this.add([0, 0, 0, Math.max(high.x, 0) + reach, 0, 0], theme.axes[0], 1.6, 0.95);
      this.add([0, 0, 0, 0, Math.max(high.y, 0) + reach, 0], theme.axes[1], 1.6, 0.95);
      this.add([0, 0, 0, 0, 0, Math.max(high.z, 0) + reach], theme.axes[2], 1.6, 0.95);
    }
  }

  dispose(): void {
    for (const lines of this.lines) lines.dispose();
  }

  private add(points: number[], color: string, width: number, opacity: number): void {
    const lines = new Lines(new Float32Array(points), { color, width, opacity, layer: "under" });
    lines.object.renderOrder = -100 + this.lines.length;
    lines.object.frustumCulled = false;
    this.lines.push(lines);
    this.group.add(lines.object);
  }
}

/** The next of 1, 2, 5 times a power of ten. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((digit) => digit * power >= least * 0.999999) ?? 10) * power;
}
