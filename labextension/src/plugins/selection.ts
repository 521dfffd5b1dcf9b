import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { SidebarActions } from '../browser/actions';
import { changeable, isNamespace } from '../browser/edits';
import { type IItem, type NameForm, sqlNameOf } from '../browser/items';
import type { TreeModel } from '../browser/model';
import type { CatalogSidebar } from '../browser/widget';
import { CommandIDs, type ICellArgs } from '../commands';

/** Says that a command takes no arguments. */
export const noArguments = {
  args: { type: 'object', properties: {} }
} as const;

/** The commands of the tree's context menu: each acts on the selected row. */
export function addSelectionCommands(
  app: JupyterFrontEnd,
  model: TreeModel,
  actions: SidebarActions,
  sidebar: CatalogSidebar,
  trans: TranslationBundle
): void {
  const { commands } = app;
  const add = (
    id: string,
    label: string,
    act: (item: IItem) => unknown,
    fits: (item: IItem) => boolean = () => true
  ) => {
    const usable = () => model.selected !== null && fits(model.selected);
    commands.addCommand(id, {
      label,
      describedBy: noArguments,
      isEnabled: usable,
      isVisible: usable,
      execute: () => (model.selected ? act(model.selected) : undefined)
    });
  };
  const other = (id: string) => (item: IItem) =>
    isTable(item) && commands.hasCommand(id);

  add(CommandIDs.open, trans.__('Open'), item => actions.open(item), isTable);
  add(
    CommandIDs.history,
    trans.__('History'),
    item => actions.open(item, { tab: 'history' }),
    ({ kind }) => kind === 'table'
  );
  add(
    CommandIDs.query,
    trans.__('Query'),
    ({ node }) =>
      commands.execute(CommandIDs.newQuery, {
        query: `SELECT *\nFROM ${node.sql_name}\nLIMIT 100`,
        catalog: node.full_name[0],
        schema: node.full_name[1]
      }),
    other(CommandIDs.newQuery)
  );
  add(
    CommandIDs.notebook,
    trans.__('New Notebook with This Table'),
    ({ node }) =>
      commands.execute(CommandIDs.newNotebook, { sqlName: node.sql_name }),
    other(CommandIDs.newNotebook)
  );
  const addCell = (id: string, label: string, form: ICellArgs['form']) =>
    add(
      id,
      label,
      ({ node }) =>
        commands.execute(CommandIDs.addToNotebook, {
          sqlName: node.sql_name,
          form
        }),
      item =>
        other(CommandIDs.addToNotebook)(item) &&
        commands.isEnabled(CommandIDs.addToNotebook, {
          sqlName: sqlNameOf(item)
        })
    );
  addCell(CommandIDs.addCell, trans.__('Add to Open Notebook as SQL'), 'sql');
  addCell(
    CommandIDs.addPythonCell,
    trans.__('Add to Open Notebook as Python'),
    'python'
  );
  addCopies(add, actions, trans);
  add(
    CommandIDs.addSchema,
    trans.__('New Schema…'),
    item => actions.newSchema(item),
    ({ kind }) => kind === 'catalog'
  );
  add(
    CommandIDs.rename,
    trans.__('Rename'),
    () => sidebar.editName(),
    changeable
  );
  add(
    CommandIDs.move,
    trans.__('Move…'),
    item => actions.move(item),
    item => isTable(item) && changeable(item)
  );
  add(
    CommandIDs.drop,
    trans.__('Drop…'),
    item => actions.drop(item),
    changeable
  );
}

type Add = (
  id: string,
  label: string,
  act: (item: IItem) => unknown,
  fits?: (item: IItem) => boolean
) => void;

function addCopies(
  add: Add,
  actions: SidebarActions,
  trans: TranslationBundle
): void {
  const copy = (form: NameForm) => (item: IItem) =>
    actions.copyName(item, form);
  add(CommandIDs.copyName, trans.__('Plain'), copy('plain'));
  add(CommandIDs.copySqlName, trans.__('Quoted for SQL'), copy('sql'));
  add(
    CommandIDs.copySelect,
    trans.__('As a SQL Query'),
    copy('select'),
    item => !isNamespace(item)
  );
  add(
    CommandIDs.copyPython,
    trans.__('As Python'),
    copy('python'),
    item => !isNamespace(item)
  );
}

function isNode({ kind }: IItem): boolean {
  return kind !== 'column';
}

function isTable(item: IItem): boolean {
  return isNode(item) && !isNamespace(item);
}
