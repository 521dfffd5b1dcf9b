import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { messageOf } from '../api/errors';
import type { RunReply } from '../api/types';

const SHOWN = 20;

/** What moves the list on; the watcher of runs is it, and tests pass a fake. */
export interface IWatched {
  readonly active: readonly RunReply[];
  readonly changed: ISignal<unknown, void>;
  readonly ended: ISignal<unknown, RunReply>;
}

/** The latest runs, kept true while those at work move on. */
export class RecentRuns implements IDisposable {
  constructor(
    private readonly client: Pick<CatalogClient, 'runs'>,
    private readonly watcher: IWatched
  ) {
    watcher.changed.connect(this.onMoved, this);
    watcher.ended.connect(this.reload, this);
  }

  /** Newest first. */
  get runs(): readonly RunReply[] {
    return this._runs;
  }

  /** Why they could not be loaded. */
  get error(): string | null {
    return this._error;
  }

  /** A run moved on, or the list was loaded. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    Signal.clearData(this);
  }

  /** Loads the list anew. */
  async load(): Promise<void> {
    try {
      this.show((await this.client.runs({ limit: SHOWN })).items, null);
    } catch (reason) {
      this.show([], messageOf(reason));
    }
  }

  private reload(): void {
    void this.load();
  }

  private onMoved(): void {
    const { active } = this.watcher;
    if (active.some(({ id }) => !this._runs.some(run => run.id === id))) {
      this.reload();
      return;
    }
    this.show(
      this._runs.map(run => active.find(({ id }) => id === run.id) ?? run),
      null
    );
  }

  private show(runs: readonly RunReply[], error: string | null): void {
    if (!this._disposed) {
      this._runs = runs;
      this._error = error;
      this._changed.emit();
    }
  }

  private _runs: readonly RunReply[] = [];
  private _error: string | null = null;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}
