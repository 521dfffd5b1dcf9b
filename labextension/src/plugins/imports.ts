import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { FileDialog } from '@jupyterlab/filebrowser';
import type { Contents } from '@jupyterlab/services';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { CommandIDs, type IImportArgs, type IRejectsArgs } from '../commands';
import { importIcon } from '../icons';
import { IMPORTABLE } from '../imports/names';
import type { ImportPage } from '../imports/widget';
import type { RejectsPage } from '../runs/rejects-widget';
import type { IRunOpeners } from '../runs/widget';
import { ICatalog, PACKAGE } from '../tokens';

import { announced } from './announce';

/** Takes files into the catalog. */
export const importsPlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:imports`,
  description: 'Takes files into the catalog.',
  autoStart: true,
  requires: [ICatalog],
  optional: [ITranslator, ICommandPalette, ILayoutRestorer, IDocumentManager],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    documents: IDocumentManager | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    const tracker = new WidgetTracker<ImportPage>({
      namespace: 'flowcat-import'
    });
    const { commands, shell, serviceManager } = app;
    const open: IRunOpeners = {
      table: id => void commands.execute(CommandIDs.openTable, { id }),
      rejects: ({ id, title }) =>
        void commands.execute(CommandIDs.openRejects, { run: id, title })
    };
    const runs = announced(catalog.runs, trans, open);
    const browse =
      documents &&
      ((folder: boolean) => choose(documents, folder, translator, trans));

    commands.addCommand(CommandIDs.importFile, {
      label: args =>
        args.isLauncher ? trans.__('Import File') : trans.__('Import File…'),
      caption: trans.__('Take files into the catalog'),
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
        const page = new Page({
          model,
          trans,
          zone: status?.session_timezone ?? 'UTC',
          browse,
          listFolder: path => listFolder(serviceManager.contents, path),
          openTable: id => open.table(id),
          openRejects: run => open.rejects(run)
        });
        shell.add(page, 'main', { type: 'Import' });
        await tracker.add(page);
        model.changed.connect(() => void tracker.save(page));
        void model.begin(args as IImportArgs);
        return page;
      }
    });
    void restorer?.restore(tracker, {
      command: CommandIDs.importFile,
      args: ({ model }) => model.state as ReadonlyPartialJSONObject,
      name: ({ id }) => id
    });
    palette?.addItem({
      command: CommandIDs.importFile,
      category: trans.__('Catalog'),
      args: { isPalette: true }
    });
    addRejects(app, catalog, trans, restorer);
  }
};

/** Shows the rejected lines of runs, each in one page. */
function addRejects(
  { commands, shell }: JupyterFrontEnd,
  { client }: ICatalog,
  trans: TranslationBundle,
  restorer: ILayoutRestorer | null
): void {
  const tracker = new WidgetTracker<RejectsPage>({
    namespace: 'flowcat-rejects'
  });
  commands.addCommand(CommandIDs.openRejects, {
    label: trans.__('Rejected Lines'),
    caption: trans.__('Show the lines that an import rejected'),
    describedBy: { args: rejectsSchema },
    execute: async args => {
      const { run, title } = args as unknown as IRejectsArgs;
      let page = tracker.find(({ options }) => options.run === run);
      if (!page) {
        const { RejectsPage: Page } = await import('../runs/rejects-widget');
        page = new Page({ run, title, client, trans });
        const added = tracker.add(page);
        shell.add(page, 'main', { type: 'Rejected Lines' });
        await added;
      }
      shell.activateById(page.id);
      return page;
    }
  });
  void restorer?.restore(tracker, {
    command: CommandIDs.openRejects,
    args: ({ options: { run, title } }) => ({ run, title: title ?? '' }),
    name: ({ options }) => String(options.run)
  });
}

/** The files of a folder that can be imported. */
async function listFolder(
  contents: Contents.IManager,
  path: string
): Promise<readonly string[]> {
  const { content } = await contents.get(path, {
    type: 'directory',
    content: true
  });
  return (content as Contents.IModel[])
    .filter(({ type, name }) => type !== 'directory' && IMPORTABLE.test(name))
    .map(item => item.path)
    .sort();
}

/** Lets the person choose files of the server, or a folder of them. */
async function choose(
  manager: IDocumentManager,
  folder: boolean,
  translator: ITranslator | null,
  trans: TranslationBundle
): Promise<readonly string[]> {
  const options = { manager, translator: translator ?? undefined };
  const { button, value } = folder
    ? await FileDialog.getExistingDirectory({
        ...options,
        title: trans.__('Choose a Folder to Import')
      })
    : await FileDialog.getOpenFiles({
        ...options,
        title: trans.__('Choose Files to Import'),
        filter: ({ type, name }) =>
          type === 'directory' || IMPORTABLE.test(name) ? {} : null
      });
  const chosen = (button.accept && value) || [];
  return chosen
    .filter(({ type }) => (type === 'directory') === folder)
    .map(({ path }) => path);
}

const texts = { type: 'array', items: { type: 'string' } };
const record = { type: 'object', additionalProperties: { type: 'string' } };
const importSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    paths: texts,
    uploads: { type: 'array', items: { type: 'object' } },
    catalog: { type: 'string' },
    schema: { type: 'string' },
    table: { type: 'string' },
    mode: { type: 'string' },
    keys: texts,
    options: record,
    types: record,
    run: { type: 'number' },
    isLauncher: { type: 'boolean' },
    isPalette: { type: 'boolean' }
  }
};
const rejectsSchema = {
  type: 'object',
  properties: { run: { type: 'number' }, title: { type: 'string' } },
  required: ['run']
};
