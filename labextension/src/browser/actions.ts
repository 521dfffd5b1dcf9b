import {
  Clipboard,
  Dialog,
  InputDialog,
  Notification,
  showDialog
} from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { messageOf } from '../api/errors';
import { CommandIDs, type IOpenTableArgs } from '../commands';
import { whyNot } from '../table/restoring';

import { changeable, isNamespace, type TreeEdits } from './edits';
import { type IItem, nameAs, type NameForm } from './items';
import type { ITreeActions } from './keys';
import type { TreeModel } from './model';
import { RestoreDialog } from './restore-dialog';

const UNDO_MS = 20_000;

/** What a person can do from the tree: asks where it must, tells what came of it. */
export class SidebarActions implements ITreeActions {
  constructor(
    private readonly commands: CommandRegistry,
    private readonly model: TreeModel,
    private readonly edits: TreeEdits,
    private readonly trans: TranslationBundle
  ) {}

  open(item: IItem, args: Partial<IOpenTableArgs> = {}): void {
    const { id, name } = item.node;
    const command =
      item.kind === 'view' ? CommandIDs.openView : CommandIDs.openTable;
    void this.commands.execute(command, { id, name, ...args });
  }

  preview(item: IItem): void {
    this.open(item, { activate: false });
  }

  drop(item: IItem): void {
    if (!changeable(item)) {
      return;
    }
    void this.tryTo(() => this.askAndDrop(item));
  }

  async rename(item: IItem, name: string): Promise<boolean> {
    return this.tryTo(() => this.edits.rename(item, name));
  }

  /** Asks for a schema and moves a table there. */
  async move(item: IItem): Promise<void> {
    await this.tryTo(async () => {
      const from = item.node.full_name.slice(0, -1).join('.');
      const schemas = (await this.edits.schemas()).filter(
        ({ full_name }) => full_name.join('.') !== from
      );
      if (!schemas.length) {
        Notification.info(
          this.trans.__('There is no other schema to move it to.')
        );
        return;
      }
      const { button, value } = await InputDialog.getItem({
        title: this.trans.__('Move %1', item.node.full_name.join('.')),
        label: this.trans.__('Schema'),
        items: schemas.map(({ full_name }) => full_name.join('.')),
        okLabel: this.trans.__('Move')
      });
      const chosen = schemas.find(
        ({ full_name }) => full_name.join('.') === value
      );
      if (button.accept && chosen) {
        await this.edits.move(item, chosen.id);
      }
    });
  }

  copyName(item: IItem, form: NameForm): void {
    Clipboard.copyToSystem(nameAs(item, form));
  }

  /** Asks for a name and makes a catalog. */
  async newCatalog(): Promise<void> {
    const name = await this.askName(
      this.trans.__('New Catalog'),
      this.trans.__('Name of the catalog')
    );
    if (name) {
      await this.tryTo(() => this.edits.create(name, null));
    }
  }

  /** Asks for a name and makes a schema in a catalog; without one it asks which. */
  async newSchema(parent: IItem | null): Promise<void> {
    const catalog = parent ?? (await this.askCatalog());
    if (!catalog) {
      return;
    }
    const name = await this.askName(
      this.trans.__('New Schema in %1', catalog.node.name),
      this.trans.__('Name of the schema')
    );
    if (name) {
      await this.tryTo(() => this.edits.create(name, catalog.node.id));
    }
  }

  /** Asks where data already is and what to call it. */
  async registerFolder(): Promise<void> {
    const title = this.trans.__('Register Folder');
    const location = await InputDialog.getText({
      title,
      label: this.trans.__(
        'A Delta folder or Parquet file; it stays where it is'
      ),
      placeholder: this.trans.__('/data/sales/orders'),
      okLabel: this.trans.__('Next')
    });
    const place = location.button.accept ? location.value?.trim() : '';
    if (!place) {
      return;
    }
    const name = await this.askName(
      title,
      this.trans.__('Name of the table, as catalog.schema.table')
    );
    if (name) {
      await this.tryTo(() => this.edits.register(name, place));
    }
  }

