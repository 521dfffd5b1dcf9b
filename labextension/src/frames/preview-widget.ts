import { MainAreaWidget } from '@jupyterlab/apputils';
import { OutputArea, OutputAreaModel } from '@jupyterlab/outputarea';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Kernel } from '@jupyterlab/services';

import { tableIcon } from '../icons';

/** The first rows of a frame, as the kernel shows them. */
export function framePreview(
  kernel: Kernel.IKernelConnection,
  rendermime: IRenderMimeRegistry,
  name: string,
  code: string
): MainAreaWidget<OutputArea> {
  // Nobody but the person's own kernel makes what is shown.
  const model = new OutputAreaModel({ trusted: true });
  const content = new OutputArea({ model, rendermime });
  content.addClass('fc-FramePreview');
  content.future = kernel.requestExecute({
    code,
    store_history: false,
    stop_on_error: false
  });
  const widget = new MainAreaWidget({ content });
  widget.title.label = name;
  widget.title.icon = tableIcon;
  return widget;
}
