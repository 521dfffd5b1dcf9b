import type { IDisposable } from '@lumino/disposable';
import { Debouncer } from '@lumino/polling';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { messageOf } from '../api/errors';
import type { ImportMode, Node, TableReply } from '../api/types';

import { fold, quote } from './names';

/** What a destination needs of the client; tests pass a fake. */
export type ITargetClient = Pick<CatalogClient, 'tree' | 'table'>;

/** Where the table will live. */
export interface IPlace {
  catalog: string;
  schema: string;
  name: string;
}

const NODES = 500;
const TYPING_MS = 300;

/** The table an import goes to: its name, what is there already, and what becomes of that. */
export class ImportTarget implements IDisposable {
  constructor(
    private readonly client: ITargetClient,
    defaults: { catalog: string; schema: string },
    wait = TYPING_MS
  ) {
    this._place = { ...defaults, name: '' };
    this._look = new Debouncer(() => this.look(), wait);
  }

  get place(): Readonly<IPlace> {
    return this._place;
  }

  /** The name as SQL text. */
  get sqlName(): string {
    const { catalog, schema, name } = this._place;
    return [catalog, schema, name.trim()].map(quote).join('.');
  }

  /** The name as a person reads it. */
  get label(): string {
    const { catalog, schema, name } = this._place;
    return [catalog, schema, name.trim()].filter(Boolean).join('.');
  }

  get mode(): ImportMode {
    return this._mode;
  }

  /** Of an upsert: the columns that match rows. */
  get keys(): readonly string[] {
    return this._keys;
  }

  /** The table that has the name already; null where there is none. */
  get existing(): TableReply | null {
    return this._existing;
  }

  /** Whether rows are added to a table that is there. */
  get adds(): boolean {
    const adding = this._mode === 'append' || this._mode === 'upsert';
    return adding && this._existing !== null;
  }

  /** The catalogs and schemas a table can go to. */
  get schemas(): readonly Node[] {
    return this._schemas;
  }

  /** Why these could not be listed. */
  get error(): string | null {
    return this._error;
  }

  /** All that is needed is there. */
  get complete(): boolean {
    const { catalog, schema, name } = this._place;
    const keyed = this._mode !== 'upsert' || this._keys.length > 0;
    const free = this._mode !== 'error' || this._existing === null;
    return !!(catalog && schema && name.trim()) && keyed && free;
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
    this._look.dispose();
    Signal.clearData(this);
  }

  setPlace(part: Partial<IPlace>): void {
    this._place = { ...this._place, ...part };
    // What was there under the old name is not there under this one.
    this._existing = null;
    this._looked += 1;
    this.emit();
    void this._look.invoke();
  }

  setMode(mode: ImportMode): void {
    this._mode = mode;
    this.emit();
  }

  setKeys(keys: readonly string[]): void {
    this._keys = keys;
    this.emit();
  }

  /** Lists the places a table can go to. */
  load(): Promise<void> {
    this._loading = this.list();
    return this._loading;
  }

  private async list(): Promise<void> {
    try {
      const { items } = await this.client.tree(null, { limit: NODES });
      const lists = await Promise.all(
        items.map(({ id }) => this.client.tree(id, { limit: NODES }))
      );
      this._schemas = lists.flatMap(list => list.items);
      this._error = null;
    } catch (reason) {
      this._error = messageOf(reason);
    }
    this.emit();
  }

  /** Looks whether a table has the name. */
  async look(): Promise<void> {
    const turn = (this._looked += 1);
    let existing: TableReply | null = null;
    let error: string | null = null;
    try {
      await this._loading;
      existing = await this.find();
    } catch (reason) {
      error = messageOf(reason);
    }
    if (turn === this._looked) {
      this._existing = existing;
      this._error = error;
      this.emit();
    }
  }

  private async find(): Promise<TableReply | null> {
    const { catalog, schema, name } = this._place;
    const parent = this._schemas.find(
      ({ full_name }) => full_name[0] === catalog && full_name[1] === schema
    );
    const wanted = fold(name.trim());
    if (!parent || !wanted) {
      return null;
    }
    const { items } = await this.client.tree(parent.id, {
      limit: NODES,
      q: name.trim()
    });
    const found = items.find(item => fold(item.name) === wanted);
    return found ? this.client.table(found.id) : null;
  }

  private emit(): void {
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private _place: IPlace;
  private _mode: ImportMode = 'error';
  private _keys: readonly string[] = [];
  private _existing: TableReply | null = null;
  private _schemas: readonly Node[] = [];
  private _error: string | null = null;
  private _loading: Promise<void> | null = null;
  private _looked = 0;
  private _disposed = false;
  private readonly _look: Debouncer;
  private readonly _changed = new Signal<this, void>(this);
}
