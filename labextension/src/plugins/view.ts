import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { CommandIDs, type IOpenViewArgs } from '../commands';
import type { ViewPage } from '../table/view';
import type { ViewModel } from '../table/viewed';
import { ICatalog, PACKAGE } from '../tokens';

/** Opens a view in the main area. */
export const viewPlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:view`,
  description: 'Shows a view: its query and its columns.',
  autoStart: true,
  requires: [ICatalog],
  optional: [ITranslator, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    { client, feed }: ICatalog,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    const tracker = new WidgetTracker<ViewPage>({ namespace: 'flowcat-view' });
    const query = ({ view }: ViewModel) => {
      if (view) {
        void app.commands.execute(CommandIDs.newQuery, {
          query: `SELECT *\nFROM ${view.sql_name}\nLIMIT 100`,
          catalog: view.full_name[0],
          schema: view.full_name[1]
        });
      }
    };
    app.commands.addCommand(CommandIDs.openView, {
      label: trans.__('Open View'),
      describedBy: { args: openViewSchema },
      execute: async args => {
        const { id, name, activate } = args as unknown as IOpenViewArgs;
        let page = tracker.find(({ model }) => model.id === id);
        if (!page) {
          const [{ ViewPage: Page }, { ViewModel: Model }] = await Promise.all([
            import('../table/view'),
            import('../table/viewed')
          ]);
          const model = new Model(id, client, feed);
          void model.load();
          page = new Page({
            model,
            trans,
            name: name ?? trans.__('View'),
            query: app.commands.hasCommand(CommandIDs.newQuery) ? query : null
          });
          app.shell.add(page, 'main', { type: 'View', activate: false });
          await tracker.add(page);
        }
        const focused = document.activeElement;
        app.shell.activateById(page.id);
        if (activate === false && focused instanceof HTMLElement) {
          requestAnimationFrame(() => focused.focus());
        }
        return page;
      }
    });
    void restorer?.restore(tracker, {
      command: CommandIDs.openView,
      args: ({ model, title }) => ({ id: model.id, name: title.label }),
      name: ({ model }) => String(model.id)
    });
  }
};

const openViewSchema = {
  type: 'object',
  properties: {
    id: { type: 'number' },
    name: { type: 'string' },
    activate: { type: 'boolean' }
  },
  required: ['id']
};
