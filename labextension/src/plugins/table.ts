import {
  ILayoutRestorer,
  IRouter,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification, WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { messageOf } from '../api/errors';
import { CommandIDs, type IOpenTableArgs } from '../commands';
import {
  type ILinkView,
  readLink,
  TABLE_LINK,
  withoutLink
} from '../table/link';
import type { TableModel } from '../table/model';
import type { TablePage } from '../table/widget';
import { ICatalog, ISeenTables, PACKAGE } from '../tokens';

/** Opens a table in the main area. */
export const tablePlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:table`,
  description: 'Shows a table: its rows, columns and past.',
  autoStart: true,
  requires: [ICatalog],
  optional: [ITranslator, ILayoutRestorer, ISeenTables, IRouter],
  activate: (
    app: JupyterFrontEnd,
    catalog: ICatalog,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null,
    seen: ISeenTables | null,
    router: IRouter | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    const tracker = new WidgetTracker<TablePage>({
      namespace: 'flowcat-table'
    });
    const query = ({ table }: TableModel) => {
      if (table) {
        void app.commands.execute(CommandIDs.newQuery, {
          query: `SELECT *\nFROM ${table.sql_name}\nLIMIT 100`,
          catalog: table.full_name[0],
          schema: table.full_name[1]
        });
      }
    };

    const make = async (args: IOpenTableArgs): Promise<TablePage> => {
      const [
        { TablePage: Page },
        { TableModel: Model },
        { Comparison },
        { Upkeep }
      ] = await Promise.all([
        import('../table/widget'),
        import('../table/model'),
        import('../table/comparison'),
        import('../table/upkeep')
      ]);
      const { id, name, version, tab } = args;
      const { client, feed } = catalog;
      const model = new Model(id, client, feed, version ?? null);
      model.changed.connect(() => {
        if (model.table && model.version === null) {
          seen?.opened(model.table.uuid, model.table.data_version);
        }
      });
      void model.load();
      return new Page({
        model,
        comparison: new Comparison(model, client),
        upkeep: new Upkeep(model, client),
        trans,
        name: name ?? trans.__('Table'),
        tab: tab ?? 'rows',
        base: app.serviceManager.serverSettings.baseUrl,
        view: args.view as unknown as ILinkView | undefined,
        query: app.commands.hasCommand(CommandIDs.newQuery) ? query : null
      });
    };

    app.commands.addCommand(CommandIDs.openTable, {
      label: trans.__('Open Table'),
      describedBy: { args: openTableSchema },
      execute: async args => {
        const wanted = args as unknown as IOpenTableArgs;
        const { id, version, tab, activate } = wanted;
        let page = tracker.find(({ model }) => model.id === id);
        if (!page) {
          page = await make(wanted);
          app.shell.add(page, 'main', { type: 'Table', activate: false });
          await tracker.add(page);
          page.stateChanged.connect(tracker.save, tracker);
        } else {
          page.tab = tab ?? page.tab;
          if (version !== undefined) {
            await page.model.setVersion(version);
          }
          if (wanted.view) {
            page.look(wanted.view as unknown as ILinkView);
          }
        }
        if (activate !== false) {
          app.shell.activateById(page.id);
          return page;
        }
        const focused = document.activeElement;
        app.shell.activateById(page.id);
        const preview = page;
        requestAnimationFrame(() => {
          preview.stay();
          if (focused instanceof HTMLElement) {
            focused.focus();
          }
        });
        return page;
      }
    });
    app.commands.addCommand(CommandIDs.openTableLink, {
      label: trans.__('Open the Table of a Link'),
      describedBy: { args: linkSchema },
      execute: async args => {
        const { search, path, hash } = args as unknown as IRouter.ILocation;
        const link = readLink(search ?? '');
        if (!link) {
          return;
        }
        const rest = `${path ?? ''}${withoutLink(search ?? '')}${hash ?? ''}`;
        router?.navigate(rest, { skipRouting: true });
        await app.restored;
        try {
          const { id, name } = await catalog.client.resolve(link.name);
          const { version, view } = link;
          await app.commands.execute(CommandIDs.openTable, {
            ...{ id, name, version, tab: 'rows' },
            ...(view ? { view: { ...view } } : {})
          });
        } catch (reason) {
          Notification.error(messageOf(reason), { autoClose: false });
        }
      }
    });
    router?.register({
      command: CommandIDs.openTableLink,
      pattern: TABLE_LINK
    });

    void restorer?.restore(tracker, {
      command: CommandIDs.openTable,
      args: ({ model, tab, title }) => ({
        id: model.id,
        name: title.label,
        version: model.version,
        tab
      }),
      name: ({ model }) => String(model.id)
    });
  }
};

const openTableSchema = {
  type: 'object',
  properties: {
    id: { type: 'number' },
    name: { type: 'string' },
    version: { type: ['number', 'null'] },
    tab: { type: 'string' },
    activate: { type: 'boolean' },
    view: { type: 'object' }
  },
  required: ['id']
};

const linkSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    search: { type: 'string' },
    hash: { type: 'string' }
  }
};
