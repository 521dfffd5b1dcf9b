import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { CatalogError, messageOf } from '../api/errors';
import type { IChanges, IFeed } from '../api/feed';
import type {
  DroppedTable,
  HistoryEntry,
  TableEdit,
  TablePatch,
  TableReply
} from '../api/types';

import { lastDropped } from './restoring';
import { type IShown, now } from './shown';
import { TableSource } from './source';
import { ColumnStats } from './stats';

/** What a table's page needs of the client; tests pass a fake. */
export type ITableClient = Pick<
  CatalogClient,
  | 'table'
  | 'tableRows'
  | 'tablePage'
  | 'history'
  | 'tableEdits'
  | 'patchTable'
  | 'dropped'
  | 'undrop'
  | 'json'
  | 'request'
>;

/** What a table's page needs of the feed. */
export type ITableFeed = Pick<IFeed, 'changed' | 'status'>;

/** The parts of a table's page. */
export type TableTab = 'rows' | 'columns' | 'history' | 'maintenance' | 'about';

/** One table: what it is, its past, and the version shown. */
export class TableModel implements IDisposable {
  constructor(
    private _id: number,
    private readonly client: ITableClient,
    private readonly feed: ITableFeed,
    private _version: number | null = null
  ) {
    this._wanted = _version;
    feed.changed.connect(this.onChanged, this);
  }

  /** The table's id; another one after the table was dropped and brought back. */
  get id(): number {
    return this._id;
  }

  /** The table now; null until it is loaded. */
  get table(): TableReply | null {
    return this._table;
  }

  /** What is shown, of the version that is shown. */
  get shown(): IShown | null {
    return this._shown;
  }

  /** The version shown; null: now. */
  get version(): number | null {
    return this._version;
  }

  /** Another version was asked for and is not here yet. */
  get turning(): boolean {
    return this._wanted !== this._version;
  }

  /** The commits, newest first; null until they are loaded. */
  get history(): readonly HistoryEntry[] | null {
    return this._history;
  }

  /** Why there is nothing to show. */
  get error(): string | null {
    return this._error;
  }

  /** The table is no more. */
  get gone(): boolean {
    return this._gone;
  }

  /** What brings the table back that is no more; null where it or the person cannot. */
  get dropped(): DroppedTable | null {
    return this._gone ? this._dropped : null;
  }

  /** Who changed what is said of the table, newest first; null until it is known. */
  get edits(): readonly TableEdit[] | null {
    return this._edits;
  }

  /** What the columns of the version shown hold. */
  readonly stats = new ColumnStats(
    column =>
      this._source?.whole.summary(column, { sort: null, filters: [] }) ??
      Promise.reject(new Error('The table is not loaded.'))
  );

  /** Whether the person may change what is said of what is shown. */
  get editable(): boolean {
    const access = this._table?.access;
    return (
      (access === 'owner' || access === 'manage') &&
      this._version === null &&
      !this._gone
    );
  }

  /** The newest commit that changed rows, as far as the past is loaded. */
  get lastWrite(): HistoryEntry | null {
    return this._history?.find(({ maintenance }) => !maintenance) ?? null;
  }

  /** The rows; null until the table is loaded. */
  get source(): TableSource | null {
    return this._source;
  }

  /** The session's time zone. */
  get zone(): string {
    return this.feed.status?.session_timezone ?? 'UTC';
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
    this.stats.dispose();
    Signal.clearData(this);
  }

  /** Loads the table and its past anew, and the rows if they are others. */
  async load(): Promise<void> {
    try {
      const before = this._table;
      this._table = await this.client.table(this.id);
      this._gone = false;
      this._dropped = null;
      this._error = null;
      const same =
        before?.data_version === this._table.data_version &&
        before.delta_version === this._table.delta_version;
      if (!same || !this._shown) {
        await this.show(this._wanted);
        if (!this._history) {
          // The rows do not wait for the past.
          this.emit();
        }
        await this.loadHistory();
      } else if (this._version === null) {
        this._shown = now(this._table);
      }
      void this.loadEdits();
    } catch (reason) {
      this._gone = reason instanceof CatalogError && reason.status === 404;
      this._error = messageOf(reason);
    }
    this.emit();
    if (this._gone) {
      await this.findDropped();
    }
  }

  /** Brings the table back that is no more, and shows it. */
  async restore(): Promise<void> {
    const { dropped } = this;
    if (dropped) {
      const { id } = await this.client.undrop(dropped.dropped_id);
      await this.become(id);
    }
  }

