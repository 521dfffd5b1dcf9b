import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { notebookIcon } from '@jupyterlab/ui-components';

import { messageOf } from '../api/errors';
import { CommandIDs, type ICellArgs } from '../commands';
import { sqlCell, tableInPython, tableInSql } from '../notebook/magic';
import { ICatalog, PACKAGE } from '../tokens';

/** Notebooks kept as YAML, and what the catalog puts into notebooks. */
export const notebookPlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:notebook`,
  description: 'Opens notebooks kept as YAML, and makes them.',
  autoStart: true,
  requires: [ICatalog, IDocumentManager, INotebookTracker],
  optional: [ITranslator, ICommandPalette, ILauncher, IDefaultFileBrowser],
  activate: (
    app: JupyterFrontEnd,
    _catalog: ICatalog,
    documents: IDocumentManager,
    tracker: INotebookTracker,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    browser: IDefaultFileBrowser | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    app.docRegistry.addFileType(
      {
        name: 'flowcat-notebook',
        displayName: trans.__('Catalog Notebook'),
        extensions: ['.notebook.yaml'],
        contentType: 'notebook',
        fileFormat: 'json',
        mimeTypes: [],
        icon: notebookIcon
      },
      ['Notebook']
    );
    addCommands(app, documents, tracker, browser, trans);
    const command = CommandIDs.newNotebook;
    const category = trans.__('Catalog');
    palette?.addItem({ command, args: { isPalette: true }, category });
    launcher?.add({ command, category, rank: 1.5 });
  }
};

function addCommands(
  { commands }: JupyterFrontEnd,
  documents: IDocumentManager,
  tracker: INotebookTracker,
  browser: IDefaultFileBrowser | null,
  trans: TranslationBundle
): void {
  commands.addCommand(CommandIDs.newNotebook, {
    label: args =>
      args.isPalette
        ? trans.__('New Catalog Notebook')
        : trans.__('Catalog Notebook'),
    caption: trans.__('A notebook kept as readable text, with SQL cells'),
    icon: args => (args.isPalette ? undefined : notebookIcon),
    describedBy: { args: cellSchema },
    execute: async args => {
      const { openNewNotebook } = await import('../notebook/actions');
      const folder = browser?.model.path ?? '';
      try {
        return await openNewNotebook(documents, folder, sourceOf(args));
      } catch (reason) {
        Notification.error(messageOf(reason), { autoClose: false });
        return undefined;
      }
    }
  });
  commands.addCommand(CommandIDs.addToNotebook, {
    label: trans.__('Add to Open Notebook'),
    describedBy: { args: cellSchema },
    isEnabled: () => writable(tracker),
    execute: async args => {
      const { addCell } = await import('../notebook/actions');
      const panel = tracker.currentWidget;
      const source = sourceOf(args);
      if (panel && source !== null) {
        addCell(panel, source);
      }
    }
  });
  tracker.currentChanged.connect(() =>
    commands.notifyCommandChanged(CommandIDs.addToNotebook)
  );
}

function writable({ currentWidget }: INotebookTracker): boolean {
  return currentWidget !== null && !currentWidget.model?.readOnly;
}

/** The cell that is asked for; null: none. */
function sourceOf(args: ICellArgs): string | null {
  const { sqlName, form, query, catalog, schema } = args;
  if (typeof query === 'string') {
    return sqlCell(query, { catalog, schema });
  }
  if (typeof sqlName === 'string') {
    return form === 'python' ? tableInPython(sqlName) : tableInSql(sqlName);
  }
  return null;
}

const cellSchema = {
  type: 'object',
  properties: {
    sqlName: { type: 'string' },
    form: { type: 'string', enum: ['sql', 'python'] },
    query: { type: 'string' },
    catalog: { type: ['string', 'null'] },
    schema: { type: ['string', 'null'] }
  }
};
