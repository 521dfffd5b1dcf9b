import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { textPage } from '../grid/format';
import type {
  IGridColumn,
  IPage,
  IPageRequest,
  IPageSource,
  IWhole
} from '../grid/rows';
import { type IRowsPlace, viewRows, WholeRows } from '../grid/whole';

/** Which rows of which table. */
export interface ITableRows {
  id: number;
  /** Null: now. */
  version: number | null;
  columns: readonly IGridColumn[];
  zone: string;
}

/** What the rows of a table need of the client. */
export type ITableRowsClient = Pick<
  CatalogClient,
  'tableRows' | 'json' | 'request'
>;

/** The rows of a table at a version, a page at a time. */
export class TableSource implements IPageSource {
  constructor(
    private readonly client: ITableRowsClient,
    private rows: ITableRows
  ) {
    this.whole = new WholeRows(client, () => this.place);
  }

  readonly whole: IWhole;

  /** Where the rows are. */
  get place(): IRowsPlace {
    const { id, version, columns } = this.rows;
    return {
      path: `catalog/tables/${id}`,
      column: index => columns[index]?.name ?? '',
      summary: index =>
        `columns/${encodeURIComponent(columns[index]?.name ?? '')}/stats`,
      query: { version }
    };
  }

  /** The table or its version is another now. */
  get changed(): ISignal<IPageSource, void> {
    return this._changed;
  }

  /** Shows other rows. */
  show(rows: ITableRows): void {
    this.rows = rows;
    this._changed.emit();
  }

  async page({ offset, limit, ...view }: IPageRequest): Promise<IPage> {
    const { id, version, columns, zone } = this.rows;
    const page = await this.client.tableRows(id, {
      offset,
      limit,
      version,
      ...viewRows(view, this.place)
    });
    return textPage(page, columns, zone);
  }

  private readonly _changed = new Signal<IPageSource, void>(this);
}
