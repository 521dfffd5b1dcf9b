import { DataModel } from '@lumino/datagrid';
import { type ISignal, Signal } from '@lumino/signaling';

import { ColumnLayout } from './layout';
import type {
  ICondition,
  IGridColumn,
  IPage,
  IPageSource,
  ISort,
  IView
} from './rows';

/** What a cell holds while its page is on the way. */
export const LOADING: unique symbol = Symbol('loading');

/** What {@link PagedModel.data} answers for the body. */
export type BodyCell = string | null | typeof LOADING;

/** How much is fetched and kept. */
export interface IPaging {
  /** Rows in a page. */
  rows: number;
  /** Pages kept; the longest unseen go first. */
  kept: number;
  /** Pages on the way at once. */
  parallel: number;
  /** Pages waiting; older wishes are dropped, for the person has scrolled on. */
  waiting: number;
}

const PAGING: IPaging = { rows: 200, kept: 60, parallel: 2, waiting: 3 };

/** Cells by row and column, numbered as the source does. */
export interface IBlock {
  rows: { first: number; last: number };
  columns: readonly number[];
}

/**
 * Rows of any number, fetched a page at a time as they are looked at. Sorting and filtering are
 * the source's. A grid's own columns are those the layout shows: the frozen ones follow the row's
 * number in its header.
 */
export class PagedModel extends DataModel {
  constructor(
    readonly source: IPageSource,
    private readonly paging: IPaging = PAGING
  ) {
    super();
    source.changed?.connect(this.onSource, this);
    this.layout.changed.connect(this.onLayout, this);
  }

  /** Which columns are shown, and where. */
  readonly layout = new ColumnLayout();

  /** The columns; empty until the first page is there. */
  get columns(): readonly IGridColumn[] {
    return this._columns;
  }

  /** All rows there are; null until the first page is there. */
  get total(): number | null {
    return this._total;
  }

  /** All rows there would be without conditions; null until they were seen without. */
  get unfiltered(): number | null {
    return this._unfiltered;
  }

  /** The order asked for. */
  get sort(): ISort | null {
    return this._sort;
  }

  /** The conditions the rows fulfil. */
  get filters(): readonly ICondition[] {
    return this._filters;
  }

  /** Which rows are shown, and in what order. */
  get view(): IView {
    return { sort: this._sort, filters: this._filters };
  }

  /** Whether another order can be asked for. */
  get sortable(): boolean {
    return this.source.sortable !== false;
  }

  /** Whether the first page of this order could not be had. */
  get failed(): boolean {
    return this._failed.has(0);
  }

  /** The first page of this order, or its error, has arrived. */
  get settled(): ISignal<this, Error | null> {
    return this._settled;
  }

  /** A page other than the first has arrived. */
  get arrived(): ISignal<this, void> {
    return this._arrived;
  }

  /** Asks for the first page; to be called once the listeners are there. */
  load(): void {
    this.want(0);
  }

  /** Orders the rows anew. */
  setSort(sort: ISort | null): void {
    this._sort = sort;
    this.restart();
  }

  /** Forgets every row and begins at the first. */
  restart(): void {
    this._generation += 1;
    this._pages.clear();
    this._waiting = [];
    this._flying.clear();
    this._failed.clear();
    this.want(0);
  }

  /** Shows only rows that fulfil every condition. */
  setFilters(filters: readonly ICondition[]): void {
    this._filters = filters;
    this.restart();
  }

  /** Values row by row; what is not loaded yet is fetched first. */
  async block({ rows, columns }: IBlock): Promise<(string | null)[][]> {
    const { rows: size } = this.paging;
    const generation = this._generation;
    const lines: (string | null)[][] = [];
    for (let row = rows.first; row <= rows.last; row += 1) {
      const at = Math.floor(row / size);
      let page = this._pages.get(at);
      if (!page) {
        page = await this.source.page({
          offset: at * size,
          limit: size,
          ...this.view
        });
        if (generation === this._generation) {
          this._pages.set(at, page);
        }
      }
      const from = page;
      lines.push(columns.map(column => from.cell(row - at * size, column)));
    }
    return lines;
  }

  /** What headings show is otherwise now. */
  emitHeadings(): void {
    const { free, frozen } = this.layout;
    const heading = { type: 'cells-changed', row: 0, rowSpan: 1 } as const;
    this.emitChanged({
      ...heading,
      region: 'column-header',
      column: 0,
      columnSpan: free.length
    });
    if (frozen.length) {
      this.emitChanged({
        ...heading,
        region: 'corner-header',
        column: 1,
        columnSpan: frozen.length
      });
    }
  }

  /** Asks again for the pages that failed. */
  retry(): void {
    const failed = [...this._failed];
    this._failed.clear();
    failed.forEach(page => this.want(page));
  }

  dispose(): void {
    this._generation += 1;
    this._pages.clear();
    this._waiting = [];
    Signal.clearData(this);
  }

