import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStatusBar, type Popup, showPopup } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { CommandIDs } from '../commands';
import { RecentRuns } from '../runs/model';
import { CatalogStatus, RunsPopup } from '../runs/widget';
import { ICatalog, PACKAGE } from '../tokens';

/** The catalog in the status bar: runs at work, the session's zone, the server's state. */
export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:status`,
  description: 'Shows the state of the catalog in the status bar.',
  autoStart: true,
  requires: [ICatalog, IStatusBar],
  optional: [ITranslator, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    bar: IStatusBar,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    let popup: Popup | null = null;
    const go = (command: string, args: ReadonlyPartialJSONObject) => {
      popup?.dispose();
      void app.commands.execute(command, args);
    };
    const show = async () => {
      popup?.dispose();
      const recent = new RecentRuns(catalog.client, catalog.runs);
      await recent.load();
      const body = new RunsPopup(recent, catalog, trans, {
        table: id => go(CommandIDs.openTable, { id }),
        rejects: ({ id, title }) =>
          go(CommandIDs.openRejects, { run: id, title })
      });
      const shown = showPopup({ body, anchor: item, align: 'left' });
      popup = shown;
      // Placed again once the height of the list is known.
      await body.renderPromise;
      shown?.update();
    };
    const item = new CatalogStatus(catalog, trans, () => void show());
    bar.registerStatusItem(`${PACKAGE}:status`, {
      item,
      align: 'left',
      rank: 5,
      isActive: () => true
    });
    app.commands.addCommand(CommandIDs.showRuns, {
      label: trans.__('Show Runs'),
      caption: trans.__('Imports and other work of the catalog'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: show
    });
    palette?.addItem({
      command: CommandIDs.showRuns,
      category: trans.__('Catalog')
    });
  }
};
