import { Dialog, MainAreaWidget, showDialog } from '@jupyterlab/apputils';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { type ISignal, Signal } from '@lumino/signaling';

import { QueryToolbar } from './toolbar';
import type { QueryPanel } from './widget';

/** What a query without a file is made of. */
export interface IScratchOptions {
  panel: QueryPanel;
  text: CodeEditor.IModel;
  /** Its number among the queries without a file. */
  number: number;
  name: string;
  /** Whether a person has changed the text it began with. */
  edited: boolean;
  trans: TranslationBundle;
  /** Saves the text as a file; false if the person thought better of it. */
  save(query: ScratchQuery): Promise<boolean>;
}

/** A SQL editor whose text is no file yet. */
export class ScratchQuery extends MainAreaWidget<QueryPanel> {
  constructor(private readonly options: IScratchOptions) {
    super({ content: options.panel });
    this.title.label = options.name;
    this.title.closable = true;
    this.addClass('fc-mod-scratch');
    const { panel, text, trans } = options;
    this.toolbar.addItem('query', new QueryToolbar(panel, trans));
    this._edited = options.edited;
    text.sharedModel.changed.connect(this.onEdit, this);
    panel.scope.changed.connect(this.mark, this);
    this.mark();
  }

  get number(): number {
    return this.options.number;
  }

  /** What brings it back after a reload is another now. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Whether there is text that a person would miss. */
  get edited(): boolean {
    return this._edited && this.content.source.trim() !== '';
  }

  get name(): string {
    return this.options.name;
  }

  /** Saves the text as a file. */
  save(): Promise<boolean> {
    return this.options.save(this);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const { text } = this.options;
    text.sharedModel.changed.disconnect(this.onEdit, this);
    super.dispose();
    text.dispose();
  }

  /** Text that would be lost is asked about once. */
  protected override onCloseRequest(msg: Message): void {
    if (!this.edited) {
      super.onCloseRequest(msg);
      return;
    }
    const { trans, name } = this.options;
    void showDialog({
      title: trans.__('Save %1?', name),
      body: trans.__('Its text is in no file.'),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Cancel') }),
        Dialog.warnButton({
          label: trans.__('Discard'),
          actions: ['discard']
        }),
        Dialog.okButton({ label: trans.__('Save') })
      ]
    }).then(async ({ button }) => {
      if (!button.accept) {
        return;
      }
      if (button.actions.includes('discard') || (await this.save())) {
        super.onCloseRequest(msg);
      }
    });
  }

  private onEdit(): void {
    this._edited = true;
    this.mark();
  }

  private mark(): void {
    this.title.className = this.edited ? 'jp-mod-dirty' : '';
    this._changed.emit();
  }

  private _edited: boolean;
  private readonly _changed = new Signal<this, void>(this);
}