  rowCount(region: DataModel.RowRegion): number {
    return region === 'body' ? (this._total ?? 0) : 1;
  }

  columnCount(region: DataModel.ColumnRegion): number {
    const { free, frozen } = this.layout;
    return region === 'body' ? free.length : 1 + frozen.length;
  }

  /** The source's column at a place of the grid; null where there are row numbers. */
  columnAt(region: DataModel.CellRegion, at: number): number | null {
    const { free, frozen } = this.layout;
    const header = region === 'row-header' || region === 'corner-header';
    return (header ? frozen[at - 1] : free[at]) ?? null;
  }

  data(
    region: DataModel.CellRegion,
    row: number,
    at: number
  ): BodyCell | number | IGridColumn {
    const column = this.columnAt(region, at);
    if (region === 'body' || region === 'row-header') {
      return column === null ? row + 1 : this.value(row, column);
    }
    return column === null ? '' : this._columns[column];
  }

  override metadata(
    region: DataModel.CellRegion,
    _row: number,
    at: number
  ): DataModel.Metadata {
    const column = this.columnAt(region, at);
    return column === null
      ? {}
      : { type: this._columns[column]?.type ?? '', column };
  }

  /** A value by the source's column; its page is fetched if it is not loaded. */
  value(row: number, column: number): BodyCell {
    const at = Math.floor(row / this.paging.rows);
    const page = this._pages.get(at);
    if (!page) {
      this.want(at);
      return LOADING;
    }
    const within = row - at * this.paging.rows;
    return within < page.length ? page.cell(within, column) : null;
  }

  private want(page: number): void {
    if (this._flying.has(page) || this._failed.has(page)) {
      return;
    }
    this._waiting = [page, ...this._waiting.filter(at => at !== page)].slice(
      0,
      this.paging.waiting
    );
    this.pump();
  }

  private pump(): void {
    while (this._flying.size < this.paging.parallel && this._waiting.length) {
      const page = this._waiting.shift() as number;
      this._flying.add(page);
      void this.fetch(page, this._generation);
    }
  }

  private async fetch(at: number, generation: number): Promise<void> {
    const { rows } = this.paging;
    let page: IPage | null = null;
    let error: Error | null = null;
    try {
      page = await this.source.page({
        offset: at * rows,
        limit: rows,
        ...this.view
      });
    } catch (reason) {
      error = reason instanceof Error ? reason : new Error(String(reason));
    }
    if (generation !== this._generation) {
      return;
    }
    this._flying.delete(at);
    if (page) {
      this.keep(at, page);
    } else {
      this._failed.add(at);
      if (at === 0) {
        // What was there fulfilled other conditions.
        this.emitChanged({ type: 'model-reset' });
      }
      this._settled.emit(error);
    }
    this.pump();
  }

  private keep(at: number, page: IPage): void {
    this._pages.delete(at);
    this._pages.set(at, page);
    for (const old of this._pages.keys()) {
      if (this._pages.size <= this.paging.kept) {
        break;
      }
      this._pages.delete(old);
    }
    const others = !sameColumns(page.columns, this._columns);
    const anew = page.total !== this._total || others;
    this._columns = page.columns;
    this._total = page.total;
    if (!this._filters.length) {
      this._unfiltered = page.total;
    }
    if (others) {
      this.layout.reset(page.columns.length);
    }
    if (anew || at === 0) {
      this.emitChanged({ type: 'model-reset' });
      this._settled.emit(null);
    } else if (page.length) {
      this.emitChanged({
        type: 'cells-changed',
        region: 'body',
        row: at * this.paging.rows,
        rowSpan: page.length,
        column: 0,
        columnSpan: this.layout.free.length
      });
      if (this.layout.frozen.length) {
        this.emitChanged({
          type: 'cells-changed',
          region: 'row-header',
          row: at * this.paging.rows,
          rowSpan: page.length,
          column: 1,
          columnSpan: this.layout.frozen.length
        });
      }
      this._arrived.emit();
    }
  }

  private onSource(): void {
    this._unfiltered = null;
    this.restart();
  }

  private onLayout(): void {
    this.emitChanged({ type: 'model-reset' });
  }

  private _columns: readonly IGridColumn[] = [];
  private _total: number | null = null;
  private _unfiltered: number | null = null;
  private _sort: ISort | null = null;
  private _filters: readonly ICondition[] = [];
  private _generation = 0;
  private _waiting: number[] = [];
  private readonly _pages = new Map<number, IPage>();
  private readonly _flying = new Set<number>();
  private readonly _failed = new Set<number>();
  private readonly _settled = new Signal<this, Error | null>(this);
  private readonly _arrived = new Signal<this, void>(this);
}

function sameColumns(
  some: readonly IGridColumn[],
  others: readonly IGridColumn[]
): boolean {
  return (
    some.length === others.length &&
    some.every(
      ({ name, type }, at) =>
        name === others[at].name && type === others[at].type
    )
  );
}
