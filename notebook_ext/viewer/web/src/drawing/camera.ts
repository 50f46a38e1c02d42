/** The camera: two projections that show the same, standard views, fitting. Z is up. Moves only while something does. */

import CameraControls from "camera-controls";
import * as THREE from "three";

import type { CameraState, Vector } from "../protocol";

CameraControls.install({ THREE });

export type ViewName = "front" | "back" | "left" | "right" | "top" | "bottom" | "iso";

/** Around Z from the front, and down from the top; degrees. */
const VIEWS: Record<ViewName, [number, number]> = {
  front: [0, 90], right: [90, 90], back: [180, 90], left: [-90, 90], top: [0, 0], bottom: [0, 180], iso: [35, 62],
};
const FIELD_OF_VIEW = 30;
/** Of the view that is left around what is fitted. */
const ROOM = 1.16;

export class Camera {
  readonly controls: CameraControls;
  private readonly orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly perspective = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1);
  private aspect = 1;
  /** Half the height that the orthographic view shows at a zoom of 1. */
  private half = 50;
  private around = new THREE.Sphere(new THREE.Vector3(), 100);

  constructor(element: HTMLElement) {
    this.orthographic.up.set(0, 0, 1);
    this.perspective.up.set(0, 0, 1);
    this.controls = new CameraControls(this.orthographic, element);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    Object.assign(this.controls, {
      smoothTime: still ? 0 : 0.18, draggingSmoothTime: 0.03, dollyToCursor: true, minZoom: 1e-6, maxZoom: 1e6, minDistance: 1e-4,
      restThreshold: 1e-3,
    });
    this.controls.mouseButtons.right = CameraControls.ACTION.TRUCK;
    this.controls.mouseButtons.middle = CameraControls.ACTION.TRUCK;
    this.projection = "orthographic";
    void this.controls.setLookAt(0, -300, 0, 0, 0, 0, false);
    this.turnTo("iso", false);
  }

  get camera(): THREE.OrthographicCamera | THREE.PerspectiveCamera {
    return this.controls.camera as THREE.OrthographicCamera | THREE.PerspectiveCamera;
  }

  get projection(): CameraState["projection"] {
    return this.controls.camera === this.orthographic ? "orthographic" : "perspective";
  }

  /** The other projection shows as much at the target. */
  set projection(projection: CameraState["projection"]) {
    const height = this.height;
    const wheel = projection === "orthographic" ? CameraControls.ACTION.ZOOM : CameraControls.ACTION.DOLLY;
    const pinch = projection === "orthographic" ? CameraControls.ACTION.TOUCH_ZOOM_TRUCK : CameraControls.ACTION.TOUCH_DOLLY_TRUCK;
    this.controls.mouseButtons.wheel = wheel;
    this.controls.touches.two = pinch;
    if (projection === this.projection) return;
    const next = projection === "orthographic" ? this.orthographic : this.perspective;
    next.position.copy(this.camera.position);
    next.quaternion.copy(this.camera.quaternion);
    this.controls.camera = next;
    this.show(height, false);
  }

  /** Millimetres from the lower to the upper border, in the plane of the target. */
  get height(): number {
    if (this.projection === "orthographic") return (2 * this.half) / this.orthographic.zoom;
    return 2 * this.controls.distance * Math.tan(THREE.MathUtils.degToRad(FIELD_OF_VIEW / 2));
  }

  /** Go on with what moves; whether anything did. seconds: since the last time. */
  update(seconds: number): boolean {
    const moved = this.controls.update(seconds);
    this.enclose();
    return moved;
  }

  resize(width: number, height: number): void {
    this.aspect = width / height;
    this.frame();
  }

  /** What there is to see, so that nothing of it is cut off by the camera itself. */
  enclosing(sphere: THREE.Sphere): void {
    this.around = sphere.clone();
    this.enclose();
  }

  turnTo(view: ViewName, animated = true): void {
    const [around, down] = VIEWS[view];
    this.turn(around, down, animated);
  }

  /** Look from where a direction points to. */
  lookFrom([x, y, z]: Vector, animated = true): void {
    const down = THREE.MathUtils.radToDeg(Math.acos(THREE.MathUtils.clamp(z / Math.hypot(x, y, z), -1, 1)));
    const around = Math.hypot(x, y) < 1e-9 ? 0 : THREE.MathUtils.radToDeg(Math.atan2(x, -y));
    this.turn(around, down, animated);
  }

  /** Show the whole of a box, seen as the camera looks or is about to look. */
  fit(box: THREE.Box3, animated = true): void {
    if (box.isEmpty()) return;
    const center = box.getCenter(new THREE.Vector3());
    const toCamera = this.direction();
    const right = new THREE.Vector3(0, 0, 1).cross(toCamera);
    if (right.lengthSq() < 1e-9) right.set(Math.cos(this.controls.azimuthAngle), Math.sin(this.controls.azimuthAngle), 0);
    right.normalize();
    const up = toCamera.clone().cross(right);
    const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    const extent = (axis: THREE.Vector3): number =>
      2 * (Math.abs(axis.x) * half.x + Math.abs(axis.y) * half.y + Math.abs(axis.z) * half.z);
    let height = Math.max(extent(up), extent(right) / this.aspect, 1e-3) * ROOM;
    if (this.projection === "perspective") height += extent(toCamera) * Math.tan(THREE.MathUtils.degToRad(FIELD_OF_VIEW / 2));
    void this.controls.moveTo(center.x, center.y, center.z, animated);
    this.show(height, animated);
  }

  /** Make everything so many times as large. */
  zoomBy(factor: number): void {
    this.show(this.height / factor, true);
  }

  /** CSS pixels of a point; z is its depth, between -1 and 1 where it can be seen. */
  project(point: THREE.Vector3, width: number, height: number): THREE.Vector3 {
    const seen = point.clone().project(this.camera);
    return seen.set(((seen.x + 1) / 2) * width, ((1 - seen.y) / 2) * height, seen.z);
  }

  state(): CameraState {
    const vector = (point: THREE.Vector3): Vector => [rounded(point.x), rounded(point.y), rounded(point.z)];
    return {
      position: vector(this.controls.getPosition(new THREE.Vector3())),
      target: vector(this.controls.getTarget(new THREE.Vector3())),
      up: [0, 0, 1],
      projection: this.projection,
      zoom: rounded(this.height),
    };
  }

  restore(state: CameraState, animated = false): void {
    this.projection = state.projection;
    void this.controls.setLookAt(...state.position, ...state.target, animated);
    this.show(state.zoom, animated);
  }

  dispose(): void {
    this.controls.dispose();
  }

  private turn(around: number, down: number, animated: boolean): void {
    this.controls.normalizeRotations();
    // The short way round.
    const now = THREE.MathUtils.radToDeg(this.controls.azimuthAngle);
    const turned = now + ((((around - now + 180) % 360) + 360) % 360) - 180;
    void this.controls.rotateTo(THREE.MathUtils.degToRad(turned), THREE.MathUtils.degToRad(down), animated);
  }

  /** From the target to where the camera is, or is going. */
  private direction(): THREE.Vector3 {
    const target = this.controls.getTarget(new THREE.Vector3(), true);
    return this.controls.getPosition(new THREE.Vector3(), true).sub(target).normalize();
  }

  private show(height: number, animated: boolean): void {
    if (this.projection === "perspective") {
      void this.controls.dollyTo(height / 2 / Math.tan(THREE.MathUtils.degToRad(FIELD_OF_VIEW / 2)), animated);
      return;
    }
    const zoom = (2 * this.half) / height;
    if (zoom > 0.1 && zoom < 10) {
      void this.controls.zoomTo(zoom, animated);
      return;
    }
    // Another scale altogether: camera-controls rests at steps of a hundredth, so the zoom is kept about 1.
    this.half = height / 2;
    this.frame();
    void this.controls.zoomTo(1, false);
    void this.controls.dollyTo(Math.max(height, this.around.radius) * 3, false);
  }

  private frame(): void {
    this.orthographic.left = -this.half * this.aspect;
    this.orthographic.right = this.half * this.aspect;
    this.orthographic.top = this.half;
    this.orthographic.bottom = -this.half;
    this.orthographic.updateProjectionMatrix();
    this.perspective.aspect = this.aspect;
    this.perspective.updateProjectionMatrix();
  }

  private enclose(): void {
    const { camera } = this;
    const far = camera.position.distanceTo(this.around.center) + this.around.radius * 2;
    // An orthographic camera may stand inside the scene; what is behind it is seen all the same.
    const near = this.projection === "orthographic" ? -far : Math.max(far - this.around.radius * 6, far * 2e-3);
    if (Math.abs(camera.near - near) < 1e-3 * far && Math.abs(camera.far - far) < 1e-3 * far) return;
    camera.near = near;
    camera.far = far;
    camera.updateProjectionMatrix();
  }
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
