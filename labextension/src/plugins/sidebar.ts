import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStateDB } from '@jupyterlab/statedb';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { Menu } from '@lumino/widgets';

import { messageOf } from '../api/errors';
import type { RunReply } from '../api/types';
import { SidebarActions } from '../browser/actions';
import { TreeEdits } from '../browser/edits';
import type { IItem } from '../browser/items';
import { TreeModel } from '../browser/model';
import { SeenVersions } from '../browser/seen';
import { UnfoldedRows } from '../browser/unfolded';
import { CatalogSidebar } from '../browser/widget';
import { CommandIDs } from '../commands';
import { catalogIcon } from '../icons';
import { ICatalog, IKernelFrames, ISeenTables, PACKAGE } from '../tokens';

import { addSelectionCommands, noArguments } from './selection';

const FILE_BROWSER = '@jupyterlab/filebrowser-extension:browser';

/** The catalog in the left area, and what can be done from it. */
export const sidebarPlugin: JupyterFrontEndPlugin<ISeenTables> = {
  id: `${PACKAGE}:sidebar`,
  description: 'Shows the catalog in the left area.',
  autoStart: true,
  provides: ISeenTables,
  requires: [ICatalog],
  optional: [
    ITranslator,
    ICommandPalette,
    ILayoutRestorer,
    ISettingRegistry,
    IStateDB,
    IKernelFrames
  ],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    settings: ISettingRegistry | null,
    state: IStateDB | null,
    frames: IKernelFrames | null
  ): ISeenTables => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    const { commands, shell } = app;
    const seen = new SeenVersions(state, `${PACKAGE}:seen`);
    const model = new TreeModel(catalog.client, catalog.feed, seen);
    const edits = new TreeEdits(catalog.client, model);
    const actions = new SidebarActions(commands, model, edits, trans);
    const sidebar = new CatalogSidebar({
      catalog,
      model,
      actions,
      frames,
      trans,
      execute: command => void commands.execute(command),
      addMenu: (x, y) => addMenu(app).open(x, y)
    });
    shell.add(sidebar, 'left', { rank: 150, type: 'Catalog' });
    restorer?.add(sidebar, sidebar.id);
    void seen.load().then(() => sidebar.update());
    void new UnfoldedRows(state, `${PACKAGE}:unfolded`, model).restore();
    void followClicks(settings, sidebar);
    addCommands(app, { catalog, model, actions, sidebar, trans });
    addSelectionCommands(app, model, actions, sidebar, trans);
    const category = trans.__('Catalog');
    [
      CommandIDs.toggle,
      CommandIDs.refresh,
      CommandIDs.newCatalog,
      CommandIDs.newSchema,
      CommandIDs.registerFolder,
      CommandIDs.undrop,
      CommandIDs.loadDemo,
      CommandIDs.removeDemo
    ].forEach(command => palette?.addItem({ command, category }));
    return {
      opened: (uuid, version) => model.markSeen(uuid, version)
    };
  }
};

/** What the commands act on. */
interface IParts {
  catalog: ICatalog;
  model: TreeModel;
  actions: SidebarActions;
  sidebar: CatalogSidebar;
  trans: TranslationBundle;
}

function addCommands(app: JupyterFrontEnd, parts: IParts): void {
  const { model, actions, sidebar, trans } = parts;
  const { commands, shell } = app;
  commands.addCommand(CommandIDs.toggle, {
    label: trans.__('Catalog'),
    caption: trans.__('Show or hide the catalog'),
    describedBy: noArguments,
    isToggled: () => sidebar.isVisible,
    execute: () => {
      if (sidebar.isVisible) {
        return commands.execute('application:toggle-left-area');
      }
      shell.activateById(sidebar.id);
      return undefined;
    }
  });
  commands.addCommand(CommandIDs.openCatalog, {
    label: trans.__('Open Catalog'),
    caption: trans.__('Browse tables and their columns'),
    icon: catalogIcon,
    describedBy: {
      args: { type: 'object', properties: { query: { type: 'string' } } }
    },
    execute: args => {
      shell.activateById(sidebar.id);
      if (typeof args.query === 'string') {
        sidebar.searchFor(args.query);
      }
    }
  });
  commands.addCommand(CommandIDs.refresh, {
    label: trans.__('Refresh Catalog'),
    describedBy: noArguments,
    execute: async () => {
      await parts.catalog.feed.look();
      await model.refresh();
    }
  });
  commands.addCommand(CommandIDs.newCatalog, {
    label: trans.__('New Catalog…'),
    describedBy: noArguments,
    execute: () => actions.newCatalog()
  });
  commands.addCommand(CommandIDs.newSchema, {
    label: trans.__('New Schema…'),
    describedBy: noArguments,
    execute: () => actions.newSchema(null)
  });
  commands.addCommand(CommandIDs.registerFolder, {
    label: trans.__('Register Folder…'),
    caption: trans.__('Take data into the catalog where they are'),
    describedBy: noArguments,
    execute: () => actions.registerFolder()
  });
  commands.addCommand(CommandIDs.undrop, {
    label: trans.__('Restore a Dropped Table…'),
    describedBy: noArguments,
    execute: () => actions.restoreDropped()
  });
  commands.addCommand(CommandIDs.removeDemo, {
    label: trans.__('Remove the Demo…'),
    describedBy: noArguments,
    isEnabled: () => model.catalogs?.some(isDemo) ?? false,
    execute: () => actions.removeDemo()
  });
  commands.addCommand(CommandIDs.loadDemo, {
    label: trans.__('Load the Demo'),
    caption: trans.__('Real flights leaving New York in 2013'),
    describedBy: noArguments,
    execute: () => loadDemo(parts)
  });
}

function isDemo({ node }: IItem): boolean {
  return node.name === 'demo';
}

async function loadDemo({ catalog, model, trans }: IParts): Promise<void> {
  let ended: RunReply[];
  try {
    const { items } = await catalog.client.loadDemo();
    ended = await Promise.all(items.map(run => catalog.runs.follow(run)));
  } catch (reason) {
    Notification.error(messageOf(reason), { autoClose: false });
    return;
  }
  await catalog.feed.look();
  await model.refresh();
  const failed = ended.find(
    ({ state }) => state !== 'succeeded' && state !== 'cancelled'
  );
  if (failed) {
    Notification.error(
      failed.error?.message ?? trans.__('The demo could not be loaded.'),
      { autoClose: false }
    );
  } else {
    await model.reveal(['demo', 'nyc', 'flights']);
  }
}

/** What can be added to the catalog. */
function addMenu({ commands }: JupyterFrontEnd): Menu {
  const menu = new Menu({ commands });
  for (const command of [
    CommandIDs.importFile,
    CommandIDs.newSchema,
    CommandIDs.newCatalog,
    CommandIDs.registerFolder,
    CommandIDs.undrop
  ]) {
    if (commands.hasCommand(command)) {
      menu.addItem({ command });
    }
  }
  menu.aboutToClose.connect(() => {
    requestAnimationFrame(() => menu.dispose());
  });
  return menu;
}

/** One click opens here if it does in the file browser. */
async function followClicks(
  settings: ISettingRegistry | null,
  sidebar: CatalogSidebar
): Promise<void> {
  if (!settings || !(FILE_BROWSER in settings.plugins)) {
    return;
  }
  const browser = await settings.load(FILE_BROWSER);
  const follow = () => {
    sidebar.singleClick = browser.composite['singleClickNavigation'] === true;
  };
  browser.changed.connect(follow);
  follow();
}
