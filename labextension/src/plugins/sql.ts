import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ISearchProviderRegistry } from '@jupyterlab/documentsearch';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Debouncer } from '@lumino/polling';

import { ChartMemory } from '../chart/memory';
import { CommandIDs, type IQueryArgs } from '../commands';
import { queryIcon } from '../icons';
import type { QueryActions } from '../sql/actions';
import { type QueryDocument, QueryDocuments } from '../sql/document-widget';
import { RunHistory } from '../sql/history';
import { catalogSql } from '../sql/language';
import type { ScratchQuery } from '../sql/scratch-widget';
import { ICatalog, PACKAGE } from '../tokens';

import { addQueryCommands, type IOpenQueries } from './queries';

const TYPING_MS = 400;
const FACTORY = 'Catalog SQL Editor';
const FILE_TYPE = 'flowcat-sql';

/** Edits and runs SQL in the main area, in a file or without one. */
export const sqlPlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:sql`,
  description: 'Edits and runs SQL over the catalog.',
  autoStart: true,
  requires: [ICatalog, IEditorServices, IDocumentManager],
  optional: [
    ITranslator,
    ICommandPalette,
    ILayoutRestorer,
    ILauncher,
    IMainMenu,
    IStateDB,
    IEditorLanguageRegistry,
    IDefaultFileBrowser,
    ISearchProviderRegistry,
    IRenderMimeRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    editors: IEditorServices,
    documents: IDocumentManager,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    launcher: ILauncher | null,
    mainMenu: IMainMenu | null,
    state: IStateDB | null,
    languages: IEditorLanguageRegistry | null,
    browser: IDefaultFileBrowser | null,
    search: ISearchProviderRegistry | null,
    rendermime: IRenderMimeRegistry | null
  ): void => {
    const { commands } = app;
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    languages?.addLanguage(catalogSql(trans.__('Catalog SQL')));
    const history = new RunHistory(state, `${PACKAGE}:sql-history`);
    const charts = new ChartMemory(state, `${PACKAGE}:sql-charts`);
    let actions: Promise<QueryActions> | null = null;
    const making = () =>
      (actions ??= import('../sql/actions').then(
        ({ QueryActions: Actions }) => {
          void history.load();
          void charts.load();
          return new Actions({
            catalog,
            commands,
            documents,
            editors,
            history,
            charts,
            rendermime,
            trans,
            factory: FACTORY,
            folder: () => browser?.model.path ?? ''
          });
        }
      ));
    const open: IOpenQueries = {
      scratches: new WidgetTracker<ScratchQuery>({
        namespace: 'flowcat-query'
      }),
      files: new WidgetTracker<QueryDocument>({
        namespace: 'flowcat-query-file'
      })
    };
    addFiles(app, open, restorer, async document =>
      (await making()).fill(document)
    );
    addScratches(open.scratches, restorer);
    commands.addCommand(CommandIDs.newQuery, {
      label: args =>
        args.isPalette ? trans.__('New SQL Query') : trans.__('SQL Query'),
      caption: trans.__('Query the tables of the catalog'),
      icon: args => (args.isPalette ? undefined : queryIcon),
      describedBy: { args: querySchema },
      execute: async args => {
        const wanted = args as unknown as IQueryArgs;
        const number = wanted.number ?? nextNumber(open.scratches);
        const query = (await making()).scratch({ ...wanted, number });
        query.id = `flowcat-query-${number}`;
        query.title.icon = queryIcon;
        await addScratch(app, open.scratches, query);
        return query;
      }
    });
    addQueryCommands({ app, open, trans, palette, mainMenu, search });
    const category = trans.__('Catalog');
    palette?.addItem({
      command: CommandIDs.newQuery,
      args: { isPalette: true },
      category
    });
    launcher?.add({ command: CommandIDs.newQuery, category, rank: 1 });
  }
};

/** Opens `.sql` files, by choice: a double click keeps Lab's own editor. */
function addFiles(
  app: JupyterFrontEnd,
  { files }: IOpenQueries,
  restorer: ILayoutRestorer | null,
  fill: (document: QueryDocument) => Promise<void>
): void {
  const { docRegistry } = app;
  docRegistry.addFileType({
    name: FILE_TYPE,
    displayName: 'SQL',
    extensions: ['.sql'],
    mimeTypes: ['text/x-sql'],
    contentType: 'file',
    fileFormat: 'text',
    icon: queryIcon
  });
  const factory = new QueryDocuments(
    { name: FACTORY, modelName: 'text', fileTypes: [FILE_TYPE] },
    fill
  );
  docRegistry.addWidgetFactory(factory);
  factory.widgetCreated.connect((_, document) => {
    document.title.icon = queryIcon;
    void files.add(document);
  });
  void restorer?.restore(files, {
    command: 'docmanager:open',
    args: ({ context }) => ({ path: context.path, factory: FACTORY }),
    name: ({ context }) => context.path
  });
}

/** Brings editors without a file back after a reload, with their text. */
function addScratches(
  tracker: WidgetTracker<ScratchQuery>,
  restorer: ILayoutRestorer | null
): void {
  void restorer?.restore(tracker, {
    command: CommandIDs.newQuery,
    args: ({ content, number, edited }) => ({
      number,
      edited,
      query: content.source,
      catalog: content.scope.catalog,
      schema: content.scope.schema,
      engine: content.scope.engine
    }),
    name: ({ id }) => id
  });
}

/** Shows an editor, and keeps what is typed there. */
async function addScratch(
  app: JupyterFrontEnd,
  tracker: WidgetTracker<ScratchQuery>,
  query: ScratchQuery
): Promise<void> {
  // Known before it is shown, so that it can be searched at once.
  const added = tracker.add(query);
  app.shell.add(query, 'main', { type: 'SQL' });
  await added;
  const keep = new Debouncer(() => tracker.save(query), TYPING_MS);
  const later = () => void keep.invoke();
  query.changed.connect(later);
  query.disposed.connect(() => keep.dispose());
  later();
}

/** The least number no open editor has. */
function nextNumber(tracker: WidgetTracker<ScratchQuery>): number {
  let number = 1;
  while (tracker.find(query => query.number === number)) {
    number += 1;
  }
  return number;
}

const querySchema = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    catalog: { type: ['string', 'null'] },
    schema: { type: ['string', 'null'] },
    engine: { type: ['string', 'null'] },
    number: { type: 'number' },
    edited: { type: 'boolean' }
  }
};
