/** The icon of Loon files: a list of the language, `[=]`, in the colours of JupyterLab's file icons. */

import { LabIcon } from '@jupyterlab/ui-components';

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 22 22">
  <g class="jp-icon-contrast1 jp-icon-selectable" fill="none" stroke="#43a047" stroke-width="2">
    <path d="M8 4H4.500v14H8M14 4h3.500v14H14"/>
    <path d="M9 9h4M9 13h4"/>
  </g>
</svg>`;

export const loonIcon = new LabIcon({ name: 'vcad-workbench:loon', svgstr: SVG });
