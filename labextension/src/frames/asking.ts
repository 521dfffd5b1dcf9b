import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONValue } from '@lumino/coreutils';

import type { IFrame } from '../tokens';

const MIME = 'application/vnd.flowcat.frames+json';
const LISTING = 'flowcat_jupyter.kernel.listing';
/** What is loaded already is asked; nothing is imported for it. */
const EXPRESSION = `(lambda m: m and m.report(globals()))(__import__('sys').modules.get('${LISTING}'))`;

/** What is needed of a kernel; tests pass a fake. */
export type IKernel = Pick<
  Kernel.IKernelConnection,
  | 'status'
  | 'statusChanged'
  | 'iopubMessage'
  | 'disposed'
  | 'info'
  | 'requestExecute'
>;

/** The frames in an idle kernel; null where it has none of our extension. */
export async function framesIn(
  kernel: IKernel
): Promise<readonly IFrame[] | null> {
  const { language_info } = await kernel.info;
  if (language_info.name !== 'python') {
    return null;
  }
  const future = kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    allow_stdin: false,
    stop_on_error: false,
    user_expressions: { frames: EXPRESSION }
  });
  return told((await future.done).content);
}

function told(
  reply: KernelMessage.IExecuteReplyMsg['content']
): readonly IFrame[] | null {
  if (reply.status !== 'ok') {
    return null;
  }
  const { frames } = reply.user_expressions as Record<string, JSONValue>;
  const { data } = frames as { data?: Record<string, unknown> };
  const list = data?.[MIME];
  return Array.isArray(list) ? (list as IFrame[]) : null;
}
