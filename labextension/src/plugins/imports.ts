import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ICommandPalette,
  Notification,
  WidgetTracker
} from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { FileDialog, IFileBrowserFactory } from '@jupyterlab/filebrowser';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import type { RunReply } from '../api/types';
import { CommandIDs, type IImportArgs } from '../commands';
import { importIcon } from '../icons';
import type { IImportRuns } from '../imports/model';
import { IMPORTABLE } from '../imports/names';
import type { ImportPage } from '../imports/widget';
import { ICatalog, PACKAGE } from '../tokens';

/** Takes files into the catalog. */
export const importsPlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:imports`,
  description: 'Takes files into the catalog.',
  autoStart: true,
  requires: [ICatalog],
  optional: [
    ITranslator,
    ICommandPalette,
    ILayoutRestorer,
    IFileBrowserFactory,
    IDocumentManager
  ],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    files: IFileBrowserFactory | null,
    documents: IDocumentManager | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    const tracker = new WidgetTracker<ImportPage>({
      namespace: 'flowcat-import'
    });
    const { commands, shell, serviceManager } = app;
    const openTable = (id: number) =>
      void commands.execute(CommandIDs.openTable, { id });
    const runs = announced(catalog, trans, openTable);
    const browse =
      documents && (() => chooseFile(documents, translator, trans));

    commands.addCommand(CommandIDs.importFile, {
      label: args =>
        args.isLauncher ? trans.__('Import File') : trans.__('Import File…'),
      caption: trans.__('Take a file into the catalog'),
      icon: args => (args.isPalette ? undefined : importIcon),
      describedBy: { args: importSchema },
      execute: async args => {
        const [{ ImportPage: Page }, { ImportModel: Model }] =
          await Promise.all([
            import('../imports/widget'),
            import('../imports/model')
          ]);
        const { status } = catalog.feed;
        const model = new Model(catalog.client, runs, {
          catalog: status?.default_catalog ?? 'main',
          schema: status?.default_schema ?? 'default'
        });
        const page = new Page({ model, trans, browse, openTable });
        shell.add(page, 'main', { type: 'Import' });
        await tracker.add(page);
        model.changed.connect(() => void tracker.save(page));
        void model.begin(args as IImportArgs);
        return page;
      }
    });
    void restorer?.restore(tracker, {
      command: CommandIDs.importFile,
      args: ({ model }) => ({
        path: model.file?.path ?? '',
        catalog: model.destination.catalog,
        schema: model.destination.schema
      }),
      name: ({ id }) => id
    });
    palette?.addItem({
      command: CommandIDs.importFile,
      category: trans.__('Catalog'),
      args: { isPalette: true }
    });

    const selected = (): string | null => {
      const items = Array.from(
        files?.tracker.currentWidget?.selectedItems() ?? []
      );
      const [item] = items;
      const fits =
        items.length === 1 &&
        item.type !== 'directory' &&
        IMPORTABLE.test(item.path) &&
        serviceManager.contents.driveName(item.path) === '';
      return fits ? item.path : null;
    };
    commands.addCommand(CommandIDs.importSelected, {
      label: trans.__('Import to Catalog…'),
      icon: importIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      isVisible: () => selected() !== null,
      execute: () => {
        const path = selected();
        return path && commands.execute(CommandIDs.importFile, { path });
      }
    });
  }
};

/** The runs, with a word to the person when an import of this browser has ended. */
function announced(
  catalog: ICatalog,
  trans: TranslationBundle,
  openTable: (id: number) => void
): IImportRuns {
  const { runs } = catalog;
  return {
    cancel: id => runs.cancel(id),
    follow: async (run, progress) => {
      const ended = await runs.follow(run, progress);
      announce(ended, trans, openTable);
      return ended;
    }
  };
}

function announce(
  { state, title, error, result }: RunReply,
  trans: TranslationBundle,
  openTable: (id: number) => void
): void {
  const table = result?.table_id;
  if (state === 'succeeded') {
    const actions: Notification.IAction[] =
      typeof table === 'number'
        ? [
            {
              label: trans.__('Open Table'),
              displayType: 'accent',
              callback: () => openTable(table)
            }
          ]
        : [];
    Notification.success(trans.__('%1: done.', title), {
      actions,
      autoClose: 15_000
    });
  } else if (state !== 'cancelled') {
    Notification.error(
      [title, error?.message, error?.hint].filter(Boolean).join('\n'),
      { autoClose: false }
    );
  }
}

/** Lets the person choose a file of the server. */
async function chooseFile(
  manager: IDocumentManager,
  translator: ITranslator | null,
  trans: TranslationBundle
): Promise<string | null> {
  const { button, value } = await FileDialog.getOpenFiles({
    manager,
    translator: translator ?? undefined,
    title: trans.__('Choose a File to Import'),
    filter: ({ type, name }) =>
      type === 'directory' || IMPORTABLE.test(name) ? {} : null
  });
  return button.accept ? (value?.[0]?.path ?? null) : null;
}

const importSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    catalog: { type: 'string' },
    schema: { type: 'string' },
    isLauncher: { type: 'boolean' },
    isPalette: { type: 'boolean' }
  }
};
