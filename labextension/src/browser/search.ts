import type { IDisposable } from '@lumino/disposable';

import type { CatalogClient } from '../api/client';
import { messageOf } from '../api/errors';

import { hitItems, type IItem } from './items';

/** What a search found, or is looking for. */
export interface ISearch {
  query: string;
  items: IItem[];
  total: number;
  loading: boolean;
  error: string | null;
}

const HITS = 200;

/** One search at a time: a new text gives up the one before. */
export class TreeSearch implements IDisposable {
  constructor(
    private readonly client: Pick<CatalogClient, 'search'>,
    private readonly changed: () => void
  ) {}

  /** What is searched for; null: nothing is. */
  get state(): ISearch | null {
    return this._state;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    this._abort?.abort();
  }

  /** Searches for a text; an empty one ends the search. */
  set(text: string): void {
    const query = text.trim();
    this._abort?.abort();
    const before = this._state;
    if (!query) {
      this._state = null;
      if (before) {
        this.changed();
      }
      return;
    }
    this._state = {
      query,
      items: before?.items ?? [],
      total: before?.total ?? 0,
      loading: true,
      error: null
    };
    this.changed();
    void this.find(query);
  }

  /** Looks again, for something has changed. */
  again(): void {
    if (this._state) {
      this._abort?.abort();
      void this.find(this._state.query);
    }
  }

  private async find(query: string): Promise<void> {
    const abort = new AbortController();
    this._abort = abort;
    const done = (result: Partial<ISearch>) => {
      if (!abort.signal.aborted && this._state) {
        this._state = { ...this._state, loading: false, ...result };
        this.changed();
      }
    };
    try {
      const { items, total } = await this.client.search(query, {
        limit: HITS,
        signal: abort.signal
      });
      done({ items: hitItems(items), total, error: null });
    } catch (reason) {
      done({ items: [], total: 0, error: messageOf(reason) });
    }
  }

  private _state: ISearch | null = null;
  private _abort: AbortController | null = null;
  private _disposed = false;
}
