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

/** What the rows of a result need of the client. */
export type IResultClient = Pick<CatalogClient, 'sqlRows' | 'json' | 'request'>;

/** The rows of a finished query, a page at a time, while the server keeps them. */
export class ResultSource implements IPageSource {
  constructor(
    readonly client: IResultClient,
    readonly queryId: string,
    private readonly columns: readonly IGridColumn[],
    private readonly zone: string
  ) {
    this.whole = new WholeRows(client, () => this.place);
  }

  readonly whole: IWhole;

  /** Where the rows are. */
  get place(): IRowsPlace {
    return {
      path: `catalog/sql/${this.queryId}`,
      column: index => index,
      summary: index => `columns/${index}/summary`
    };
  }

  async page({ offset, limit, ...view }: IPageRequest): Promise<IPage> {
    const page = await this.client.sqlRows(this.queryId, {
      offset,
      limit,
      ...viewRows(view, this.place)
    });
    return textPage(page, this.columns, this.zone);
  }
}
