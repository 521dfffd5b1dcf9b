import type { Column, Node, SearchHit, SearchMatch } from '../api/types';

/** What a row of the tree can be. */
export type ItemKind = Node['kind'] | 'column';

/** A row of the tree: a catalog, a schema, a table, a view or a column. */
export interface IItem {
  /** Unique in the tree, and the same after a reload. */
  readonly key: string;
  readonly kind: ItemKind;
  /** The node; of a column, its table. */
  node: Node;
  /** Only of a column. */
  column: Column | null;
  readonly parent: IItem | null;
  readonly depth: number;
  expanded: boolean;
  /** Null until they were asked for. */
  children: IItem[] | null;
  /** How many children there are, loaded or not. */
  total: number | null;
  /** Where the next page of children begins; null: all are here. */
  after: string | null;
  loading: boolean;
  /** Why the children are not here. */
  error: string | null;
  /** Of a hit: the tags and comments that matched, which its name does not show. */
  matched?: readonly SearchMatch[];
}

/** What the tree shows on one line. */
export type Row =
  | { type: 'item'; item: IItem; position: number; size: number }
  | { type: 'more'; item: IItem | null; depth: number }
  | { type: 'note'; item: IItem; depth: number; text: string }
  | { type: 'match'; item: IItem; depth: number; match: SearchMatch };

/** A node as a row. */
export function nodeItem(node: Node, parent: IItem | null): IItem {
  return {
    key: `n${node.id}`,
    kind: node.kind,
    node,
    column: null,
    parent,
    depth: parent ? parent.depth + 1 : 0,
    expanded: false,
    children: null,
    total: node.child_count,
    after: null,
    loading: false,
    error: null
  };
}

/** A column as a row under its table. */
export function columnItem(column: Column, at: number, table: IItem): IItem {
  return {
    ...nodeItem(table.node, table),
    key: `${table.key}/${at}/${column.name}`,
    kind: 'column',
    column,
    parent: table,
    children: [],
    total: 0
  };
}

/** Hits of a search: each with the columns that matched beneath it. */
export function hitItems(hits: SearchHit[]): IItem[] {
  return hits.map(({ node, columns, matched }) => {
    const item = nodeItem(node, null);
    const unseen = matched.filter(({ field }) =>
      ['tag', 'comment'].includes(field)
    );
    item.matched = unseen.filter(({ column }) => column === null);
    if (columns.length) {
      item.children = columns.map((column, at) => ({
        ...columnItem(column, at, item),
        matched: unseen.filter(match => match.column === column.name)
      }));
      item.expanded = true;
    }
    return item;
  });
}

/** Whether a row can be opened up. */
export function expandable(item: IItem): boolean {
  if (item.kind === 'column' || item.node.broken) {
    return false;
  }
  return item.children === null || item.children.length > 0;
}

/** What a column or node is called. */
export function nameOf(item: IItem): string {
  return item.column ? item.column.name : item.node.name;
}

/** Words that mean something where a column's name may stand. */
const RESERVED = new Set(
  (
    'all and anti any array as asc at between both by case cast collate cross current_date ' +
    'current_time current_timestamp current_user desc distinct else end escape except exists ' +
    'false filter for from full group having in inner intersect interval into is join lateral ' +
    'leading left like limit map minus natural not null offset on or order outer overlaps ' +
    'right select semi set some struct table then trailing true union unique unknown user ' +
    'using values when where window with'
  ).split(' ')
);

/** A name as SQL text; only what is not a plain word is quoted. */
export function quoted(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) &&
    !RESERVED.has(name.toLowerCase())
    ? name
    : `\`${name.replace(/`/g, '``')}\``;
}

/** How a name can be copied. */
export type NameForm = 'plain' | 'sql' | 'select' | 'python';

/** The name to put into SQL: of a column its own, of anything else the whole one. */
export function sqlNameOf(item: IItem): string {
  return item.column ? quoted(item.column.name) : item.node.sql_name;
}

/** A name in the form asked for. */
export function nameAs(item: IItem, form: NameForm): string {
  const { node, column } = item;
  switch (form) {
    case 'plain':
      return column ? nameOf(item) : node.full_name.join('.');
    case 'sql':
      return sqlNameOf(item);
    case 'select':
      return column
        ? `SELECT ${sqlNameOf(item)} FROM ${node.sql_name} LIMIT 100`
        : `SELECT * FROM ${node.sql_name} LIMIT 100`;
    case 'python':
      return `flowfile_ctx.read_catalog_table(${JSON.stringify(node.sql_name)})`;
  }
}

/** The lines of a list and all that is open beneath it, in the order they are shown. */
export function flatten(
  items: IItem[],
  parent: IItem | null,
  more: boolean,
  into: Row[] = []
): Row[] {
  const size = more ? -1 : items.length;
  items.forEach((item, at) => {
    into.push({ type: 'item', item, position: at + 1, size });
    for (const match of item.matched ?? []) {
      into.push({ type: 'match', item, depth: item.depth + 1, match });
    }
    if (!item.expanded) {
      return;
    }
    const depth = item.depth + 1;
    if (item.error) {
      into.push({ type: 'note', item, depth, text: item.error });
    } else if (item.children === null) {
      into.push({ type: 'more', item, depth });
    } else {
      flatten(item.children, item, item.after !== null, into);
    }
  });
  if (more) {
    into.push({
      type: 'more',
      item: parent,
      depth: parent ? parent.depth + 1 : 0
    });
  }
  return into;
}

/** New children in place of old ones: what was open stays open, what is gone goes. */
export function merge(old: IItem[] | null, fresh: IItem[]): IItem[] {
  const known = new Map((old ?? []).map(item => [item.key, item]));
  return fresh.map(item => {
    const same = known.get(item.key);
    if (!same || same.kind !== item.kind || same.parent !== item.parent) {
      return item;
    }
    same.node = item.node;
    same.column = item.column;
    same.total = item.total;
    return same;
  });
}
