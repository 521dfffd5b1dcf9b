import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Clipboard, type ISessionContext } from '@jupyterlab/apputils';
import { ICompletionProviderManager } from '@jupyterlab/completer';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Kernel } from '@jupyterlab/services';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { CommandIDs } from '../commands';
import { FrameCompletions } from '../frames/complete';
import { KernelFrames, previewable, previewCode } from '../frames/model';
import { sqlStart } from '../notebook/magic';
import { type IFrame, IKernelFrames, PACKAGE } from '../tokens';

import { noArguments } from './selection';

/** The frames in the kernel of the notebook or console that was used last. */
export const framesPlugin: JupyterFrontEndPlugin<IKernelFrames> = {
  id: `${PACKAGE}:frames`,
  description: 'Tells of the frames in the kernel.',
  autoStart: true,
  provides: IKernelFrames,
  requires: [INotebookTracker, IRenderMimeRegistry],
  optional: [ITranslator, ICompletionProviderManager],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    rendermime: IRenderMimeRegistry,
    translator: ITranslator | null,
    completions: ICompletionProviderManager | null
  ): IKernelFrames => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    const frames = new KernelFrames();
    const session = new SessionInFront(kernel => frames.follow(kernel));
    const look = () => session.look(app.shell.currentWidget);
    app.shell.currentChanged?.connect(look);
    tracker.currentChanged.connect(() => session.look(tracker.currentWidget));
    look();
    addCommands(app, frames, session, rendermime, trans);
    completions?.registerProvider(new FrameCompletions(frames, sqlStart));
    return frames;
  }
};

/** The session of the last widget in front that has one: a notebook's or a console's. */
class SessionInFront {
  constructor(
    private readonly follow: (kernel: Kernel.IKernelConnection | null) => void
  ) {}

  get kernel(): Kernel.IKernelConnection | null {
    return this._context?.session?.kernel ?? null;
  }

  look(widget: Widget | null): void {
    const context = contextOf(widget);
    if (!context || context === this._context) {
      return;
    }
    this._context?.kernelChanged.disconnect(this.tell, this);
    this._context?.disposed.disconnect(this.onGone, this);
    this._context = context;
    context.kernelChanged.connect(this.tell, this);
    context.disposed.connect(this.onGone, this);
    this.tell();
  }

  private tell(): void {
    this.follow(this.kernel);
  }

  private onGone(): void {
    this._context = null;
    this.follow(null);
  }

  private _context: ISessionContext | null = null;
}

function contextOf(widget: Widget | null): ISessionContext | null {
  const { sessionContext } = (widget ?? {}) as {
    sessionContext?: ISessionContext;
  };
  return sessionContext ?? null;
}

function addCommands(
  { commands, shell }: JupyterFrontEnd,
  frames: KernelFrames,
  session: SessionInFront,
  rendermime: IRenderMimeRegistry,
  trans: TranslationBundle
): void {
  const add = (
    id: string,
    label: string,
    act: (frame: IFrame) => unknown,
    fits: (frame: IFrame) => boolean = () => true
  ) => {
    const usable = () =>
      frames.selected !== null && fits(frames.selected.frame);
    commands.addCommand(id, {
      label,
      describedBy: noArguments,
      isEnabled: usable,
      execute: () => (frames.selected ? act(frames.selected.frame) : undefined)
    });
  };
  const query = ({ name }: IFrame) => ({
    query: `SELECT *\nFROM :${name}\nLIMIT 100`
  });
  add(
    CommandIDs.queryFrame,
    trans.__('Query'),
    frame => commands.execute(CommandIDs.addToNotebook, query(frame)),
    frame =>
      commands.hasCommand(CommandIDs.addToNotebook) &&
      commands.isEnabled(CommandIDs.addToNotebook, query(frame))
  );
  add(
    CommandIDs.previewFrame,
    trans.__('Preview'),
    async frame => {
      const { kernel } = session;
      if (kernel) {
        const { framePreview } = await import('../frames/preview-widget');
        const code = previewCode(frame);
        shell.add(framePreview(kernel, rendermime, frame.name, code), 'main', {
          mode: 'split-right'
        });
      }
    },
    frame => session.kernel !== null && previewable(frame)
  );
  add(CommandIDs.copyFrameName, trans.__('Copy Name'), ({ name }) =>
    Clipboard.copyToSystem(name)
  );
}
