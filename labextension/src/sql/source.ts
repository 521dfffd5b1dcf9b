import type { CatalogClient } from '../api/client';
import { textPage } from '../grid/format';
import type {
  IGridColumn,
  IPage,
  IPageRequest,
  IPageSource
} from '../grid/rows';

/** The rows of a finished query, a page at a time, while the server keeps them. */
export class ResultSource implements IPageSource {
  constructor(
    private readonly client: Pick<CatalogClient, 'sqlRows'>,
    readonly queryId: string,
    private readonly columns: readonly IGridColumn[],
    private readonly zone: string
  ) {}

  async page({ offset, limit, sort }: IPageRequest): Promise<IPage> {
    const page = await this.client.sqlRows(this.queryId, {
      offset,
      limit,
      sort: sort?.column,
      desc: sort?.desc
    });
    return textPage(page, this.columns, this.zone);
  }
}
