import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from './client';
import type { IFeed } from './feed';
import type { RunReply } from './types';

/** What the watcher needs of the client; tests pass a fake. */
export type IRunClient = Pick<CatalogClient, 'runs' | 'run' | 'cancelRun'>;

/** What the watcher needs of the feed. */
export type IRunFeed = Pick<IFeed, 'state' | 'stateChanged' | 'changed'>;

const SHOWN = 100;

/** A run that neither waits nor works any more. */
export function hasEnded({ state }: RunReply): boolean {
  return state !== 'queued' && state !== 'running';
}

/** The background runs at work: looked at closely while there are any, and not at all otherwise. */
export class RunWatcher implements IDisposable {
  constructor(
    private readonly client: IRunClient,
    private readonly feed: IRunFeed,
    private readonly interval = 500
  ) {
    feed.changed.connect(this.look, this);
    feed.stateChanged.connect(this.look, this);
  }

  /** The runs at work, newest first. */
  get active(): readonly RunReply[] {
    return this._active;
  }

  /** A run began, moved on or ended. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** A run ended, well or not. */
  get ended(): ISignal<this, RunReply> {
    return this._ended;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    clearTimeout(this._timer);
    Signal.clearData(this);
  }

  /** Resolves with a run once it has ended; `progress` hears of each step. */
  async follow(
    run: RunReply,
    progress?: (run: RunReply) => void
  ): Promise<RunReply> {
    this._followed.add(run.id);
    this.take([run, ...this._active.filter(({ id }) => id !== run.id)]);
    return new Promise((resolve, reject) => {
      const step = () => {
        const now = this._active.find(({ id }) => id === run.id);
        if (now) {
          progress?.(now);
        }
      };
      const stop = () => {
        this._changed.disconnect(step);
        this._ended.disconnect(end);
        this._lost.disconnect(fail);
        this._followed.delete(run.id);
      };
      const end = (_: this, ended: RunReply) => {
        if (ended.id === run.id) {
          stop();
          resolve(ended);
        }
      };
      const fail = (_: this, lost: { id: number; reason: unknown }) => {
        if (lost.id === run.id) {
          stop();
          reject(lost.reason);
        }
      };
      this._changed.connect(step);
      this._ended.connect(end);
      this._lost.connect(fail);
      this.look();
    });
  }

  /** Asks a run to stop. */
  async cancel(id: number): Promise<void> {
    await this.client.cancelRun(id);
    this.look();
  }

  /** Looks at once. */
  look(): void {
    clearTimeout(this._timer);
    if (!this._disposed && this.feed.state === 'ready') {
      void this.poll();
    }
  }

  private async poll(): Promise<void> {
    const turn = (this._turn += 1);
    try {
      const { items } = await this.client.runs({ limit: SHOWN, active: true });
      if (turn !== this._turn) {
        return;
      }
      const gone = this._active.filter(
        ({ id }) => !items.some(item => item.id === id)
      );
      this.take(items);
      for (const { id } of gone) {
        await this.tellEnd(id);
      }
    } catch {
      // The feed says that the server is away; the next look is after the pause.
    }
    if (turn === this._turn && this._active.length && !this._disposed) {
      this._timer = setTimeout(() => this.look(), this.interval);
    }
  }

  private async tellEnd(id: number): Promise<void> {
    try {
      this._ended.emit(await this.client.run(id));
    } catch (reason) {
      this._lost.emit({ id, reason });
    }
  }

  private take(runs: RunReply[]): void {
    this._active = runs.filter(
      run => !hasEnded(run) || this._followed.has(run.id)
    );
    this._changed.emit();
  }

  private _active: RunReply[] = [];
  private _turn = 0;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _disposed = false;
  private readonly _followed = new Set<number>();
  private readonly _changed = new Signal<this, void>(this);
  private readonly _ended = new Signal<this, RunReply>(this);
  private readonly _lost = new Signal<this, { id: number; reason: unknown }>(
    this
  );
}
