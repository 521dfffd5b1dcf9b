import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from './client';
import { CatalogError } from './errors';
import type { Change, StatusReply } from './types';

/** What the feed needs of the client; tests pass a fake. */
export type IFeedClient = Pick<CatalogClient, 'status' | 'changes'>;

/** How the server is, as far as this browser knows. */
export type ServerState =
  'unknown' | 'unreachable' | 'missing' | StatusReply['state'];

/** What happened in the catalog since the last look. */
export interface IChanges {
  /** What changed, oldest first. */
  items: Change[];
  /** Too much happened to tell: load everything anew. */
  reset: boolean;
}

/** What models follow; {@link CatalogFeed} is it, and tests pass a fake. */
export interface IFeed {
  readonly state: ServerState;
  readonly status: StatusReply | null;
  /** The state or what the server says about itself changed. */
  readonly stateChanged: ISignal<unknown, ServerState>;
  /** Something in the catalog changed. */
  readonly changed: ISignal<unknown, IChanges>;
}

/** How long to wait, in milliseconds. */
export interface IFeedTimes {
  /** Between two looks at a server that is not ready. */
  starting: number;
  /** After the server could not be reached; doubled up to {@link farthest}. */
  lost: number;
  /** The longest pause. */
  farthest: number;
  /** How long one long poll waits on the server, in seconds. */
  poll: number;
}

const TIMES: IFeedTimes = {
  starting: 1000,
  lost: 2000,
  farthest: 30_000,
  poll: 25
};

/**
 * Follows the server: its state until it is ready, then its changes by long poll. A lost
 * connection is taken up again, and the changes missed meanwhile are told then.
 */
export class CatalogFeed implements IFeed, IDisposable {
  constructor(
    private readonly client: IFeedClient,
    private readonly times: IFeedTimes = TIMES
  ) {}

  /** The state of the server. */
  get state(): ServerState {
    return this._state;
  }

  /** The server's last word about itself; null before the first. */
  get status(): StatusReply | null {
    return this._status;
  }

  /** The state or what the server says about itself changed. */
  get stateChanged(): ISignal<this, ServerState> {
    return this._stateChanged;
  }

  /** Something in the catalog changed. */
  get changed(): ISignal<this, IChanges> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Begins to follow; a second call does nothing. */
  start(): void {
    if (!this._running) {
      this._running = true;
      void this.follow();
    }
  }

  /** Looks again at once, as after a click on "Try again". */
  retry(): void {
    this._wake?.();
  }

  /** A hint that the catalog moved on to `seq`, from a faster channel than the long poll. */
  hint(seq: number): void {
    if (seq > this._seq) {
      this._abort?.abort();
    }
  }

  /** Asks how the server is, and tells who listens. */
  async look(): Promise<void> {
    try {
      const status = await this.client.status();
      this._status = status;
      this.move(status.state);
    } catch (reason) {
      const missing = reason instanceof CatalogError && reason.status === 404;
      this.move(missing ? 'missing' : 'unreachable');
    }
  }

  dispose(): void {
    this._disposed = true;
    this._abort?.abort();
    this._wake?.();
    Signal.clearData(this);
  }

  private async follow(): Promise<void> {
    let pause = this.times.lost;
    let first = true;
    while (!this._disposed) {
      await this.look();
      if (this._state !== 'ready') {
        const waiting =
          this._state === 'starting' || this._state === 'upgrading';
        await this.sleep(waiting ? this.times.starting : pause);
        pause = Math.min(pause * 2, this.times.farthest);
        continue;
      }
      pause = this.times.lost;
      if (first) {
        this._seq = this._status?.seq ?? 0;
        first = false;
      }
      await this.listen();
    }
  }

  /** Polls until the server is lost. */
  private async listen(): Promise<void> {
    let wait = this.times.poll;
    while (!this._disposed) {
      const abort = new AbortController();
      this._abort = abort;
      try {
        const reply = await this.client.changes(this._seq, wait, abort.signal);
        wait = this.times.poll;
        this._seq = reply.seq;
        if (reply.items.length || reply.reset) {
          this._changed.emit({ items: reply.items, reset: reply.reset });
        }
      } catch {
        if (!abort.signal.aborted) {
          return;
        }
        wait = 0;
      }
    }
  }

  private move(state: ServerState): void {
    this._state = state;
    if (!this._disposed) {
      this._stateChanged.emit(state);
    }
  }

  private sleep(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(() => this._wake?.(), milliseconds);
      this._wake = () => {
        clearTimeout(timer);
        this._wake = null;
        resolve();
      };
    });
  }

  private _state: ServerState = 'unknown';
  private _status: StatusReply | null = null;
  private _seq = 0;
  private _running = false;
  private _disposed = false;
  private _abort: AbortController | null = null;
  private _wake: (() => void) | null = null;
  private readonly _stateChanged = new Signal<this, ServerState>(this);
  private readonly _changed = new Signal<this, IChanges>(this);
}
