/** Lines a little wider than a pixel, which stay crisp at every scale; and their points. */

import * as THREE from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

import type { Rows } from "../store";

/** Above this many, lines of one pixel: wide ones are drawn as eight triangles each. */
const WIDE_AT_MOST = 60_000;

export interface LineStyle {
  color: string;
  /** CSS pixels */
  width: number;
  opacity?: number;
  /** Drawn over everything, as a dimension is, or under everything, as the ground is. */
  layer?: "over" | "under";
  /** Before the edges that it lies on. */
  raised?: boolean;
}

/** Materials that are kept, so that their programs need not be compiled again for the next lines of a style. */
export type Kept = Map<string, THREE.Material>;

export class Lines {
  readonly object: THREE.Object3D;
  private readonly material: LineMaterial | THREE.LineBasicMaterial;
  private readonly geometry: THREE.BufferGeometry;

  /** points: two of three numbers for each segment. kept: where lines come and go often; whoever keeps disposes. */
  constructor(
    points: Float32Array,
    style: LineStyle,
    private readonly kept?: Kept,
  ) {
    const blended = style.opacity !== undefined;
    const shared = {
      // What is transparent is drawn after everything else, which the ground must not be.
      transparent: blended && style.layer !== "under",
      blending: style.layer === "under" ? THREE.CustomBlending : THREE.NormalBlending,
      // Over the background, which is the page's.
      blendSrcAlpha: THREE.OneFactor,
      blendDstAlpha: THREE.OneMinusSrcAlphaFactor,
      opacity: style.opacity ?? 1,
      depthTest: style.layer === undefined,
      polygonOffset: style.raised ?? false,
      polygonOffsetFactor: -2,
      polygonOffsetUnits: -8,
      depthWrite: style.layer === undefined && !blended,
    };
    const thin = points.length / 6 > WIDE_AT_MOST;
    const made = thin ? new THREE.LineBasicMaterial(shared) : new LineMaterial({ ...shared, linewidth: style.width });
    const key = JSON.stringify([thin, style]);
    this.material = (kept?.get(key) as typeof made | undefined) ?? made;
    kept?.set(key, this.material);
    if (thin) {
      this.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(points, 3));
      this.object = new THREE.LineSegments(this.geometry, this.material);
    } else {
      const geometry = new LineSegmentsGeometry();
      if (points.length > 0) geometry.setPositions(points);
      this.geometry = geometry;
      this.object = new LineSegments2(geometry, this.material as LineMaterial);
    }
    this.object.visible = points.length > 0;
    this.setColor(style.color);
  }

  setColor(color: string): void {
    this.material.color.set(color);
  }

  setOpacity(opacity: number): void {
    this.material.transparent = opacity < 1;
    this.material.opacity = opacity;
  }

  setClipping(planes: THREE.Plane[] | null): void {
    if (this.material.clippingPlanes?.length !== planes?.length) this.material.needsUpdate = true;
    this.material.clippingPlanes = planes;
  }

  dispose(): void {
    this.object.removeFromParent();
    this.geometry.dispose();
    if (!this.kept) this.material.dispose();
  }
}

/** Points of the segments of some polylines, given by their numbers. */
export function polylines(rows: Rows, edges: Iterable<number>): Float32Array {
  const numbers = [...edges];
  const ends = (edge: number): [number, number] => [rows.lineStarts[edge] ?? 0, rows.lineStarts[edge + 1] ?? 0];
  const count = numbers.reduce((sum, edge) => sum + Math.max(0, ends(edge)[1] - ends(edge)[0] - 1), 0);
  const points = new Float32Array(count * 6);
  let at = 0;
  for (const edge of numbers) {
    const [first, end] = ends(edge);
    for (let point = first; point < end - 1; point++, at += 6) points.set(rows.lines.subarray(3 * point, 3 * point + 6), at);
  }
  return points;
}
