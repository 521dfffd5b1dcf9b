import { TreeModel } from '../../src/browser/model';
import { UnfoldedRows } from '../../src/browser/unfolded';
import { FakeFeed, node, settle, table, view } from '../helpers';

/** A catalog with a schema with a table, and another catalog. */
const server = {
  tree: async (parent: number | null) => {
    const items =
      parent === null
        ? [node(1, 'catalog', ['demo']), node(5, 'catalog', ['main'])]
        : parent === 1
          ? [node(2, 'schema', ['demo', 'nyc'])]
          : parent === 2
            ? [node(3, 'table', ['demo', 'nyc', 'flights'])]
            : [];
    return { items, total: items.length, after: null };
  },
  table: async (id: number) => table(id),
  view: async (id: number) => view(id),
  search: async () => ({ items: [], total: 0 })
};

/** What is kept with the workspace. */
function store(kept?: string[]) {
  const saved: unknown[] = [];
  return {
    saved,
    fetch: async () => kept,
    save: async (_: string, value: unknown) => void saved.push(value)
  };
}

async function started(state: ReturnType<typeof store>, feed = new FakeFeed()) {
  const seen = { get: () => undefined, set: () => undefined };
  const model = new TreeModel(server, feed, seen);
  void new UnfoldedRows(state, 'unfolded', model).restore();
  await settle();
  await settle();
  return model;
}

function shown(model: TreeModel): string[] {
  return model.rows.map(row =>
    row.type === 'item' ? (row.item.column ?? row.item.node).name : row.type
  );
}

describe('which rows of the tree are unfolded', () => {
  it('is the same after a reload', async () => {
    const model = await started(store(['n1', 'n2', 'n3']));
    const columns = ['year', 'carrier'];
    expect(shown(model)).toEqual([
      'demo',
      'nyc',
      'flights',
      ...columns,
      'main'
    ]);
  });

  it('waits until the server is ready', async () => {
    const feed = new FakeFeed();
    feed.state = 'starting';
    const model = await started(store(['n1']), feed);
    feed.become('ready');
    await settle();
    await settle();
    expect(shown(model)).toEqual(['demo', 'nyc', 'main']);
  });

  it('is kept when a person changes it, and not for being restored', async () => {
    const state = store(['n1']);
    const model = await started(state);
    expect(state.saved).toEqual([]);
    await model.reveal(['demo', 'nyc', 'flights']);
    expect(state.saved[state.saved.length - 1]).toEqual(['n1', 'n2']);
  });

  it('passes over what has gone and what is no list of rows', async () => {
    const model = await started(store(['n77', 'n5']));
    expect(shown(model)).toEqual(['demo', 'main']);
    expect(shown(await started(store()))).toEqual(['demo', 'main']);
  });
});
