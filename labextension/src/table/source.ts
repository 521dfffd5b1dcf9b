import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { textPage } from '../grid/format';
import type {
  IGridColumn,
  IPage,
  IPageRequest,
  IPageSource
} from '../grid/rows';

/** Which rows of which table. */
export interface ITableRows {
  id: number;
  /** Null: now. */
  version: number | null;
  columns: readonly IGridColumn[];
  zone: string;
}

/** The rows of a table at a version, a page at a time. */
export class TableSource implements IPageSource {
  constructor(
    private readonly client: Pick<CatalogClient, 'tableRows'>,
    private rows: ITableRows
  ) {}

  /** The table or its version is another now. */
  get changed(): ISignal<IPageSource, void> {
    return this._changed;
  }

  /** Shows other rows. */
  show(rows: ITableRows): void {
    this.rows = rows;
    this._changed.emit();
  }

  async page({ offset, limit, sort }: IPageRequest): Promise<IPage> {
    const { id, version, columns, zone } = this.rows;
    const page = await this.client.tableRows(id, {
      offset,
      limit,
      version,
      sort: sort ? columns[sort.column]?.name : null,
      desc: sort?.desc
    });
    return textPage(page, columns, zone);
  }

  private readonly _changed = new Signal<IPageSource, void>(this);
}
