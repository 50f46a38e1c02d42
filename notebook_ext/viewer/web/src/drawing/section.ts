/** Planes that cut the scene, and the surfaces and lines of the cut. */

import * as THREE from "three";

import { axisOf, colorOf, type Section } from "../store";
import { Lines } from "./lines";
import type { DrawnPart } from "./parts";
import { capMaterial, stencilMaterial, type Surface } from "./shading";
import type { Theme } from "./themes";

/** Neighbours in a list are hatched in different directions, as in a drawing. */
const ANGLES = [45, -45, 20, -70, 70, -20].map((degrees) => (degrees * Math.PI) / 180);
/** CSS pixels between two lines of a hatching, at least. */
const HATCH = 7.5;

/** The side of each plane that stays. */
export function clippingPlanes(sections: readonly Section[]): THREE.Plane[] {
  return sections
    .filter((section) => section.on)
    .map((section) => {
      const normal = new THREE.Vector3(...axisOf(section)).normalize();
      return section.flipped ? new THREE.Plane(normal, -section.at) : new THREE.Plane(normal.negate(), section.at);
    });
}

export class Caps {
  readonly group = new THREE.Group();
  private hatched: Surface[] = [];
  private made: { dispose(): void }[] = [];
  /** Of the cut before, which keep their programs until those of this one are in use. */
  private before: { dispose(): void }[] = [];
  private readonly square = new THREE.PlaneGeometry(2, 2);

  /** Make the caps of these parts, and the lines around them; none where nothing cuts. */
  rebuild(parts: readonly DrawnPart[], planes: readonly THREE.Plane[], theme: Theme): void {
    this.clear();
    let order = 10;
    parts.forEach((part, ordinal) => {
      const sphere = (part.shape.geometry.boundingSphere as THREE.Sphere).clone().applyMatrix4(part.group.matrixWorld);
      planes.forEach((plane, index) => {
        if (Math.abs(plane.distanceToPoint(sphere.center)) > sphere.radius) return;
        const others = planes.filter((_, other) => other !== index);
        this.addCap(part, plane, others, sphere, ANGLES[ordinal % ANGLES.length] as number, order++);
        this.addContour(part, plane, others, theme);
      });
    });
  }

  /** Keep the hatching as wide on the screen as it was; millimetresPerPixel: of the view. */
  scale(millimetresPerPixel: number): void {
    const spacing = 2 ** Math.ceil(Math.log2(millimetresPerPixel * HATCH));
    for (const material of this.hatched) material.uniforms["spacing"]!.value = spacing;
  }

  clear(): void {
    this.group.clear();
    for (const thing of this.before) thing.dispose();
    this.before = this.made;
    this.made = [];
    this.hatched = [];
  }

  dispose(): void {
    this.clear();
    this.clear();
    this.square.dispose();
  }

  private addCap(
    part: DrawnPart, plane: THREE.Plane, others: THREE.Plane[], sphere: THREE.Sphere, angle: number, order: number,
  ): void {
    for (const side of [THREE.BackSide, THREE.FrontSide] as const) {
      const material = stencilMaterial(side);
      material.clippingPlanes = [plane];
      const mesh = new THREE.Mesh(part.shape.geometry, material);
      mesh.matrixAutoUpdate = false;
      mesh.matrix.copy(part.group.matrixWorld);
      mesh.renderOrder = order;
      this.made.push(material);
      this.group.add(mesh);
    }
    const material = capMaterial();
    material.clippingPlanes = others;
    const [red, green, blue] = part.node.head.stale ? [0.5, 0.5, 0.5] as const : colorOf(part.node);
    (material.uniforms["color"]!.value as THREE.Color).setRGB(red, green, blue, THREE.SRGBColorSpace);
    material.uniforms["angle"]!.value = angle;
    const cap = new THREE.Mesh(this.square, material);
    plane.projectPoint(sphere.center, cap.position);
    cap.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), plane.normal);
    cap.scale.setScalar(sphere.radius * 1.02);
    cap.renderOrder = order + 0.5;
    cap.onAfterRender = (renderer) => renderer.clearStencil();
    this.hatched.push(material);
    this.made.push(material);
    this.group.add(cap);
  }

  private addContour(part: DrawnPart, plane: THREE.Plane, others: THREE.Plane[], theme: Theme): void {
    const local = plane.clone().applyMatrix4(part.group.matrixWorld.clone().invert());
    const points: number[] = [];
    const line = new THREE.Line3();
    const hit = new THREE.Vector3();
    part.shape.bvh.shapecast({
      intersectsBounds: (box) => local.intersectsBox(box),
      intersectsTriangle: (triangle) => {
        const crossings: THREE.Vector3[] = [];
        for (const [start, end] of [[triangle.a, triangle.b], [triangle.b, triangle.c], [triangle.c, triangle.a]] as const) {
          line.set(start, end);
          if (local.intersectLine(line, hit)) crossings.push(hit.clone());
        }
        // Through a corner, two of three are one point.
        const [first, second, third] = crossings;
        if (first && second) {
          const other = third && first.distanceToSquared(second) < first.distanceToSquared(third) ? third : second;
          points.push(first.x, first.y, first.z, other.x, other.y, other.z);
        }
        return false;
      },
    });
    const lines = new Lines(new Float32Array(points), { color: theme.edge, width: 1.6 });
    lines.setClipping(others);
    lines.object.applyMatrix4(part.group.matrixWorld);
    lines.object.renderOrder = 500;
    this.made.push(lines);
    this.group.add(lines.object);
  }
}
