/**
 * Links to cells in outputs, as the boxes of `%loon_graph` are: a click goes to the cell.
 *
 * JupyterLab leaves links that have nothing but a fragment to the browser, which knows no cells.
 */

import type { INotebookTracker } from '@jupyterlab/notebook';

const LINK = 'a[href^="#cell-id="]';

/** Have clicks on links to cells of the shown notebook go there. */
export function followCellLinks(page: Document, notebooks: INotebookTracker): void {
  page.addEventListener(
    'click',
    event => {
      const link = event.target instanceof Element ? event.target.closest(LINK) : null;
      const content = notebooks.currentWidget?.content;
      if (link === null || content === undefined) {
        return;
      }
      const wanted = decodeURIComponent(link.getAttribute('href')!.slice('#cell-id='.length));
      const index = content.widgets.findIndex(cell => cell.model.id === wanted);
      if (index >= 0) {
        event.preventDefault();
        event.stopPropagation();
        content.activeCellIndex = index;
        void content.scrollToItem(index, 'center');
      }
    },
    { capture: true }
  );
}
