/**
 * How surfaces look: one small shader with a studio in it instead of lights and an environment picture.
 *
 * The studio turns with the viewer, as in a CAD program, so that no side is ever dark: a soft key from the upper
 * left, a fill from the right, and a sky and floor that belong to the world. Metals mirror the studio. It costs a
 * third of MeshStandardMaterial where there is no graphics card.
 */

import * as THREE from "three";

const VERTEX = /* glsl */ `
#include <common>
#include <clipping_planes_pars_vertex>
varying vec3 vNormal;
varying vec3 vView;
void main() {
  vNormal = normalMatrix * normal;
  vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
  vView = -mvPosition.xyz;
  gl_Position = projectionMatrix * mvPosition;
  #include <clipping_planes_vertex>
}`;

const FRAGMENT = /* glsl */ `
#include <common>
#include <clipping_planes_pars_fragment>
uniform vec3 color;
uniform float metallic;
uniform float roughness;
uniform float opacity;
uniform float zebra;
uniform float grey;
uniform vec3 tint;
uniform float tinted;
varying vec3 vNormal;
varying vec3 vView;

const vec3 KEY = vec3(-0.42, 0.66, 0.62);
const vec3 FILL = vec3(0.80, 0.10, 0.59);

float studio(vec3 r, vec3 up, float rough) {
  float height = dot(r, up);
  float room = mix(0.20, 0.78, smoothstep(-0.65 - rough, 0.75 + rough, height));
  float soft = mix(0.10, 0.75, rough);
  float key = smoothstep(0.88 - soft, 0.93 + 0.07 * rough, dot(r, KEY)) * mix(1.35, 0.30, rough);
  float fill = smoothstep(0.86 - soft, 1.0, dot(r, FILL)) * mix(0.50, 0.15, rough);
  return room + key + fill;
}

void main() {
  #include <clipping_planes_fragment>
  vec3 n = normalize(vNormal);
  if (!gl_FrontFacing) n = -n;
  vec3 v = isOrthographic ? vec3(0.0, 0.0, 1.0) : normalize(vView);
  vec3 up = (viewMatrix * vec4(0.0, 0.0, 1.0, 0.0)).xyz;
  vec3 r = reflect(-v, n);
  vec3 base = mix(color, vec3(dot(color, vec3(0.3, 0.55, 0.15)) * 0.5 + 0.22), grey);
  float facing = clamp(dot(n, v), 0.0, 1.0);
  float light = mix(0.20, 0.44, 0.5 + 0.5 * dot(n, up)) + 0.22 * facing
    + 0.46 * max(dot(n, KEY), 0.0) + 0.10 * max(dot(n, FILL), 0.0);
  float metal = metallic * (1.0 - grey);
  vec3 f0 = mix(vec3(0.04), base, metal);
  vec3 mirror = f0 + (max(vec3(1.0 - roughness), f0) - f0) * pow(1.0 - facing, 5.0);
  vec3 lit = base * (1.0 - 0.82 * metal) * light + mirror * studio(r, up, roughness) * mix(1.0, 1.12, metal);
  if (zebra > 0.5) {
    float wave = sin(28.0 * atan(r.y, 1.0 + abs(r.z)) + 9.0 * r.x);
    // Of a flat face it is 0, and a step of no width is undefined.
    float width = max(fwidth(wave), 1e-3);
    lit = mix(vec3(0.03), vec3(0.92), smoothstep(-width, width, wave)) * mix(0.7, 1.0, facing);
  }
  lit = mix(lit, tint * (0.55 + 0.6 * light), tinted);
  gl_FragColor = vec4(lit, opacity);
  #include <colorspace_fragment>
}`;

const OUTLINE_VERTEX = /* glsl */ `
#include <common>
#include <clipping_planes_pars_vertex>
uniform vec2 resolution;
uniform float width;
void main() {
  vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * mvPosition;
  vec2 outward = (normalMatrix * normal).xy;
  float size = length(outward);
  if (size > 1e-4) gl_Position.xy += outward / size * width * 2.0 / resolution * gl_Position.w;
  #include <clipping_planes_vertex>
}`;

const OUTLINE_FRAGMENT = /* glsl */ `
#include <common>
#include <clipping_planes_pars_fragment>
uniform vec3 color;
void main() {
  #include <clipping_planes_fragment>
  gl_FragColor = vec4(color, 1.0);
  #include <colorspace_fragment>
}`;

