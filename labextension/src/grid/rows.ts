import type { ISignal } from '@lumino/signaling';

import type {
  ColumnSummary,
  ExportFormat,
  FilterOp,
  FindReply
} from '../api/types';

import type { IExported, IExportProgress, IExportWish } from './export';

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

/** How a value can be asked for. */
export type Operator = FilterOp;

/** What rows must fulfil to be shown; values are text, as a grid shows them. */
export interface ICondition {
  column: number;
  op: Operator;
  value?: string | null;
  /** For `in` and `not_in`; null is NULL. */
  values?: readonly (string | null)[];
}

/** Which rows, and in what order. */
export interface IView {
  sort: ISort | null;
  filters: readonly ICondition[];
}

/** Which rows to fetch. */
export interface IPageRequest extends IView {
  offset: number;
  limit: number;
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

/** What to look for. */
export interface IFindQuery {
  text: string;
  /** The row to go on after; -1: from the start. */
  after: number;
  backwards: boolean;
  matchCase: boolean;
}

/** A place where a text was found, and how many rows have it. */
export type IFound = FindReply;

/** What a column holds; every value is text as the grid shows it. */
export type ISummary = ColumnSummary;

/** Rows that can be had as a file. */
export interface IExportable {
  /** Every row as a file; `tell` hears how much of it has arrived. */
  export(
    view: IView,
    wish: IExportWish,
    tell: (progress: IExportProgress) => void,
    signal: AbortSignal
  ): Promise<IExported>;
  /** The forms there are; all of them when absent. */
  readonly forms?: readonly ExportFormat[];
}

/** What can be asked of all rows, not only of those that are loaded. */
export interface IWhole extends IExportable {
  /** The next place of a text in a view of the rows; goes round at the end. */
  find(view: IView, query: IFindQuery): Promise<IFound>;
  /** What a column of the rows that are shown holds. */
  summary(column: number, view: IView): Promise<ISummary>;
  /** The whole of a value, however long. */
  value(row: number, column: number, view: IView): Promise<string | null>;
}

/** Where a grid's rows come from, a page at a time. */
export interface IPageSource {
  /** Fetches a page; rejects with an error whose message a person can read. */
  page(request: IPageRequest): Promise<IPage>;
  /** False where rows keep the order they have; true when absent. */
  readonly sortable?: boolean;
  /** Conditions, search and summaries; absent where there are none. */
  readonly whole?: IWhole;
  /** Export where there is nothing else of all rows. */
  readonly files?: IExportable;
  /** The rows are others now: the grid starts anew. */
  readonly changed?: ISignal<IPageSource, void>;
}

/** Numbers stand at the right of their column. */
export function isNumeric(type: string): boolean {
  return /^(tinyint|smallint|int|bigint|float|double|decimal)/i.test(type);
}
