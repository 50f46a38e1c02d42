/** Icons in the colours of JupyterLab's own: of Loon files a list of the language, `[=]`, and of the reference a book. */

import { LabIcon } from '@jupyterlab/ui-components';

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 22 22">
  <g class="jp-icon-contrast1 jp-icon-selectable" fill="none" stroke="#43a047" stroke-width="2">
    <path d="M8 4H4.500v14H8M14 4h3.500v14H14"/>
    <path d="M9 9h4M9 13h4"/>
  </g>
</svg>`;

export const loonIcon = new LabIcon({ name: 'vcad-workbench:loon', svgstr: SVG });

const BOOK = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 22 22">
  <g class="jp-icon-contrast1 jp-icon-selectable" fill="none" stroke="#43a047" stroke-width="2">
    <path d="M4 4.500h5.500q1.500 0 1.500 1.500v12.500q0-1.500-1.500-1.500H4zM18 4.500h-5.500Q11 4.500 11 6v12.500q0-1.500 1.500-1.500H18z"/>
  </g>
</svg>`;

export const referenceIcon = new LabIcon({ name: 'vcad-workbench:reference', svgstr: BOOK });

/** The icon of Loon as a picture's address. */
export const LOON_ICON_URL = `data:image/svg+xml,${encodeURIComponent(SVG)}`;