  /** Shows a version of the past, or now. */
  async setVersion(version: number | null): Promise<void> {
    const newest = this._history?.[0]?.version ?? this._table?.delta_version;
    const wanted = version === newest ? null : version;
    if (wanted === this._wanted) {
      return;
    }
    this._wanted = wanted;
    this.emit();
    try {
      await this.show(wanted);
      this._error = null;
    } catch (reason) {
      if (this._wanted !== wanted) {
        return;
      }
      this._wanted = this._version;
      this._error = messageOf(reason);
    }
    this.emit();
  }

  /** The commit of a version, as far as the past is loaded. */
  entry(version: number | null): HistoryEntry | null {
    const found = this._history?.find(entry => entry.version === version);
    return found ?? null;
  }

  /** Changes what the table says about itself; shown at once, and taken back if refused. */
  describe(description: string): Promise<void> {
    return this.say({ description }, { description });
  }

  /** Changes the tags. */
  tag(tags: string[]): Promise<void> {
    return this.say({ tags }, { tags });
  }

  /** Changes what is said of a column; an empty text is no comment. */
  comment(name: string, text: string): Promise<void> {
    const columns = this._table?.columns.map(column =>
      column.name === name ? { ...column, comment: text || null } : column
    );
    return this.say({ column_comments: { [name]: text } }, { columns });
  }

  /** Gives the table to somebody else. */
  give(owner: string): Promise<void> {
    return this.say({ owner }, {});
  }

  private async say(
    patch: TablePatch,
    soon: Partial<TableReply>
  ): Promise<void> {
    const before = this._table;
    if (!before) {
      return;
    }
    this.keep({ ...before, ...soon });
    try {
      this.keep(await this.client.patchTable(this.id, patch));
    } catch (reason) {
      this.keep(before);
      throw reason;
    }
    void this.loadEdits();
  }

  private keep(table: TableReply): void {
    this._table = table;
    if (this._version === null && this._shown) {
      this._shown = now(table);
    }
    this.emit();
  }

  private async show(version: number | null): Promise<void> {
    const table = this._table;
    if (!table) {
      return;
    }
    const shown = version === null ? now(table) : await this.past(version);
    if (version !== this._wanted) {
      // Another one was asked for meanwhile.
      return;
    }
    this._version = version;
    this._shown = shown;
    this.stats.reset();
    const rows = {
      id: this.id,
      version,
      columns: shown.columns,
      zone: this.zone
    };
    if (this._source) {
      this._source.show(rows);
    } else {
      this._source = new TableSource(this.client, rows);
    }
  }

  /** A version's own columns and count. */
  private async past(version: number): Promise<IShown> {
    const { columns, total } = await this.client.tablePage(this.id, {
      offset: 0,
      limit: 1,
      version
    });
    return { version, columns, rowCount: total, sizeBytes: null, files: null };
  }

  private async loadEdits(): Promise<void> {
    try {
      this._edits = (await this.client.tableEdits(this.id)).items;
    } catch {
      // Who may only browse is told nothing of the past.
      this._edits = [];
    }
    this.emit();
  }

  private async loadHistory(): Promise<void> {
    try {
      this._history = (await this.client.history(this.id)).items;
    } catch {
      // A table without a log has no past; its rows are shown all the same.
      this._history = [];
    }
  }

  /** Shows the table that has the name of the one that is gone. */
  private async follow(id: number): Promise<void> {
    try {
      const heir = await this.client.table(id);
      if (heir.full_name.join('.') !== this._table?.full_name.join('.')) {
        return;
      }
    } catch {
      // It is gone as well, or hidden: this page stays as it is.
      return;
    }
    await this.become(id);
  }

  private async become(id: number): Promise<void> {
    if (this._gone) {
      this._id = id;
      this._shown = null;
      await this.load();
    }
  }

  /** Looks for what the person may bring back under the name of the table that is gone. */
  private async findDropped(): Promise<void> {
    const name = this._table?.full_name ?? [];
    this._dropped = await lastDropped(this.client, name);
    this.emit();
  }

  private onChanged(_: unknown, { items, reset }: IChanges): void {
    const heir = items.find(
      ({ object_id, object_kind, name }) =>
        object_kind === 'table' &&
        object_id !== this.id &&
        name === this._table?.name
    );
    if (this._gone && heir) {
      void this.follow(heir.object_id);
      return;
    }
    const parent = this._table?.full_name.slice(0, -1) ?? [];
    const touched = items.some(
      ({ object_id, object_kind, name }) =>
        object_id === this.id ||
        (object_kind !== 'table' && parent.includes(name))
    );
    if (reset || touched) {
      void this.load();
    }
  }

  private emit(): void {
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private _wanted: number | null;
  private _table: TableReply | null = null;
  private _shown: IShown | null = null;
  private _history: readonly HistoryEntry[] | null = null;
  private _edits: readonly TableEdit[] | null = null;
  private _source: TableSource | null = null;
  private _error: string | null = null;
  private _gone = false;
  private _dropped: DroppedTable | null = null;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}
