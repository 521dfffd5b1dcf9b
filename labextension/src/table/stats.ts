import { type ISignal, Signal } from '@lumino/signaling';

import { messageOf } from '../api/errors';
import type { ISummary } from '../grid/rows';

/** Columns asked about at once. */
const PARALLEL = 2;

/** What is known of a column. */
export type Known = ISummary | { error: string };

/** What the columns of a table hold: asked for when somebody looks, kept while the rows stay. */
export class ColumnStats {
  constructor(private readonly load: (column: number) => Promise<ISummary>) {}

  /** More is known than before. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** What is known of a column; null: nothing yet. */
  of(column: number): Known | null {
    return this._known.get(column) ?? null;
  }

  /** Asks about a column some time soon; {@link changed} tells. */
  want(column: number): void {
    if (!this._asked.has(column)) {
      this._asked.add(column);
      this._waiting.push(column);
      this.pump();
    }
  }

  /** Asks again about a column that could not be summed up. */
  again(column: number): void {
    this._asked.delete(column);
    this._known.delete(column);
    this.want(column);
  }

  /** The rows are others now: nothing is known of them. */
  reset(): void {
    this._generation += 1;
    this._known.clear();
    this._asked.clear();
    this._waiting = [];
    this._flying = 0;
    this._changed.emit();
  }

  dispose(): void {
    this._generation += 1;
    this._waiting = [];
    Signal.clearData(this);
  }

  private pump(): void {
    while (this._flying < PARALLEL && this._waiting.length) {
      void this.ask(this._waiting.shift() as number);
    }
  }

  private async ask(column: number): Promise<void> {
    const generation = this._generation;
    this._flying += 1;
    let known: Known;
    try {
      known = await this.load(column);
    } catch (reason) {
      known = { error: messageOf(reason) };
    }
    if (generation === this._generation) {
      this._flying -= 1;
      this._known.set(column, known);
      this._changed.emit();
      this.pump();
    }
  }

  private _generation = 0;
  private _flying = 0;
  private _waiting: number[] = [];
  private readonly _known = new Map<number, Known>();
  private readonly _asked = new Set<number>();
  private readonly _changed = new Signal<this, void>(this);
}
