import type { IStateDB } from '@jupyterlab/statedb';
import type { ReadonlyPartialJSONValue } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';

const KEPT = 100;
const LONGEST = 20_000;

/** A statement that was run. */
export interface IPastRun {
  query: string;
  catalog: string | null;
  schema: string | null;
  /** When it began, ISO 8601. */
  at: string;
  state: 'done' | 'failed' | 'cancelled';
  /** Rows of its result, or that it wrote; null if it has neither. */
  rows: number | null;
  milliseconds: number | null;
  /** Why it failed. */
  message: string | null;
}

/** What a person has run from the editors, newest first; it survives a reload. */
export class RunHistory {
  constructor(
    private readonly state: Pick<IStateDB, 'fetch' | 'save'> | null,
    private readonly key: string
  ) {}

  get items(): readonly IPastRun[] {
    return this._items;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Reads what was kept. */
  async load(): Promise<void> {
    const kept = await this.state?.fetch(this.key);
    if (Array.isArray(kept)) {
      const known = kept.filter(isPastRun);
      this._items = [...this._items, ...known].slice(0, KEPT);
      this._changed.emit();
    }
  }

  add(run: IPastRun): void {
    const query = run.query.slice(0, LONGEST);
    this._items = [{ ...run, query }, ...this._items].slice(0, KEPT);
    const kept = this._items as unknown as ReadonlyPartialJSONValue;
    void this.state?.save(this.key, kept);
    this._changed.emit();
  }

  private _items: readonly IPastRun[] = [];
  private readonly _changed = new Signal<this, void>(this);
}

function isPastRun(value: unknown): value is IPastRun {
  const run = value as Partial<IPastRun> | null;
  return typeof run?.query === 'string' && typeof run.at === 'string';
}
