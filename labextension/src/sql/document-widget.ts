import {
  ABCWidgetFactory,
  type DocumentRegistry,
  DocumentWidget
} from '@jupyterlab/docregistry';
import { Panel } from '@lumino/widgets';

import type { QueryPanel } from './widget';

/** A `.sql` file in a SQL editor, which comes into it when it is loaded. */
export type QueryDocument = DocumentWidget<
  Panel,
  DocumentRegistry.ICodeModel
> & { panel?: QueryPanel };

/** Fills a document with its editor. */
export type FillDocument = (document: QueryDocument) => Promise<void>;

/** Opens `.sql` files in SQL editors. */
export class QueryDocuments extends ABCWidgetFactory<
  QueryDocument,
  DocumentRegistry.ICodeModel
> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions<QueryDocument>,
    private readonly fill: FillDocument
  ) {
    super(options);
  }

  protected createNewWidget(
    context: DocumentRegistry.CodeContext
  ): QueryDocument {
    const content = new Panel();
    content.addClass('fc-Query-host');
    const document: QueryDocument = new DocumentWidget({ content, context });
    void context.ready.then(() => this.fill(document));
    return document;
  }
}
