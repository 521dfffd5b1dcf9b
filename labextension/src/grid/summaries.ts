import { type ISignal, Signal } from '@lumino/signaling';

import type { PagedModel } from './model';
import type { ISummary } from './rows';

/** Columns asked about at once. */
const PARALLEL = 2;

/** What the columns of a grid hold, asked for when it is looked at and kept while rows stay. */
export class Summaries {
  constructor(private readonly model: PagedModel) {
    model.settled.connect(this.onSettled, this);
  }

  /** More is known than before. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** What is known of a column; null: nothing yet. */
  known(column: number): ISummary | null {
    return this._known.get(column) ?? null;
  }

  /** Asks about a column some time soon; {@link changed} tells. */
  want(column: number): void {
    if (this._asked.has(column) || this._waiting.includes(column)) {
      return;
    }
    this._waiting.push(column);
    this.pump();
  }

  /** What a column holds. */
  async get(column: number): Promise<ISummary> {
    const known = this._known.get(column);
    if (known) {
      return known;
    }
    const { source, view } = this.model;
    if (!source.whole) {
      throw new Error('Nothing more is known of these rows.');
    }
    const key = this._key;
    const summary = await source.whole.summary(column, view);
    if (key === this._key) {
      this._known.set(column, summary);
      this._changed.emit();
    }
    return summary;
  }

  dispose(): void {
    this._waiting = [];
    this.model.settled.disconnect(this.onSettled, this);
    Signal.clearData(this);
  }

  private onSettled(): void {
    // The order of rows changes nothing of what they hold.
    const { filters, total, columns } = this.model;
    const key = JSON.stringify([filters, total, columns]);
    if (key !== this._key) {
      this._key = key;
      this._known.clear();
      this._asked.clear();
      this._waiting = [];
    }
  }

  private pump(): void {
    while (this._flying < PARALLEL && this._waiting.length) {
      const column = this._waiting.shift() as number;
      this._asked.add(column);
      this._flying += 1;
      // What cannot be summed up shows nothing in its heading.
      this.get(column)
        .catch(() => undefined)
        .finally(() => {
          this._flying -= 1;
          this.pump();
        });
    }
  }

  private _key = '';
  private _flying = 0;
  private _waiting: number[] = [];
  private readonly _known = new Map<number, ISummary>();
  private readonly _asked = new Set<number>();
  private readonly _changed = new Signal<this, void>(this);
}