  /** Lets the person bring back a dropped table. */
  async restoreDropped(): Promise<void> {
    await this.tryTo(async () => {
      const dropped = await this.edits.dropped();
      if (!dropped.length) {
        Notification.info(
          this.trans.__('No dropped table can be brought back.')
        );
        return;
      }
      await new RestoreDialog({
        dropped,
        restore: ({ dropped_id }) => this.restore(dropped_id),
        trans: this.trans
      }).launch();
    });
  }

  /** Asks, then drops the demo catalog. */
  async removeDemo(): Promise<void> {
    const { button } = await showDialog({
      title: this.trans.__('Remove the demo?'),
      body: this.trans.__(
        'The catalog demo and all tables in it go. The demo can be loaded again.'
      ),
      buttons: [
        Dialog.cancelButton({ label: this.trans.__('Cancel') }),
        Dialog.warnButton({ label: this.trans.__('Remove') })
      ],
      defaultButton: 0
    });
    if (button.accept) {
      await this.tryTo(() => this.edits.removeDemo());
    }
  }

  private async askAndDrop(item: IItem): Promise<void> {
    const name = item.node.full_name.join('.');
    const { button } = await showDialog({
      title: this.trans.__('Drop %1?', name),
      body: this.consequence(item),
      buttons: [
        Dialog.cancelButton({ label: this.trans.__('Cancel') }),
        Dialog.warnButton({ label: this.trans.__('Drop') })
      ],
      defaultButton: 0
    });
    if (!button.accept) {
      return;
    }
    const { dropped_id } = await this.edits.drop(item);
    const actions: Notification.IAction[] =
      dropped_id === null
        ? []
        : [
            {
              label: this.trans.__('Undo'),
              displayType: 'accent',
              callback: () => void this.undo(dropped_id, item.node.full_name)
            }
          ];
    Notification.success(this.trans.__('Dropped %1.', name), {
      actions,
      autoClose: UNDO_MS
    });
  }

  private async undo(droppedId: number, name: string[]): Promise<void> {
    try {
      await this.restore(droppedId);
    } catch (reason) {
      this._refusals.push(
        Notification.error(whyNot(reason, name, this.trans), {
          autoClose: false
        })
      );
    }
  }

  /** Brings a table back; why others could not come is not news any more. */
  private async restore(droppedId: number): Promise<void> {
    await this.edits.undrop(droppedId);
    this._refusals.splice(0).forEach(id => Notification.dismiss(id));
  }

  /** What goes with a drop. */
  private consequence(item: IItem): string {
    const { node, kind } = item;
    if (isNamespace(item)) {
      const count = item.total ?? 0;
      return kind === 'catalog'
        ? this.trans._n(
            'Its one schema and every table in it go with it.',
            'Its %1 schemas and every table in them go with it.',
            count
          )
        : this.trans._n(
            'The one table in it goes with it.',
            'The %1 tables in it go with it.',
            count
          );
    }
    if (kind === 'view') {
      return this.trans.__('The view goes; the tables it reads stay.');
    }
    if (node.table_type === 'external') {
      return this.trans.__(
        'The catalog forgets the table; its data stay where they are.'
      );
    }
    return node.row_count === null
      ? this.trans.__('Its data go with it. You can undo this for a day.')
      : this.trans._n(
          'Its %2 row goes with it. You can undo this for a day.',
          'Its %2 rows go with it. You can undo this for a day.',
          node.row_count,
          node.row_count.toLocaleString('en')
        );
  }

  private async askName(title: string, label: string): Promise<string> {
    const { button, value } = await InputDialog.getText({
      title,
      label,
      okLabel: this.trans.__('Create')
    });
    return button.accept ? (value ?? '').trim() : '';
  }

  private async askCatalog(): Promise<IItem | null> {
    const catalogs = this.model.catalogs ?? [];
    if (catalogs.length === 1) {
      return catalogs[0];
    }
    const { button, value } = await InputDialog.getItem({
      title: this.trans.__('New Schema'),
      label: this.trans.__('Catalog'),
      items: catalogs.map(({ node }) => node.name),
      okLabel: this.trans.__('Next')
    });
    return button.accept
      ? (catalogs.find(({ node }) => node.name === value) ?? null)
      : null;
  }

  private async tryTo(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (reason) {
      Notification.error(messageOf(reason), { autoClose: false });
      return false;
    }
  }

  /** What is on the screen about tables that could not come back. */
  private readonly _refusals: string[] = [];
}
