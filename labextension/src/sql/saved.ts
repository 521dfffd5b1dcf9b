import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import type { SavedQueryCreate, SavedQueryReply } from '../api/types';

/** What saved queries need of the client; tests pass a fake. */
export type ISavedClient = Pick<
  CatalogClient,
  'savedQueries' | 'saveQuery' | 'changeQuery' | 'dropQuery'
>;

/** A person's own queries, kept by the server under names. */
export class SavedQueries {
  constructor(private readonly client: ISavedClient) {}

  /** By name; null until they are loaded. */
  get items(): readonly SavedQueryReply[] | null {
    return this._items;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The query of a name, whatever its case. */
  named(name: string): SavedQueryReply | null {
    const key = name.trim().toLowerCase();
    return this._items?.find(item => item.name.toLowerCase() === key) ?? null;
  }

  /** Lists what there is. */
  async load(): Promise<void> {
    const items: SavedQueryReply[] = [];
    let after: string | null = null;
    do {
      const page = await this.client.savedQueries(after);
      items.push(...page.items);
      after = page.after;
    } while (after !== null);
    this.tell(items);
  }

  /** Keeps a query under a name, in place of the one that has it. */
  async save(query: SavedQueryCreate): Promise<void> {
    const old = this.named(query.name);
    if (old) {
      await this.client.changeQuery(old.id, query);
    } else {
      await this.client.saveQuery(query);
    }
    await this.load();
  }

  async remove(id: number): Promise<void> {
    await this.client.dropQuery(id);
    this.tell((this._items ?? []).filter(item => item.id !== id));
  }

  private tell(items: readonly SavedQueryReply[]): void {
    this._items = items;
    this._changed.emit();
  }

  private _items: readonly SavedQueryReply[] | null = null;
  private readonly _changed = new Signal<this, void>(this);
}
