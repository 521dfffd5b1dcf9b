import {
  ABCWidgetFactory,
  type DocumentRegistry,
  DocumentWidget,
  TextModelFactory
} from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';
import type { Message } from '@lumino/messaging';
import { BoxPanel, type Widget } from '@lumino/widgets';

/** The name of the model of files whose content stays on the server. */
export const UNREAD = 'flowcat-unread';

/**
 * Documents whose content never comes into the browser: a file of gigabytes opens as quickly as a
 * small one. They cannot be saved either.
 */
export class UnreadModels extends TextModelFactory {
  constructor() {
    super(false);
  }

  override get name(): string {
    return UNREAD;
  }

  override get fileFormat(): Contents.FileFormat {
    return null;
  }

  override createNew(
    options?: Parameters<TextModelFactory['createNew']>[0]
  ): DocumentRegistry.ICodeModel {
    const model = super.createNew(options);
    model.readOnly = true;
    return model;
  }
}

/** A page with one part, which comes when it is loaded and then has the focus of the page. */
export class FileHost extends BoxPanel {
  constructor() {
    super({ spacing: 0 });
    this.addClass('fc-Page');
  }

  /** Takes the part. */
  fill(part: Widget): void {
    this.addWidget(part);
    if (this._awaited) {
      part.activate();
    }
  }

  protected override onActivateRequest(_msg: Message): void {
    this._awaited = true;
    this.widgets[0]?.activate();
  }

  private _awaited = false;
}

/** A file that is only looked at. */
export type FileDocument = DocumentWidget<FileHost>;

/** Opens files to look at their rows. */
export class FileDocuments extends ABCWidgetFactory<FileDocument> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions<FileDocument>,
    private readonly fill: (path: string) => Promise<Widget>
  ) {
    super(options);
  }

  protected createNewWidget(context: DocumentRegistry.Context): FileDocument {
    const content = new FileHost();
    const document = new DocumentWidget({ content, context });
    document.toolbar.hide();
    // Nothing of the file is here that could be saved.
    context.save = async () => undefined;
    context.saveAs = async () => true;
    void this.fill(context.path).then(panel => {
      if (document.isDisposed) {
        panel.dispose();
      } else {
        content.fill(panel);
      }
    });
    return document;
  }
}
