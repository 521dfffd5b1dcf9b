import type { NodeList, SearchReply } from '../../src/api/types';
import { TreeEdits } from '../../src/browser/edits';
import type { IItem, Row } from '../../src/browser/items';
import { treeKey } from '../../src/browser/keys';
import { TreeModel } from '../../src/browser/model';
import { column, FakeFeed, node, settle, table, view } from '../helpers';

/** A catalog server in memory: children by parent, counted as they are asked for. */
class FakeServer {
  readonly children = new Map<number | null, ReturnType<typeof node>[]>([
    [null, [node(1, 'catalog', ['demo'], { child_count: 1 })]],
    [1, [node(2, 'schema', ['demo', 'nyc'], { child_count: 2 })]],
    [
      2,
      [
        node(3, 'table', ['demo', 'nyc', 'airlines']),
        node(4, 'table', ['demo', 'nyc', 'flights'])
      ]
    ]
  ]);
  readonly asked: (number | null)[] = [];
  readonly gone: number[] = [];
  found: SearchReply = { items: [], total: 0 };
  failing: Error | null = null;

  async tree(
    parent: number | null,
    { limit = 500, after }: { limit?: number; after?: string | null } = {}
  ): Promise<NodeList> {
    if (this.failing) {
      throw this.failing;
    }
    this.asked.push(parent);
    const all = this.children.get(parent) ?? [];
    const from = Number(after ?? 0);
    const to = from + limit;
    return {
      items: all.slice(from, to),
      total: all.length,
      after: to < all.length ? String(to) : null
    };
  }

  table = async (id: number) => table(id);
  search = async () => this.found;
  createNamespace = async () => node(9, 'schema', ['demo', 'more']);
  register = async () => table(8);
  patchNamespace = async () => node(2, 'schema', ['demo', 'nyc']);
  patchTable = async () => table(4);
  patched: number[] = [];
  view = async (id: number) => view(id);
  patchView = async (id: number) => {
    this.patched.push(id);
    return view(id);
  };
  dropView = async (id: number) => {
    this.gone.push(id);
  };
  dropNamespace = async () => undefined;
  dropTable = async (id: number) => {
    this.gone.push(id);
    const tables = this.children.get(2) ?? [];
    this.children.set(
      2,
      tables.filter(one => one.id !== id)
    );
    return { dropped_id: 77, purge_at: null };
  };
  dropped = async () => ({ items: [], total: 0 });
  removeDemo = async () => undefined;
  undrop = async () => {
    this.children.get(2)?.push(node(5, 'table', ['demo', 'nyc', 'flights']));
    return table(5);
  };
}

function make(server = new FakeServer(), page = 500) {
  const feed = new FakeFeed();
  const kept = new Map<string, number>();
  const seen = {
    get: (uuid: string) => kept.get(uuid),
    set: (uuid: string, version: number) => void kept.set(uuid, version)
  };
  const model = new TreeModel(server, feed, seen, page);
  return { model, server, feed };
}

function names(rows: readonly Row[]): string[] {
  return rows.map(row =>
    row.type === 'item' ? (row.item.column ?? row.item.node).name : row.type
  );
}

function item(model: TreeModel, name: string): IItem {
  const row = model.rows.find(
    one => one.type === 'item' && one.item.node.name === name
  );
  if (row?.type !== 'item') {
    throw new Error(`no row ${name}`);
  }
  return row.item;
}

async function opened() {
  const parts = make();
  await settle();
  await parts.model.reveal(['demo', 'nyc', 'flights']);
  return parts;
}

