import type { IStateDB } from '@jupyterlab/statedb';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { ChartRequest } from '../api/types';

const KEPT = 100;
const LONGEST = 20_000;

/** The charts a person chose, by the query they are of; they survive a reload. */
export class ChartMemory {
  constructor(
    private readonly state: Pick<IStateDB, 'fetch' | 'save'> | null,
    private readonly key: string
  ) {}

  /** Reads what was kept. */
  async load(): Promise<void> {
    const kept = await this.state?.fetch(this.key);
    if (Array.isArray(kept)) {
      for (const entry of kept) {
        if (isEntry(entry) && !this._kept.has(entry.query)) {
          this._kept.set(entry.query, entry.chart);
        }
      }
    }
  }

  /** What was chosen for a query. */
  get(query: string): ChartRequest | null {
    return this._kept.get(query.trim()) ?? null;
  }

  keep(query: string, chart: ChartRequest): void {
    const name = query.trim();
    if (name.length > LONGEST) {
      return;
    }
    this._kept.delete(name);
    this._kept.set(name, chart);
    for (const old of this._kept.keys()) {
      if (this._kept.size <= KEPT) {
        break;
      }
      this._kept.delete(old);
    }
    const entries = [...this._kept].map(([text, choice]) => ({
      query: text,
      chart: choice as unknown as ReadonlyPartialJSONObject
    }));
    void this.state?.save(this.key, entries);
  }

  private readonly _kept = new Map<string, ChartRequest>();
}

interface IEntry {
  query: string;
  chart: ChartRequest;
}

function isEntry(value: unknown): value is IEntry {
  const entry = value as Partial<IEntry> | null;
  return typeof entry?.query === 'string' && typeof entry.chart === 'object';
}
