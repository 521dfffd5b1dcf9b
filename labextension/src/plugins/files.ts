import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import type { Contents } from '@jupyterlab/services';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import { CommandIDs, type IPreviewArgs } from '../commands';
import {
  FileDocuments,
  FileHost,
  UNREAD,
  UnreadModels
} from '../files/document-widget';
import type { FilePanel } from '../files/widget';
import { importIcon, tableIcon } from '../icons';
import { fileName, IMPORTABLE } from '../imports/names';
import { ICatalog, PACKAGE } from '../tokens';

const FACTORY = 'Catalog Preview';

/** What Lab has no viewer for: a double click opens our preview. */
const OURS = [
  { name: 'parquet', endings: ['.parquet'] },
  { name: 'arrow', endings: ['.arrow', '.arrows', '.feather', '.ipc'] },
  { name: 'avro', endings: ['.avro'] },
  { name: 'sheet', endings: ['.xlsx', '.xlsb', '.xls', '.ods'] }
].map(type => ({ ...type, name: `flowcat-${type.name}` }));

/** What Lab opens itself: our preview is another way to open it. */
const LABS = ['csv', 'tsv', 'json', 'jsonl'];

/** Shows rows of files in the file browser, and sends them to the import page. */
export const filesPlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:files`,
  description: 'Shows rows of files, and imports what the file browser shows.',
  autoStart: true,
  requires: [ICatalog],
  optional: [
    ITranslator,
    ICommandPalette,
    ILayoutRestorer,
    IFileBrowserFactory
  ],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    files: IFileBrowserFactory | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    const fill = (path: string) => makePanel(app, catalog, trans, path);
    addDocuments(app, trans, fill, restorer);
    addFolders(app, trans, fill, restorer);

    const { commands, serviceManager } = app;
    const selected = () => {
      const items = files?.tracker.currentWidget?.selectedItems() ?? [];
      return Array.from(items).filter(
        ({ path }) => serviceManager.contents.driveName(path) === ''
      );
    };
    const importable = () => selected().filter(isImportable);
    const nothing = { args: { type: 'object', properties: {} } };
    commands.addCommand(CommandIDs.importSelected, {
      label: trans.__('Import to Catalog…'),
      caption: trans.__('Take what is selected into the catalog'),
      icon: importIcon,
      describedBy: nothing,
      isVisible: () => importable().length > 0,
      isEnabled: () => importable().length > 0,
      execute: () =>
        commands.execute(CommandIDs.importFile, {
          paths: importable().map(({ path }) => path)
        })
    });
    commands.addCommand(CommandIDs.previewSelected, {
      label: trans.__('Catalog Preview'),
      caption: trans.__('Show rows of what is selected, without importing it'),
      icon: tableIcon,
      describedBy: nothing,
      isVisible: () => importable().length === 1,
      isEnabled: () => importable().length === 1,
      execute: async () => {
        const [{ path, type }] = importable();
        return type === 'directory'
          ? commands.execute(CommandIDs.previewFile, { path })
          : commands.execute('docmanager:open', { path, factory: FACTORY });
      }
    });
    const category = trans.__('Catalog');
    palette?.addItem({ command: CommandIDs.importSelected, category });
    palette?.addItem({ command: CommandIDs.previewSelected, category });
  }
};

/** Whether an import can begin with a file or folder. */
function isImportable({ type, path }: Contents.IModel): boolean {
  return type === 'directory' || IMPORTABLE.test(path);
}

type Fill = (path: string) => Promise<FilePanel>;

async function makePanel(
  { commands }: JupyterFrontEnd,
  { client, feed }: ICatalog,
  trans: TranslationBundle,
  path: string
): Promise<FilePanel> {
  const [{ FilePanel: Panel }, { FileModel: Model }] = await Promise.all([
    import('../files/widget'),
    import('../files/model')
  ]);
  return new Panel({
    model: new Model(client, path, feed.status?.session_timezone ?? 'UTC'),
    trans,
    importIt: () => void commands.execute(CommandIDs.importFile, { path }),
    query: commands.hasCommand(CommandIDs.newQuery)
      ? query => void commands.execute(CommandIDs.newQuery, { query })
      : null
  });
}

/** Opens files as documents whose content stays on the server. */
function addDocuments(
  { docRegistry }: JupyterFrontEnd,
  trans: TranslationBundle,
  fill: Fill,
  restorer: ILayoutRestorer | null
): void {
  for (const { name, endings } of OURS) {
    docRegistry.addFileType({
      name,
      displayName: trans.__('Data File'),
      extensions: endings,
      mimeTypes: ['application/octet-stream'],
      contentType: 'file',
      fileFormat: 'base64',
      icon: tableIcon
    });
  }
  docRegistry.addModelFactory(new UnreadModels());
  const names = OURS.map(({ name }) => name);
  const factory = new FileDocuments(
    {
      name: FACTORY,
      label: trans.__('Catalog Preview'),
      modelName: UNREAD,
      fileTypes: [...names, ...LABS],
      defaultFor: names,
      readOnly: true
    },
    fill
  );
  docRegistry.addWidgetFactory(factory);
  const tracker = new WidgetTracker<ReturnType<typeof factory.createNew>>({
    namespace: 'flowcat-file'
  });
  factory.widgetCreated.connect((_, document) => {
    document.title.icon = tableIcon;
    void tracker.add(document);
  });
  void restorer?.restore(tracker, {
    command: 'docmanager:open',
    args: ({ context }) => ({ path: context.path, factory: FACTORY }),
    name: ({ context }) => context.path
  });
}

/** Opens folders, which are no documents. */
function addFolders(
  { commands, shell }: JupyterFrontEnd,
  trans: TranslationBundle,
  fill: Fill,
  restorer: ILayoutRestorer | null
): void {
  const tracker = new WidgetTracker<FileHost>({
    namespace: 'flowcat-folder'
  });
  commands.addCommand(CommandIDs.previewFile, {
    label: trans.__('Catalog Preview'),
    caption: trans.__('Show rows of a file or folder'),
    icon: tableIcon,
    describedBy: { args: previewSchema },
    execute: async args => {
      const { path } = args as unknown as IPreviewArgs;
      const id = `flowcat-folder-${path}`;
      let page = tracker.find(widget => widget.id === id);
      if (!page) {
        page = new FileHost();
        page.id = id;
        page.title.label = fileName(path);
        page.title.caption = path;
        page.title.icon = tableIcon;
        page.title.closable = true;
        page.fill(await fill(path));
        const added = tracker.add(page);
        shell.add(page, 'main', { type: 'Catalog Preview' });
        await added;
      }
      shell.activateById(id);
      return page;
    }
  });
  void restorer?.restore(tracker, {
    command: CommandIDs.previewFile,
    args: ({ title }) => ({ path: title.caption }),
    name: ({ title }) => title.caption
  });
}

const previewSchema = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path']
};