describe('the tree of the catalog', () => {
  it('loads the catalogs once the server is ready', async () => {
    const server = new FakeServer();
    const feed = new FakeFeed();
    feed.state = 'starting';
    const seen = { get: () => undefined, set: () => undefined };
    const model = new TreeModel(server, feed, seen);
    await settle();
    expect(server.asked).toEqual([]);
    feed.become('ready');
    await settle();
    expect(names(model.rows)).toEqual(['demo']);
  });

  it('shows columns under a table that is opened', async () => {
    const { model } = await opened();
    await model.setExpanded(item(model, 'flights'), true);
    expect(names(model.rows)).toEqual([
      'demo',
      'nyc',
      'airlines',
      'flights',
      'year',
      'carrier'
    ]);
  });

  it('takes a key for the line that has the focus, before one is selected', async () => {
    const { model } = make();
    await settle();
    const nothing = () => undefined;
    const context = {
      model,
      actions: {
        open: nothing,
        preview: nothing,
        drop: nothing,
        rename: async () => true
      },
      onEdit: nothing,
      at: 0,
      page: 10
    };
    expect(model.selected).toBeNull();
    expect(treeKey('ArrowRight', context)).toBe(true);
    await settle();
    expect(names(model.rows)).toEqual(['demo', 'nyc']);
    treeKey('ArrowDown', context);
    expect(model.selected?.node.name).toBe('nyc');
  });

  it('reveals a node by its name and selects it', async () => {
    const { model } = await opened();
    expect(model.selected?.node.id).toBe(4);
    expect(await model.reveal(['demo', 'nowhere'])).toBe(false);
  });

  it('shows a new table at once and keeps what is open and selected', async () => {
    const { model, server, feed } = await opened();
    await model.setExpanded(item(model, 'flights'), true);
    server.children.get(2)?.unshift(node(6, 'table', ['demo', 'nyc', 'aaa']));
    feed.tell([6, 2]);
    await settle();
    expect(names(model.rows)).toContain('aaa');
    expect(names(model.rows)).toContain('carrier');
    expect(model.selected?.node.name).toBe('flights');
  });

  it('counts a new table on the line of a schema that was never opened', async () => {
    const { model, server, feed } = make();
    await settle();
    await model.setExpanded(item(model, 'demo'), true);
    expect(item(model, 'nyc').node.child_count).toBe(2);
    server.children.set(1, [
      node(2, 'schema', ['demo', 'nyc'], { child_count: 3 })
    ]);
    feed.tell([6, 2]);
    await settle();
    expect(item(model, 'nyc').node.child_count).toBe(3);
  });

  it('shows a catalog made elsewhere', async () => {
    const { model, server, feed } = await opened();
    server.children.get(null)?.push(node(7, 'catalog', ['other']));
    feed.tell([7, 1, 'catalog']);
    await settle();
    expect(names(model.rows)).toContain('other');
  });

  it('asks only for the lists a change touches', async () => {
    const { server, feed } = await opened();
    server.asked.length = 0;
    feed.tell([99, 50]);
    await settle();
    expect(server.asked).toEqual([]);
  });

  it('loads long lists a page at a time', async () => {
    const server = new FakeServer();
    server.children.set(
      2,
      Array.from({ length: 10_000 }, (_, at) =>
        node(100 + at, 'table', ['demo', 'nyc', `t${at}`])
      )
    );
    const { model } = make(server, 500);
    await settle();
    await model.reveal(['demo', 'nyc']);
    const nyc = item(model, 'nyc');
    await model.setExpanded(nyc, true);
    expect(nyc.children).toHaveLength(500);
    expect(nyc.total).toBe(10_000);
    expect(model.rows[model.rows.length - 1].type).toBe('more');
    await model.loadMore(nyc);
    expect(nyc.children).toHaveLength(1000);
  });

  it('says why a list could not be loaded, and recovers', async () => {
    const { model, server } = make();
    await settle();
    const demo = item(model, 'demo');
    server.failing = new Error('The database is locked.');
    await model.refresh();
    expect(model.error).toBe('The database is locked.');
    server.failing = null;
    await model.refresh();
    expect(model.error).toBeNull();
    expect(item(model, 'demo')).toBe(demo);
  });

  it('marks a table that changed since it was last opened', async () => {
    const { model, server, feed } = await opened();
    const flights = item(model, 'flights');
    expect(model.isNew(flights)).toBe(false);
    model.markSeen(flights.node.uuid, 1);
    server.children.set(2, [
      node(4, 'table', ['demo', 'nyc', 'flights'], { data_version: 2 })
    ]);
    feed.tell([4, 2]);
    await settle();
    expect(model.isNew(item(model, 'flights'))).toBe(true);
  });

  it('knows that a catalog without tables is empty', async () => {
    const server = new FakeServer();
    server.children.set(1, [
      node(2, 'schema', ['demo', 'nyc'], { child_count: 0 })
    ]);
    const { model } = make(server);
    await settle();
    expect(model.empty).toBe(true);
    expect((await opened()).model.empty).toBe(false);
  });
});

describe('searching the tree', () => {
  it('shows hits with the columns that matched, and the tree again after', async () => {
    const { model, server } = await opened();
    const hit = node(4, 'table', ['demo', 'nyc', 'flights']);
    server.found = {
      items: [{ node: hit, columns: [column('carrier')], matched: [] }],
      total: 1
    };
    model.setQuery(' carr ');
    expect(model.search?.loading).toBe(true);
    await settle();
    expect(names(model.rows)).toEqual(['flights', 'carrier']);
    expect(model.search).toMatchObject({ query: 'carr', total: 1 });
    model.setQuery('');
    expect(names(model.rows)).toContain('airlines');
  });

  it('forgets the answer to an older question', async () => {
    const { model, server } = await opened();
    let answer: (reply: SearchReply) => void = () => undefined;
    server.search = () =>
      new Promise<SearchReply>(resolve => {
        answer = resolve;
      });
    model.setQuery('old');
    server.search = async () => ({ items: [], total: 0 });
    model.setQuery('new');
    await settle();
    answer({
      items: [{ node: node(1, 'catalog', ['demo']), columns: [], matched: [] }],
      total: 1
    });
    await settle();
    expect(model.search?.query).toBe('new');
    expect(model.rows).toEqual([]);
  });
});

describe('changing things from the tree', () => {
  it('drops a table and brings it back', async () => {
    const { model, server } = await opened();
    const edits = new TreeEdits(server, model);
    const reply = await edits.drop(item(model, 'flights'));
    expect(names(model.rows)).not.toContain('flights');
    expect(item(model, 'nyc').total).toBe(1);
    await edits.undrop(reply.dropped_id as number);
    expect(names(model.rows)).toContain('flights');
    expect(model.selected?.node.id).toBe(5);
  });

  it('renames and drops a view as what it is, for good', async () => {
    const { model, server } = await opened();
    const late = node(30, 'view', ['demo', 'nyc', 'late']);
    server.children.get(2)?.push(late);
    await model.reload(item(model, 'nyc'));
    const edits = new TreeEdits(server, model);
    await edits.rename(item(model, 'late'), 'later');
    expect(server.patched).toEqual([30]);
    const reply = await edits.drop(item(model, 'late'));
    expect([server.gone, reply.dropped_id]).toEqual([[30], null]);
  });
});
