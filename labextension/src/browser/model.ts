import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import type { IChanges, IFeed } from '../api/feed';
import { messageOf } from '../api/errors';

import {
  columnItem,
  expandable,
  flatten,
  type IItem,
  merge,
  nodeItem,
  type Row
} from './items';
import { type ISearch, TreeSearch } from './search';

/** What the tree needs of the client; tests pass a fake. */
export type ITreeClient = Pick<
  CatalogClient,
  'tree' | 'table' | 'view' | 'search'
>;

/** What the tree needs of the feed. */
export type ITreeFeed = Pick<IFeed, 'changed' | 'stateChanged' | 'state'>;

/** The table versions a person has seen, by uuid. */
export interface ISeen {
  get(uuid: string): number | undefined;
  set(uuid: string, version: number): void;
}

export type { ISearch };

/** Children fetched at once. */
export const PAGE = 500;

/** The tree of the catalog, loaded as it is opened, kept true by the feed. */
export class TreeModel implements IDisposable {
  constructor(
    private readonly client: ITreeClient,
    private readonly feed: ITreeFeed,
    private readonly seen: ISeen,
    private readonly page = PAGE
  ) {
    this._search = new TreeSearch(client, () => this.emit());
    feed.changed.connect(this.onChanged, this);
    feed.stateChanged.connect(this.onState, this);
    this.onState();
  }

  /** What is shown, line by line. */
  get rows(): readonly Row[] {
    const found = this._search.state;
    this._rows ??= found
      ? flatten(found.items, null, false)
      : flatten(this._root ?? [], null, this._after !== null);
    return this._rows;
  }

  /** The catalogs; null until they are loaded. */
  get catalogs(): readonly IItem[] | null {
    return this._root;
  }

  /** Why the catalogs are not here. */
  get error(): string | null {
    return this._error;
  }

  /** The search in force; null while the tree is shown. */
  get search(): ISearch | null {
    return this._search.state;
  }

  /** The row the person is at. */
  get selected(): IItem | null {
    const row = this.rows[this.index(this._selected)];
    return row?.type === 'item' ? row.item : null;
  }

  /** No table is anywhere, as far as a small catalog can tell at a glance. */
  get empty(): boolean {
    return (
      this._root !== null &&
      this._after === null &&
      this._root.every(
        ({ children, total }) =>
          total === 0 || children?.every(schema => schema.total === 0)
      )
    );
  }

  /** Something to show has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    this._search.dispose();
    Signal.clearData(this);
  }

  /** The line of a row, or -1. */
  index(key: string | null): number {
    return this.rows.findIndex(
      row => row.type === 'item' && row.item.key === key
    );
  }

  /** A table has a version the person has not seen, but knew an earlier one. */
  isNew({ node, kind }: IItem): boolean {
    const known = this.seen.get(node.uuid);
    return (
      kind !== 'column' &&
      known !== undefined &&
      node.data_version !== null &&
      node.data_version > known
    );
  }

  /** The person has opened a table. */
  markSeen(uuid: string, version: number | null): void {
    this.seen.set(uuid, version ?? 0);
    this.emit();
  }

  select(key: string | null): void {
    if (key !== this._selected) {
      this._selected = key;
      this.emit();
    }
  }

  /** Loads everything shown anew; what is open stays open. */
  async refresh(): Promise<void> {
    await this.load(null);
    const open = (items: readonly IItem[]): IItem[] =>
      items.flatMap(item =>
        item.expanded ? [item, ...open(item.children ?? [])] : []
      );
    for (const item of open(this._root ?? [])) {
      await this.load(item);
    }
  }

  async setExpanded(item: IItem, expanded: boolean): Promise<void> {
    item.expanded = expanded;
    this.emit();
    if (expanded && item.children === null) {
      await this.load(item);
    }
  }

  /** Opens rows by their keys, as far as they are there and what leads to them is among them. */
  async unfold(
    keys: ReadonlySet<string>,
    items: readonly IItem[] | null = this._root
  ): Promise<void> {
    for (const item of items ?? []) {
      if (keys.has(item.key) && expandable(item)) {
        await this.setExpanded(item, true);
        await this.unfold(keys, item.children);
      }
    }
  }

  /** Loads the next page of a list; null is the list of catalogs. */
  async loadMore(item: IItem | null): Promise<void> {
    if (item ? item.loading : this._loading) {
      return;
    }
    await this.load(item, true);
  }

  /** Opens what leads to a node and selects it; false where it is not to be seen. */
  async reveal(fullName: readonly string[]): Promise<boolean> {
    this.setQuery('');
    if (this._root === null) {
      await this.load(null);
    }
    let list: readonly IItem[] = this._root ?? [];
    let found: IItem | undefined;
    for (const name of fullName) {
      if (found) {
        await this.setExpanded(found, true);
        list = found.children ?? [];
      }
      found = list.find(({ node }) => node.name === name);
      if (!found) {
        return false;
      }
    }
    this.select(found?.key ?? null);
    return found !== undefined;
  }

