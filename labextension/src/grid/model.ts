import { DataModel } from '@lumino/datagrid';
import { type ISignal, Signal } from '@lumino/signaling';

import type { IGridColumn, IPage, IPageSource, ISort } from './rows';

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

/**
 * Rows of any number, fetched a page at a time as they are looked at. Sorting is the source's.
 */
export class PagedModel extends DataModel {
  constructor(
    readonly source: IPageSource,
    private readonly paging: IPaging = PAGING
  ) {
    super();
    source.changed?.connect(this.restart, this);
  }

  /** The columns; empty until the first page is there. */
  get columns(): readonly IGridColumn[] {
    return this._columns;
  }

  /** All rows there are; null until the first page is there. */
  get total(): number | null {
    return this._total;
  }

  /** The order asked for. */
  get sort(): ISort | null {
    return this._sort;
  }

  /** Whether another order can be asked for. */
  get sortable(): boolean {
    return this.source.sortable !== false;
  }

  /** The first page of this order, or its error, has arrived. */
  get settled(): ISignal<this, Error | null> {
    return this._settled;
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

  /**
   * A rectangle as text for a clipboard, with what is not loaded yet fetched first; NULL is
   * empty there.
   */
  async copy(
    rows: { first: number; last: number },
    columns: { first: number; last: number },
    headings: boolean
  ): Promise<string> {
    const { rows: size } = this.paging;
    const lines: string[][] = [];
    if (headings) {
      lines.push(
        this._columns
          .slice(columns.first, columns.last + 1)
          .map(({ name }) => name)
      );
    }
    for (let row = rows.first; row <= rows.last; row += 1) {
      const at = Math.floor(row / size);
      const page =
        this._pages.get(at) ??
        (await this.source.page({
          offset: at * size,
          limit: size,
          sort: this._sort
        }));
      this._pages.set(at, page);
      const line: string[] = [];
      for (let column = columns.first; column <= columns.last; column += 1) {
        line.push(page.cell(row - at * size, column) ?? '');
      }
      lines.push(line);
    }
    return delimited(lines);
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
    return region === 'body' ? this._columns.length : 1;
  }

  data(
    region: DataModel.CellRegion,
    row: number,
    column: number
  ): BodyCell | number | IGridColumn {
    switch (region) {
      case 'body':
        return this.cell(row, column);
      case 'row-header':
        return row + 1;
      case 'column-header':
        return this._columns[column];
      default:
        return '';
    }
  }

  override metadata(
    region: DataModel.CellRegion,
    _row: number,
    column: number
  ): DataModel.Metadata {
    const known = region === 'body' || region === 'column-header';
    return known ? { type: this._columns[column]?.type ?? '' } : {};
  }

  private cell(row: number, column: number): BodyCell {
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
        sort: this._sort
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
    const anew =
      page.total !== this._total ||
      page.columns.length !== this._columns.length;
    this._columns = page.columns;
    this._total = page.total;
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
        columnSpan: this._columns.length
      });
    }
  }

  private _columns: readonly IGridColumn[] = [];
  private _total: number | null = null;
  private _sort: ISort | null = null;
  private _generation = 0;
  private _waiting: number[] = [];
  private readonly _pages = new Map<number, IPage>();
  private readonly _flying = new Set<number>();
  private readonly _failed = new Set<number>();
  private readonly _settled = new Signal<this, Error | null>(this);
}

/** Tab-separated text as spreadsheets read it. */
function delimited(lines: string[][]): string {
  const quote = (cell: string) =>
    /[\t\n\r"]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell;
  return lines.map(line => line.map(quote).join('\t')).join('\n');
}
