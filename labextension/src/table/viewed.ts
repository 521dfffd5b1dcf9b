import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { CatalogError, messageOf } from '../api/errors';
import type { IChanges, IFeed } from '../api/feed';
import type { ViewReply } from '../api/types';

/** What a view's page needs of the client; tests pass a fake. */
export type IViewClient = Pick<CatalogClient, 'view' | 'patchView'>;

/** What a view's page needs of the feed. */
export type IViewFeed = Pick<IFeed, 'changed' | 'status'>;

/** One view: what it is, as the server tells it. */
export class ViewModel implements IDisposable {
  constructor(
    readonly id: number,
    private readonly client: IViewClient,
    private readonly feed: IViewFeed
  ) {
    feed.changed.connect(this.onChanged, this);
  }

  /** The view; null until it is loaded. */
  get view(): ViewReply | null {
    return this._view;
  }

  /** Why there is nothing to show. */
  get error(): string | null {
    return this._error;
  }

  /** The view is no more. */
  get gone(): boolean {
    return this._gone;
  }

  /** Whether the person may change what is said of it. */
  get editable(): boolean {
    const access = this._view?.access;
    return !this._gone && (access === 'owner' || access === 'manage');
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
    Signal.clearData(this);
  }

  /** Loads the view anew. */
  async load(): Promise<void> {
    // Answers may come out of order: the last question's counts.
    const asked = ++this._asked;
    try {
      const view = await this.client.view(this.id);
      if (asked !== this._asked) {
        return;
      }
      this._view = view;
      this._gone = false;
      this._error = null;
    } catch (reason) {
      if (asked !== this._asked) {
        return;
      }
      this._gone = reason instanceof CatalogError && reason.status === 404;
      this._error = messageOf(reason);
    }
    this.emit();
  }

  /** Changes what the view says about itself. */
  async describe(description: string): Promise<void> {
    this._view = await this.client.patchView(this.id, { description });
    this.emit();
  }

  private onChanged(_: unknown, { items, reset }: IChanges): void {
    const path = this._view?.full_name ?? [];
    const touched = items.some(
      ({ object_id, object_kind, name }) =>
        object_id === this.id ||
        (['catalog', 'schema'].includes(object_kind) && path.includes(name))
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

  private _view: ViewReply | null = null;
  private _error: string | null = null;
  private _gone = false;
  private _asked = 0;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}