  /** Searches names and columns on the server; an empty text shows the tree again. */
  setQuery(text: string): void {
    this._search.set(text);
  }

  /** Loads a list from its start, as far as it was loaded before, or its next page. */
  private async load(item: IItem | null, more = false): Promise<void> {
    this.busy(item, true);
    try {
      if (item && (item.kind === 'table' || item.kind === 'view')) {
        const { id } = item.node;
        const { columns } = await (item.kind === 'view'
          ? this.client.view(id)
          : this.client.table(id));
        const fresh = columns.map((column, at) => columnItem(column, at, item));
        this.keep(item, merge(item.children, fresh), null, columns.length);
      } else {
        await this.loadNodes(item, more);
      }
    } catch (reason) {
      if (item) {
        item.error = messageOf(reason);
      } else {
        this._error = messageOf(reason);
      }
    }
    this.busy(item, false);
  }

  private async loadNodes(item: IItem | null, more: boolean): Promise<void> {
    const old = item ? item.children : this._root;
    const wanted = more ? 1 : Math.max(1, old?.length ?? 0);
    let after = more ? (item ? item.after : this._after) : null;
    let fresh: IItem[] = [];
    let total = 0;
    do {
      const limit = this.page;
      const list = await this.client.tree(item?.node.id ?? null, {
        limit,
        after
      });
      fresh = fresh.concat(list.items.map(node => nodeItem(node, item)));
      after = list.after;
      total = list.total;
    } while (after !== null && fresh.length < wanted);
    // What is there by now: another answer may have come, and rows of it been unfolded.
    const now = item ? item.children : this._root;
    const children = more ? [...(now ?? []), ...fresh] : merge(now, fresh);
    this.keep(item, children, after, total);
  }

  private keep(
    item: IItem | null,
    children: IItem[],
    after: string | null,
    total: number
  ): void {
    if (item) {
      Object.assign(item, { children, after, total, error: null });
    } else {
      this._root = children;
      this._after = after;
      this._error = null;
    }
  }

  private busy(item: IItem | null, loading: boolean): void {
    if (item) {
      item.loading = loading;
    } else {
      this._loading = loading;
    }
    this.emit();
  }

  /** Loads a list again if it had been loaded, else the one where its line counts it. */
  async reload(item: IItem | null): Promise<void> {
    const list = listed(item);
    await this.load(list);
    if (list) {
      list.node.child_count = list.total;
    }
    this._search.again();
  }

  /** As {@link reload}, by the node's id; null is the list of catalogs. */
  async reloadId(id: number | null): Promise<void> {
    const item = id === null ? null : this.byId(id);
    if (item !== undefined) {
      await this.reload(item);
    }
  }

  private byId(
    id: number,
    items: readonly IItem[] | null = this._root
  ): IItem | undefined {
    for (const item of items ?? []) {
      const found =
        item.node.id === id ? item : this.byId(id, nodesIn(item.children));
      if (found) {
        return found;
      }
    }
    return undefined;
  }

  private onState(): void {
    if (this.feed.state === 'ready' && this._root === null && !this._loading) {
      void this.first();
    }
    this.emit();
  }

  /** The catalogs, and of the first few also the schemas: whether all is empty shows there. */
  private async first(): Promise<void> {
    await this.load(null);
    for (const item of (this._root ?? []).slice(0, 3)) {
      if (item.children === null && !item.loading) {
        await this.load(item);
      }
    }
  }

  private onChanged(_: unknown, { items, reset }: IChanges): void {
    if (reset) {
      void this.refresh();
      return;
    }
    const lists = new Set<number | null>();
    for (const { object_id, object_kind, parent_id } of items) {
      // Above the catalogs is nothing the tree shows.
      lists.add(object_kind === 'catalog' ? null : parent_id);
      const item = this.byId(object_id);
      if (item) {
        lists.add(item.parent?.node.id ?? null);
        lists.add(object_id);
        const above = item.parent?.parent;
        if (item.parent && above !== undefined) {
          lists.add(above?.node.id ?? null);
        }
      }
    }
    const due = new Set<IItem | null>();
    for (const id of lists) {
      const item = id === null ? null : this.byId(id);
      if (item !== undefined) {
        due.add(listed(item));
      }
    }
    due.forEach(item => void this.reload(item));
  }

  private emit(): void {
    this._rows = null;
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private readonly _search: TreeSearch;
  private _root: IItem[] | null = null;
  private _after: string | null = null;
  private _error: string | null = null;
  private _loading = false;
  private _selected: string | null = null;
  private _rows: readonly Row[] | null = null;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}

/** The list that tells of an item's children: its own where it is loaded, else the one it is in. */
function listed(item: IItem | null): IItem | null {
  return item?.children === null ? item.parent : item;
}

function nodesIn(children: readonly IItem[] | null): readonly IItem[] | null {
  return children?.[0]?.kind === 'column' ? null : children;
}
