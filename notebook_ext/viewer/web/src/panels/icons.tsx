/** The toolbar's pictures: strokes in a square of 24, in the colour of the text around. */

import type { JSX } from "preact";

/** A cube from the upper right, with one side filled. */
const CUBE = "M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9";

/** Paths to draw; what follows "|" is filled. */
const PATHS = {
  iso: CUBE,
  front: `${CUBE}|M4 7.5l8 4.5v9l-8-4.5z`,
  right: `${CUBE}|M20 7.5L12 12v9l8-4.5z`,
  top: `${CUBE}|M12 3l8 4.5-8 4.5-8-4.5z`,
  back: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 3v9l8 4.5M12 12l-8 4.5|M12 3l8 4.5v9L12 12z",
  left: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 3v9l8 4.5M12 12l-8 4.5|M12 3L4 7.5v9l8-4.5z",
  bottom: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 3v9l8 4.5M12 12l-8 4.5|M12 12l8 4.5L12 21l-8-4.5z",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M9 9h6v6H9z",
  zoom: "M10.5 4a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM15.5 15.5L21 21M10.5 8v5M8 10.5h5",
  perspective: "M3 8l10-4v16L3 16zM13 4l8 4v8l-8 4",
  turntable: "M4 14c0 2.2 3.6 4 8 4s8-1.8 8-4-3.6-4-8-4M12 10l3-3M12 10l3 3",
  edges: "M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8",
  transparent: "M4 8h10v12H4zM10 4h10v12h-6M10 4v4",
  wireframe: "M12 3l9 16H3zM12 3v16M3 19l9-7 9 7M7.5 11L12 12l4.5-1",
  zebra: "M12 3a9 9 0 100 18 9 9 0 000-18|M6 6l9 14 3-1.5L9 4zM13 3.2l6.6 10.3.9-3.5-4-6z",
  outline: "M12 4a8 8 0 100 16 8 8 0 000-16z",
  grid: "M4 4h16v16H4zM4 9.3h16M4 14.6h16M9.3 4v16M14.6 4v16",
  axes: "M8 16V4M8 16h12M8 16l-5 5M6 6l2-2 2 2M18 14l2 2-2 2",
  theme: "M12 4a8 8 0 100 16 8 8 0 000-16|M12 4a8 8 0 010 16z",
  pickAny: "M5 4l14 7-6 2-2 6z",
  pickPart: `${CUBE}|M12 3l8 4.5v9L12 21l-8-4.5v-9z`,
  pickFace: "M5 9l9-4 5 10-9 4z|M5 9l9-4 5 10-9 4z",
  pickEdge: "M5 19L19 5M3.5 17.5l3 3M17.5 3.5l3 3",
  pickVertex: "M4 20L12 12l8 8M12 12V4|M12 8.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7z",
  measure: "M3 15L15 3l6 6L9 21zM7 11l2 2M10 8l3 3M13 5l2 2",
  section: "M4 8l8-4 8 4v8l-8 4-8-4zM12 4v16|M4 8l8-4v16l-8-4z",
  explode: "M9 9h6v6H9zM4 4l3 3M20 4l-3 3M4 20l3-3M20 20l-3-3M4 7V4h3M17 4h3v3M4 17v3h3M17 20h3v-3",
  compare: "M4 6h9v9H4zM11 9h9v9h-9z",
  tree: "M4 5h6M4 5v13h5M4 11h5M11 11h9M11 18h9M12 5h8",
  isolate: "M12 7a5 5 0 100 10 5 5 0 000-10zM3 3l3 3M21 3l-3 3M3 21l3-3M21 21l-3-3|M12 9.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z",
  hide: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM4 20L20 4",
  showAll: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 9.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z",
  camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3.5 3.5 0 100 7 3.5 3.5 0 000-7z",
  copy: "M8 8h12v12H8zM16 8V4H4v12h4",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  help: "M12 3a9 9 0 100 18 9 9 0 000-18zM9.5 9.5a2.5 2.5 0 114 2c-.9.6-1.5 1.2-1.5 2.2M12 16.8v.4",
  close: "M6 6l12 12M18 6L6 18",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  const [strokes, fill] = PATHS[name].split("|");
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      {fill && <path d={fill} fill="currentColor" opacity="0.45" />}
      <path d={strokes} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round" />
    </svg>
  );
}
