/**
 * The outputs of a cell that its kernel cannot set right by itself: those that hold nothing are taken out,
 * for a kernel can empty its output but not remove it; and the picture of a view follows what the view shows.
 */

import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { JSONObject } from '@lumino/coreutils';

import { VIEW, WIDGET } from '../views/mime.js';

/** Remove what holds no data in any format. */
export function removeEmptyOutputs(cell: ICellModel): void {
  if (!isCode(cell)) {
    return;
  }
  const canRemove = 'remove' in cell.outputs; // since JupyterLab 4.5
  for (let index = cell.outputs.length - 1; index >= 0; index -= 1) {
    const { type, data } = cell.outputs.get(index);
    if (type === 'display_data' && Object.keys(data).length === 0) {
      const { sharedModel } = cell;
      if (!canRemove) {
        sharedModel.updateOutputs(index, index + 1, []); // what is shown follows what is saved
        continue;
      }
      cell.outputs.remove(index);
      // JupyterLab 4.6 takes the first output alone out of what it saves.
      if (sharedModel.getOutputs().length > cell.outputs.length) {
        sharedModel.transact(() => sharedModel.updateOutputs(index, index + 1, []), false, 'silent-change');
      }
    }
  }
}

/** What there is of an output area's model here. */
type Outputs = Pick<ICodeCellModel['outputs'], 'length' | 'get' | 'set'>;

/**
 * Have the output that shows a widget hold this as well; its text stays what the cell gave.
 *
 * @param said - What the picture shows, in words.
 * @returns Whether there is such an output.
 */
export function keepOutput(outputs: Outputs, widget: string, bundle: JSONObject, said: string): boolean {
  for (let index = 0; index < outputs.length; index += 1) {
    const output = outputs.get(index).toJSON();
    const data = output.data as JSONObject | undefined;
    const reference = data?.[WIDGET] as { model_id?: string } | undefined;
    if (reference?.model_id === widget) {
      const metadata = { ...(output.metadata as JSONObject | undefined), [VIEW]: { said } };
      outputs.set(index, { ...output, data: { ...data, ...bundle }, metadata });
      return true;
    }
  }
  return false;
}

/** Whether a cell holds code. */
export function isCode(cell: ICellModel): cell is ICodeCellModel {
  return cell.type === 'code';
}
