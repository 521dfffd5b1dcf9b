import { JSONExt } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';

/** How a person likes grids. */
export interface IGridHabits {
  /** Rows as a plain table, which screen readers know their way around. */
  plain: boolean;
  /** How values are spread, below each heading. */
  spread: boolean;
  /** Exports to CSV and TSV hold nothing that a spreadsheet would compute. */
  formulaSafe: boolean;
}

/** How a person likes grids, kept where the program that shows them keeps such things. */
export class GridHabits {
  /** Keeps a choice; null where nothing keeps it. */
  keep: ((habits: IGridHabits) => void) | null = null;

  get value(): IGridHabits {
    return this._value;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** A person chooses. */
  choose(part: Partial<IGridHabits>): void {
    this.load(part);
    this.keep?.(this._value);
  }

  /** What was kept is known. */
  load(part: Partial<IGridHabits>): void {
    const value = { ...this._value, ...part };
    if (!JSONExt.deepEqual({ ...value }, { ...this._value })) {
      this._value = value;
      this._changed.emit();
    }
  }

  private _value: IGridHabits = {
    plain: false,
    spread: false,
    formulaSafe: false
  };
  private readonly _changed = new Signal<this, void>(this);
}

/** The choices of the person at this screen: every grid follows them. */
export const gridHabits = new GridHabits();
