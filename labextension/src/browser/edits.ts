import type { CatalogClient } from '../api/client';
import type {
  DroppedTable,
  DropReply,
  Node,
  ObjectPatch,
  TableReply
} from '../api/types';

import type { IItem } from './items';
import { PAGE, type TreeModel } from './model';

/** What the edits need of the client; tests pass a fake. */
export type IEditClient = Pick<
  CatalogClient,
  | 'tree'
  | 'createNamespace'
  | 'register'
  | 'patchNamespace'
  | 'patchTable'
  | 'patchView'
  | 'dropNamespace'
  | 'dropTable'
  | 'dropView'
  | 'undrop'
  | 'dropped'
  | 'removeDemo'
>;

/** What a person may change from the tree; the tree shows it at once. */
export class TreeEdits {
  constructor(
    private readonly client: IEditClient,
    private readonly tree: TreeModel
  ) {}

  /** Makes a catalog, or a schema in one. */
  async create(name: string, parentId: number | null): Promise<Node> {
    const node = await this.client.createNamespace({
      name,
      parent_id: parentId
    });
    await this.tree.reloadId(parentId);
    await this.tree.reveal(node.full_name);
    return node;
  }

  /** Takes a folder of data in where it is. */
  async register(table: string, location: string): Promise<TableReply> {
    const reply = await this.client.register({ table, location });
    await this.tree.refresh();
    await this.tree.reveal(reply.full_name);
    return reply;
  }

  /** Gives a node another name. */
  async rename(item: IItem, name: string): Promise<void> {
    const patch = { name };
    if (isNamespace(item)) {
      await this.client.patchNamespace(item.node.id, patch);
    } else {
      await this.patch(item, patch);
    }
    await this.tree.reload(item.parent);
  }

  /** Moves a table or view to another schema. */
  async move(item: IItem, schemaId: number): Promise<void> {
    await this.patch(item, { parent_id: schemaId });
    await this.tree.reload(item.parent);
    await this.tree.reloadId(schemaId);
  }

  /** Drops a node and all beneath it; a table can come back by {@link undrop}. */
  async drop(item: IItem): Promise<DropReply> {
    let reply: DropReply = { dropped_id: null, purge_at: null };
    if (isNamespace(item)) {
      await this.client.dropNamespace(item.node.id, true);
    } else if (item.kind === 'view') {
      await this.client.dropView(item.node.id);
    } else {
      reply = await this.client.dropTable(item.node.id);
    }
    await this.tree.reload(item.parent);
    return reply;
  }

  private async patch(
    { kind, node }: IItem,
    patch: ObjectPatch
  ): Promise<void> {
    if (kind === 'view') {
      await this.client.patchView(node.id, patch);
    } else {
      await this.client.patchTable(node.id, patch);
    }
  }

  /** Brings a dropped table back. */
  async undrop(droppedId: number): Promise<void> {
    const { full_name } = await this.client.undrop(droppedId);
    await this.tree.refresh();
    await this.tree.reveal(full_name);
  }

  /** The dropped tables that can still come back, the latest first. */
  async dropped(): Promise<DroppedTable[]> {
    const { items } = await this.client.dropped();
    return [...items].sort((a, b) => b.dropped_at.localeCompare(a.dropped_at));
  }

  /** Drops the demo catalog with all that is in it. */
  async removeDemo(): Promise<void> {
    await this.client.removeDemo();
    await this.tree.refresh();
  }

  /** The schemas a table could move to. */
  async schemas(): Promise<Node[]> {
    const { items } = await this.client.tree(null, { limit: PAGE });
    const lists = await Promise.all(
      items.map(({ id }) => this.client.tree(id, { limit: PAGE }))
    );
    return lists.flatMap(list => list.items);
  }
}

/** Whether the person may rename, move or drop a node. */
export function changeable({ kind, node }: IItem): boolean {
  const { access } = node;
  return kind !== 'column' && (access === 'owner' || access === 'manage');
}

/** Catalogs and schemas hold others; tables and views do not. */
export function isNamespace({ kind }: IItem): boolean {
  return kind === 'catalog' || kind === 'schema';
}
