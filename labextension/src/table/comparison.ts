import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { messageOf } from '../api/errors';
import type { DiffReply } from '../api/types';

import type { TableModel } from './model';

/** What comparing versions needs of the client; tests pass a fake. */
export type IDiffClient = Pick<CatalogClient, 'tableDiff'>;

/** What comparing versions needs of the table. */
export type IVersioned = Pick<
  TableModel,
  'id' | 'history' | 'version' | 'changed' | 'table'
>;

/** What two versions are held against each other for. */
export type Purpose = 'compare' | 'restore';

/** How far a comparison is. */
export type DiffState = 'loading' | 'done' | 'failed' | 'cancelled';

/** Two versions of a table, and in what they differ. */
export class Comparison implements IDisposable {
  constructor(
    private readonly table: IVersioned,
    private readonly client: IDiffClient
  ) {
    table.changed.connect(this.onTable, this);
  }

  /** Why versions are compared; null: they are not. */
  get purpose(): Purpose | null {
    return this._purpose;
  }

  /** The version compared from. */
  get before(): number {
    return this._before;
  }

  /** The version compared to. */
  get after(): number {
    return this._after;
  }

  get state(): DiffState {
    return this._state;
  }

  /** In what they differ, once that is known. */
  get diff(): DiffReply | null {
    return this._diff;
  }

  /** Why it cannot be told. */
  get error(): string | null {
    return this._error;
  }

  /** When the comparison began, in milliseconds. */
  get since(): number {
    return this._since;
  }

  /** The versions there are to choose from, newest first. */
  get versions(): readonly number[] {
    return (this.table.history ?? []).map(({ version }) => version);
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

  /** Compares two versions. */
  compare(before: number, after: number): Promise<void> {
    return this.begin('compare', before, after);
  }

  /** Compares a version with the one before it; the oldest one with the newest. */
  compareWithPrevious(version: number): Promise<void> {
    const { versions } = this;
    const previous = versions[versions.indexOf(version) + 1];
    return previous === undefined
      ? this.compare(version, this.newest)
      : this.compare(previous, version);
  }

  /** Tells what going back to a version would change. */
  previewRestore(version: number): Promise<void> {
    return this.begin('restore', this.newest, version);
  }

  /** Compares the other way round. */
  swap(): Promise<void> {
    return this.compare(this._after, this._before);
  }

  /** Gives the comparison up; what was chosen stays. */
  cancel(): void {
    if (this._state === 'loading') {
      this._asked?.abort();
      this._asked = null;
      this._state = 'cancelled';
      this.emit();
    }
  }

  /** Compares the same versions again. */
  again(): Promise<void> {
    return this.begin(this._purpose ?? 'compare', this._before, this._after);
  }

  /** Compares nothing any more. */
  close(): void {
    this._asked?.abort();
    this._asked = null;
    this._purpose = null;
    this._diff = null;
    this.emit();
  }

  private get newest(): number {
    return this.versions[0] ?? this.table.table?.delta_version ?? 0;
  }

  private async begin(
    purpose: Purpose,
    before: number,
    after: number
  ): Promise<void> {
    this._asked?.abort();
    const asked = new AbortController();
    this._asked = asked;
    this._purpose = purpose;
    this._before = before;
    this._after = after;
    this._state = 'loading';
    this._diff = null;
    this._error = null;
    this._since = Date.now();
    this.emit();
    try {
      const versions = { from: before, to: after };
      const diff = await this.client.tableDiff(
        this.table.id,
        versions,
        asked.signal
      );
      if (this._asked === asked) {
        this._diff = diff;
        this._state = 'done';
        this.emit();
      }
    } catch (reason) {
      if (this._asked === asked) {
        this._error = messageOf(reason);
        this._state = 'failed';
        this.emit();
      }
    }
  }

  /** What a restore would change is told against the newest version there is. */
  private onTable(): void {
    if (this._purpose === 'restore' && this.newest !== this._before) {
      void this.previewRestore(this._after);
    }
  }

  private emit(): void {
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private _purpose: Purpose | null = null;
  private _before = 0;
  private _after = 0;
  private _state: DiffState = 'done';
  private _diff: DiffReply | null = null;
  private _error: string | null = null;
  private _since = 0;
  private _asked: AbortController | null = null;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}
