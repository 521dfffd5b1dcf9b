import type { Connection, IRowsQuery, Query } from '../api/connection';
import type { CellReply } from '../api/types';

import {
  type IExported,
  type IExportProgress,
  type IExportWish,
  received
} from './export';
import type {
  ICondition,
  IFindQuery,
  IFound,
  ISummary,
  IView,
  IWhole
} from './rows';

/** Where rows are on the server. */
export interface IRowsPlace {
  /** The path of the result or table below `flowcat/`. */
  path: string;
  /** What a column is called in a query string: its number, or its name. */
  column(index: number): number | string;
  /** The path of what a column holds. */
  summary(index: number): string;
  /** What every query of these rows has, such as a version. */
  query?: Query;
}

/** A view as pages of rows are asked for. */
export function viewRows(
  { sort, filters }: IView,
  place: IRowsPlace
): Pick<IRowsQuery, 'sort' | 'desc' | 'filter'> {
  return {
    sort: sort && place.column(sort.column),
    desc: sort?.desc,
    filter: filters.length
      ? JSON.stringify(filters.map(term => sent(term, place)))
      : null
  };
}

function sent(term: ICondition, place: IRowsPlace): unknown {
  return { ...term, column: place.column(term.column) };
}

/** A view as any other query string has it. */
export function viewQuery(view: IView, place: IRowsPlace): Query {
  const { desc, ...rest } = viewRows(view, place);
  return { ...place.query, ...rest, desc: view.sort && +!!desc };
}

/** What questions about all rows need of the client. */
export type IWholeClient = Pick<Connection, 'json' | 'request'>;

/** What the server finds and counts in all rows of a result or a table. */
export class WholeRows implements IWhole {
  constructor(
    private readonly connection: IWholeClient,
    private readonly place: () => IRowsPlace
  ) {}

  find(view: IView, query: IFindQuery): Promise<IFound> {
    const place = this.place();
    const { text, after, backwards, matchCase } = query;
    return this.connection.json(`${place.path}/find`, {
      query: {
        ...viewQuery(view, place),
        text,
        after,
        backwards: +backwards,
        case: +matchCase
      }
    });
  }

  summary(column: number, { filters }: IView): Promise<ISummary> {
    const place = this.place();
    return this.connection.json(`${place.path}/${place.summary(column)}`, {
      query: viewQuery({ sort: null, filters }, place)
    });
  }

  async value(
    row: number,
    column: number,
    view: IView
  ): Promise<string | null> {
    const place = this.place();
    const reply = await this.connection.json<CellReply>(`${place.path}/cell`, {
      query: { ...viewQuery(view, place), row, column: place.column(column) }
    });
    return reply.value;
  }

  async export(
    view: IView,
    wish: IExportWish,
    tell: (progress: IExportProgress) => void,
    signal: AbortSignal
  ): Promise<IExported> {
    const place = this.place();
    const { format, formulaSafe, name } = wish;
    const response = await this.connection.request(`${place.path}/export`, {
      query: {
        ...viewQuery(view, place),
        format,
        formula_safe: +formulaSafe,
        name
      },
      accept: '*/*',
      signal
    });
    return received(response, wish, tell);
  }
}
