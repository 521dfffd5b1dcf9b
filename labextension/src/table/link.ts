import { URLExt } from '@jupyterlab/coreutils';

import type { ICondition, IGridColumn, IView } from '../grid/rows';

/** The part of an address that names a table. */
const TABLE = 'flowcat-table';
const VERSION = 'flowcat-version';
const VIEW = 'flowcat-view';

/** What a link to a table says: columns by their names, for their places change. */
export interface ITableLink {
  /** The table's name in SQL. */
  name: string;
  /** Null: now. */
  version: number | null;
  view: ILinkView | null;
}

/** An order and conditions. */
export interface ILinkView {
  sort: { column: string; desc: boolean } | null;
  filters: (Omit<ICondition, 'column'> & { column: string })[];
}

/** Addresses that lead to a table. */
export const TABLE_LINK = new RegExp(`[?&]${TABLE}=`);

/** The address of a table, as it is looked at. */
export function linkOf(base: string, link: ITableLink): string {
  const { name, version, view } = link;
  const shown = view && (view.sort || view.filters.length) ? view : null;
  const query = new URLSearchParams({
    [TABLE]: name,
    ...(version === null ? {} : { [VERSION]: String(version) }),
    ...(shown ? { [VIEW]: JSON.stringify(shown) } : {})
  });
  return `${URLExt.join(base, 'lab')}?${query}`;
}

/** What an address says of a table; null where it names none. What makes no sense is left out. */
export function readLink(search: string): ITableLink | null {
  const query = new URLSearchParams(search);
  const name = query.get(TABLE);
  if (!name) {
    return null;
  }
  const version = query.get(VERSION) ?? '';
  return {
    name,
    version: /^\d{1,15}$/.test(version) ? Number(version) : null,
    view: readView(query.get(VIEW))
  };
}

/** An address without what names a table. */
export function withoutLink(search: string): string {
  const query = new URLSearchParams(search);
  [TABLE, VERSION, VIEW].forEach(key => query.delete(key));
  const rest = query.toString();
  return rest && `?${rest}`;
}

/** A view of a grid with columns by name. */
export function namedView(
  { sort, filters }: IView,
  columns: readonly IGridColumn[]
): ILinkView {
  const name = (at: number) => columns[at]?.name ?? '';
  return {
    sort: sort && { ...sort, column: name(sort.column) },
    filters: filters.map(term => ({ ...term, column: name(term.column) }))
  };
}

/** A view for a grid with these columns; what asks for others is left out. */
export function placedView(
  { sort, filters }: ILinkView,
  columns: readonly IGridColumn[]
): IView {
  const place = (name: string) =>
    columns.findIndex(column => column.name === name);
  const at = sort ? place(sort.column) : -1;
  return {
    sort: sort && at >= 0 ? { column: at, desc: sort.desc } : null,
    filters: filters
      .map(term => ({ ...term, column: place(term.column) }))
      .filter(({ column }) => column >= 0)
  };
}

function readView(text: string | null): ILinkView | null {
  let view: Partial<ILinkView> | null = null;
  try {
    view = text ? (JSON.parse(text) as Partial<ILinkView> | null) : null;
  } catch {
    // Somebody has cut the address short.
    return null;
  }
  if (!view || typeof view !== 'object') {
    return null;
  }
  const { sort, filters } = view;
  return {
    sort:
      sort && typeof sort.column === 'string'
        ? { column: sort.column, desc: sort.desc === true }
        : null,
    filters: Array.isArray(filters)
      ? filters.filter(
          term =>
            typeof term?.column === 'string' && typeof term.op === 'string'
        )
      : []
  };
}