const CAP_VERTEX = /* glsl */ `
#include <common>
#include <clipping_planes_pars_vertex>
varying vec2 vPlane;
void main() {
  vPlane = position.xy * length(modelMatrix[0].xyz);
  vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * mvPosition;
  #include <clipping_planes_vertex>
}`;

const CAP_FRAGMENT = /* glsl */ `
#include <common>
#include <clipping_planes_pars_fragment>
uniform vec3 color;
uniform float spacing;
uniform float angle;
varying vec2 vPlane;
void main() {
  #include <clipping_planes_fragment>
  float across = (vPlane.x * cos(angle) + vPlane.y * sin(angle)) / spacing;
  float width = fwidth(across);
  float line = abs(fract(across) - 0.5);
  float hatch = 1.0 - smoothstep(width * 0.35, width * 1.15, line);
  vec3 base = mix(color, vec3(1.0), 0.30);
  gl_FragColor = vec4(mix(base, color * 0.30, hatch * 0.6), 1.0);
  #include <colorspace_fragment>
}`;

export type Surface = THREE.ShaderMaterial;

export function surfaceMaterial(): Surface {
  return new THREE.ShaderMaterial({
    // What is seen through shows its far side first, then its near one.
    forceSinglePass: false,
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    clipping: true,
    // Room for the edges, which lie exactly on the surface.
    polygonOffset: true,
    polygonOffsetFactor: 1.2,
    polygonOffsetUnits: 2,
    uniforms: {
      color: { value: new THREE.Color() }, metallic: { value: 0 }, roughness: { value: 0.5 }, opacity: { value: 1 },
      zebra: { value: 0 }, grey: { value: 0 }, tint: { value: new THREE.Color() }, tinted: { value: 0 },
    },
  });
}

const DOT_VERTEX = /* glsl */ `
uniform float size;
uniform float pixelRatio;
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size * pixelRatio;
}`;

const DOT_FRAGMENT = /* glsl */ `
uniform vec3 color;
void main() {
  float away = length(gl_PointCoord - 0.5);
  if (away > 0.5) discard;
  gl_FragColor = vec4(mix(vec3(1.0), color, step(away, 0.36)), 1.0);
  #include <colorspace_fragment>
}`;

/** A round dot with a white rim, over everything; pixelRatio: shared, of the canvas as it is. */
export function dotMaterial(color: string, pixelRatio: THREE.IUniform<number>): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    vertexShader: DOT_VERTEX, fragmentShader: DOT_FRAGMENT, depthTest: false, depthWrite: false, transparent: true,
    uniforms: { color: { value: new THREE.Color(color) }, size: { value: 10 }, pixelRatio },
  });
}

/** A line around a body: its back faces, a little larger, behind it. What is rounded has no edge to show its end. */
export function outlineMaterial(resolution: THREE.Vector2): Surface {
  return new THREE.ShaderMaterial({
    vertexShader: OUTLINE_VERTEX,
    fragmentShader: OUTLINE_FRAGMENT,
    clipping: true,
    side: THREE.BackSide,
    uniforms: { color: { value: new THREE.Color() }, width: { value: 1.2 }, resolution: { value: resolution } },
  });
}

/** The cut surface of one part, where its stencil says that the plane is inside it. */
export function capMaterial(): Surface {
  return new THREE.ShaderMaterial({
    vertexShader: CAP_VERTEX,
    fragmentShader: CAP_FRAGMENT,
    clipping: true,
    side: THREE.DoubleSide,
    stencilWrite: true,
    stencilRef: 0,
    stencilFunc: THREE.NotEqualStencilFunc,
    stencilFail: THREE.ReplaceStencilOp,
    stencilZFail: THREE.ReplaceStencilOp,
    stencilZPass: THREE.ReplaceStencilOp,
    uniforms: { color: { value: new THREE.Color() }, spacing: { value: 1 }, angle: { value: Math.PI / 4 } },
  });
}

/** Counts the surfaces between the viewer and the plane: what is left over lies inside. */
export function stencilMaterial(side: THREE.Side): THREE.MeshBasicMaterial {
  const step = side === THREE.BackSide ? THREE.IncrementWrapStencilOp : THREE.DecrementWrapStencilOp;
  return new THREE.MeshBasicMaterial({
    side, depthWrite: false, depthTest: false, colorWrite: false, stencilWrite: true, stencilFunc: THREE.AlwaysStencilFunc,
    stencilFail: step, stencilZFail: step, stencilZPass: step,
  });
}
