import { type ISignal, Signal } from '@lumino/signaling';

import type { Connection } from '../api/connection';
import { messageOf } from '../api/errors';
import type { ChartReply, ChartRequest } from '../api/types';
import type { IGridColumn, IView } from '../grid/rows';
import { type IRowsPlace, viewQuery } from '../grid/whole';

/** What a chart leaves open, for the server to choose. */
export const OPEN: ChartRequest = {
  mark: null,
  x: null,
  y: null,
  colour: null,
  aggregate: null
};

/** What a chart is drawn of. */
export interface IChartOptions {
  client: Pick<Connection, 'json'>;
  place: IRowsPlace;
  columns: readonly IGridColumn[];
  /** Which rows. */
  view(): IView;
  /** What a person chose before; null lets the server choose. */
  chosen: ChartRequest | null;
  /** Keeps what a person chooses. */
  keep(choice: ChartRequest): void;
}

/** A chart of rows: five choices, and what the server makes of them. */
export class ChartModel {
  constructor(private readonly options: IChartOptions) {
    this._wish = fitting(options.chosen, options) ?? OPEN;
  }

  get columns(): readonly IGridColumn[] {
    return this.options.columns;
  }

  /** How a column is called in a choice. */
  nameOf(column: number): string {
    return String(this.options.place.column(column));
  }

  /** What is drawn; null until the server has answered. */
  get reply(): ChartReply | null {
    return this._reply;
  }

  /** Why nothing is drawn. */
  get error(): string | null {
    return this._error;
  }

  /** Whether an answer is on the way. */
  get busy(): boolean {
    return this._busy;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  dispose(): void {
    this._number += 1;
    Signal.clearData(this);
  }

  /** Changes a choice; the others stay as they are drawn. */
  async choose(part: Partial<ChartRequest>): Promise<void> {
    this._wish = { ...(this._reply?.chosen ?? this._wish), ...part };
    this.options.keep(this._wish);
    await this.load();
  }

  /** Lets the server choose anew. */
  async reset(): Promise<void> {
    this._wish = OPEN;
    this.options.keep(OPEN);
    await this.load();
  }

  /** Asks for what is wished for. */
  async load(): Promise<void> {
    const { client, place, view } = this.options;
    this._number += 1;
    const number = this._number;
    this._busy = true;
    this._changed.emit();
    let reply: ChartReply | null = null;
    let error: string | null = null;
    try {
      reply = await client.json<ChartReply>(`${place.path}/chart`, {
        method: 'POST',
        query: viewQuery(view(), place),
        json: this._wish
      });
    } catch (reason) {
      error = messageOf(reason);
    }
    if (number === this._number) {
      this._busy = false;
      this._error = error;
      this._reply = reply ?? this._reply;
      this._changed.emit();
    }
  }

  private _wish: ChartRequest;
  private _reply: ChartReply | null = null;
  private _error: string | null = null;
  private _busy = false;
  private _number = 0;
  private readonly _changed = new Signal<this, void>(this);
}

/** A choice made before, if the columns it names are still there. */
function fitting(
  choice: ChartRequest | null,
  { columns, place }: IChartOptions
): ChartRequest | null {
  const known = new Set(columns.map((_, at) => String(place.column(at))));
  const named = [choice?.x, choice?.y, choice?.colour];
  return named.every(name => !name || known.has(name)) ? choice : null;
}
