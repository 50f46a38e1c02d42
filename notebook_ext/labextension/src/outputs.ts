/**
 * Takes outputs that hold nothing out of a cell that has run: the progress of a slow one leaves such an
 * output behind, for a kernel can empty its output but not remove it.
 */

import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';

/** Remove what holds no data in any format; JupyterLab can since 4.5. */
export function removeEmptyOutputs(cell: ICellModel): void {
  if (!isCode(cell) || !('remove' in cell.outputs)) {
    return;
  }
  for (let index = cell.outputs.length - 1; index >= 0; index -= 1) {
    const { type, data } = cell.outputs.get(index);
    if (type === 'display_data' && Object.keys(data).length === 0) {
      cell.outputs.remove(index);
      // JupyterLab 4.6 takes the first output alone out of what it saves.
      if (cell.sharedModel.getOutputs().length > cell.outputs.length) {
        const { sharedModel } = cell;
        sharedModel.transact(() => sharedModel.updateOutputs(index, index + 1, []), false, 'silent-change');
      }
    }
  }
}

function isCode(cell: ICellModel): cell is ICodeCellModel {
  return cell.type === 'code';
}
