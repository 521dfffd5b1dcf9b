import type { ISignal } from '@lumino/signaling';

/** A column of a grid; `type` is a Spark DDL string. */
export interface IGridColumn {
  name: string;
  type: string;
  /** What the column means, shown with its heading. */
  comment?: string | null;
}

/** The order of rows; `column` counts from 0, for headings may repeat. */
export interface ISort {
  column: number;
  desc: boolean;
}

/** Which rows to fetch. */
export interface IPageRequest {
  offset: number;
  limit: number;
  sort: ISort | null;
}

/** A page of rows as text, exactly as stored. */
export interface IPage {
  /** The columns; the same on every page. */
  readonly columns: readonly IGridColumn[];
  /** How many rows this page has. */
  readonly length: number;
  /** All rows there are. */
  readonly total: number;
  /** A value's text; null is NULL, which is not the empty text. */
  cell(row: number, column: number): string | null;
}

/** Where a grid's rows come from, a page at a time. */
export interface IPageSource {
  /** Fetches a page; rejects with an error whose message a person can read. */
  page(request: IPageRequest): Promise<IPage>;
  /** False where rows keep the order they have; true when absent. */
  readonly sortable?: boolean;
  /** The rows are others now: the grid starts anew. */
  readonly changed?: ISignal<IPageSource, void>;
}

/** Numbers stand at the right of their column. */
export function isNumeric(type: string): boolean {
  return /^(tinyint|smallint|int|bigint|float|double|decimal)/i.test(type);
}
