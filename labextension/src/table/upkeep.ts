import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { messageOf } from '../api/errors';
import type { TableReply, UpkeepReply } from '../api/types';

import type { TableModel } from './model';

/** The formats whose tables keep old versions. */
const LAKES = ['delta', 'iceberg'];

/** What looking after a table needs of the client; tests pass a fake. */
export type IUpkeepClient = Pick<
  CatalogClient,
  'restoreTable' | 'optimizeTable' | 'vacuumTable'
>;

/** What it needs of the table. */
export type ITended = Pick<TableModel, 'id' | 'table' | 'load'>;

/** What is being done: `look` asks what a vacuum would free. */
export type Task = 'look' | 'optimize' | 'vacuum' | 'restore';

/** Why a table is not looked after here. */
export type Refusal = 'access' | 'format';

/** A table's files and versions, and what is being done to them. */
export class Upkeep implements IDisposable {
  constructor(
    private readonly model: ITended,
    private readonly client: IUpkeepClient
  ) {}

  /** What is being done; null: nothing. */
  get task(): Task | null {
    return this._task;
  }

  /** When it began, in milliseconds. */
  get since(): number {
    return this._since;
  }

  /** What a vacuum would remove; null until it was asked for. */
  get would(): UpkeepReply | null {
    return this._would;
  }

  /** What was done last. */
  get done(): UpkeepReply | null {
    return this._done;
  }

  /** Why the last task failed. */
  get error(): string | null {
    return this._error;
  }

  /** Why the person cannot look after the table; null: they can. */
  get refusal(): Refusal | null {
    return refusalOf(this.model.table);
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
    this._asked?.abort();
    Signal.clearData(this);
  }

  /** Asks what a vacuum would remove. */
  async look(): Promise<void> {
    this._would = null;
    const would = await this.run('look', signal =>
      this.client.vacuumTable(this.model.id, { dry_run: true }, signal)
    );
    this._would = would ?? this._would;
    this.emit();
  }

  /** Removes what only old versions need. */
  async vacuum(): Promise<void> {
    const done = await this.run('vacuum', signal =>
      this.client.vacuumTable(this.model.id, { dry_run: false }, signal)
    );
    this._would = null;
    await this.after(done);
  }

  /** Puts small files together. */
  async optimize(): Promise<void> {
    const done = await this.run('optimize', signal =>
      this.client.optimizeTable(this.model.id, signal)
    );
    this._would = null;
    await this.after(done);
  }

  /** Makes a version the newest again; null where it failed, and `error` says why. */
  async restore(version: number): Promise<UpkeepReply | null> {
    const done = await this.run('restore', signal =>
      this.client.restoreTable(this.model.id, version, signal)
    );
    this._would = null;
    await this.after(done);
    return done;
  }

  /** Gives up what is being done; what is committed stays. */
  cancel(): void {
    this._asked?.abort();
  }

  private async after(done: UpkeepReply | null): Promise<void> {
    this._done = done;
    this.emit();
    if (done?.changed) {
      await this.model.load();
    }
  }

  private async run(
    task: Task,
    work: (signal: AbortSignal) => Promise<UpkeepReply>
  ): Promise<UpkeepReply | null> {
    if (this._task) {
      return null;
    }
    const asked = new AbortController();
    this._asked = asked;
    this._task = task;
    this._since = Date.now();
    this._error = null;
    this._done = null;
    this.emit();
    try {
      return await work(asked.signal);
    } catch (reason) {
      this._error = asked.signal.aborted ? null : messageOf(reason);
      return null;
    } finally {
      this._task = null;
      this._asked = null;
      this.emit();
    }
  }

  private emit(): void {
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private _task: Task | null = null;
  private _since = 0;
  private _would: UpkeepReply | null = null;
  private _done: UpkeepReply | null = null;
  private _error: string | null = null;
  private _asked: AbortController | null = null;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}

/** Why somebody cannot look after a table; null: they can. */
export function refusalOf(table: TableReply | null): Refusal | null {
  if (!table || !LAKES.includes(table.format)) {
    return 'format';
  }
  return table.access === 'owner' || table.access === 'manage'
    ? null
    : 'access';
}
