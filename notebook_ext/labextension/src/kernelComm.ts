/**
 * How a comm to a kernel with the extension is opened, whatever speaks over it.
 */

import type { Kernel, KernelMessage } from '@jupyterlab/services';

/** A magic that a kernel can tell about when, and only when, it has the extension. */
const MAGIC = '%%loon';

/** Statuses after which nothing that was asked before is answered. */
export const ENDINGS: readonly Kernel.Status[] = ['restarting', 'autorestarting', 'terminating', 'dead'];

/**
 * A comm that is about to be opened: the caller listens, then opens it. Null while the kernel does not
 * have the extension.
 */
export async function newComm(
  kernel: Kernel.IKernelConnection,
  target: string
): Promise<Kernel.IComm | null> {
  // Of several connections to one kernel, JupyterLab lets only the first have comms.
  if (kernel.isDisposed || !kernel.handleComms || !(await knowsLoon(kernel))) {
    return null;
  }
  const comm = kernel.createComm(target);
  await subshell(comm, kernel);
  return comm.isDisposed ? null : comm;
}

/** Whether the message says that a cell has run. */
export function endsExecution(message: KernelMessage.IIOPubMessage): boolean {
  return (
    message.header.msg_type === 'status' &&
    'execution_state' in message.content &&
    message.content.execution_state === 'idle' &&
    'msg_type' in message.parent_header &&
    message.parent_header.msg_type === 'execute_request'
  );
}

/**
 * Whether the kernel has the extension. A kernel asked for a comm that it does not know writes an
 * error to its log; so it is asked about a magic first, which every kernel answers quietly, and one
 * with the extension even while it computes.
 */
async function knowsLoon(kernel: Kernel.IKernelConnection): Promise<boolean> {
  const question = { code: MAGIC, cursor_pos: MAGIC.length, detail_level: 0 } as const;
  try {
    const reply = await kernel.requestInspect(question);
    return reply.content.status === 'ok' && reply.content.found;
  } catch {
    // A restart cancels the request; the kernel that comes after it is asked anew.
    return false;
  }
}

/** Wait for the comm's own subshell, where there are such: it answers while a cell computes. */
async function subshell(comm: Kernel.IComm, kernel: Kernel.IKernelConnection): Promise<void> {
  if (!kernel.supportsSubshells || !('subshellStarted' in comm)) {
    return;
  }
  try {
    await comm.subshellStarted;
  } catch {
    // Without one the comm works as well; its answers wait for the cell that runs.
  }
}
