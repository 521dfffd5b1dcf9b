import { type ISignal, Signal } from '@lumino/signaling';

/** Which of a grid's columns are shown, which of them stay at the left, and which wrap. */
export class ColumnLayout {
  /** Columns that stay at the left while the others scroll. */
  get frozen(): readonly number[] {
    return this._frozen;
  }

  /** The other columns that are shown. */
  get free(): readonly number[] {
    return this._free;
  }

  get hidden(): readonly number[] {
    return this._all.filter(column => this._hidden.has(column));
  }

  /** The columns that are shown, from left to right. */
  get shown(): readonly number[] {
    return [...this._frozen, ...this._free];
  }

  /** Whether any column wraps. */
  get wraps(): boolean {
    return this._wrapped.size > 0;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Begins anew with as many columns, all shown. */
  reset(count: number): void {
    this._all = Array.from({ length: count }, (_, column) => column);
    this._frozen = [];
    this._hidden.clear();
    this._wrapped.clear();
    this.arrange();
  }

  isFrozen(column: number): boolean {
    return this._frozen.includes(column);
  }

  isWrapped(column: number): boolean {
    return this._wrapped.has(column);
  }

  freeze(column: number, on: boolean): void {
    const others = this._frozen.filter(other => other !== column);
    this._frozen = on ? [...others, column] : others;
    this.tell();
  }

  /** Hides a column; the last one stays. */
  hide(column: number): void {
    if (this.shown.length > 1) {
      this._hidden.add(column);
      this._frozen = this._frozen.filter(other => other !== column);
      this.tell();
    }
  }

  show(column: number): void {
    if (this._hidden.delete(column)) {
      this.tell();
    }
  }

  showAll(): void {
    this._hidden.clear();
    this.tell();
  }

  wrap(column: number, on: boolean): void {
    if (on) {
      this._wrapped.add(column);
    } else {
      this._wrapped.delete(column);
    }
    this.tell();
  }

  private tell(): void {
    this.arrange();
    this._changed.emit();
  }

  private arrange(): void {
    this._free = this._all.filter(
      column => !this._hidden.has(column) && !this._frozen.includes(column)
    );
  }

  private _all: readonly number[] = [];
  private _frozen: readonly number[] = [];
  private _free: readonly number[] = [];
  private readonly _hidden = new Set<number>();
  private readonly _wrapped = new Set<number>();
  private readonly _changed = new Signal<this, void>(this);
}
