import type { NodeList } from '../../src/api/types';
import { ScopeModel } from '../../src/sql/scope';
import { FakeFeed, node, settle } from '../helpers';

const list = (...items: NodeList['items']): NodeList => ({
  items,
  total: items.length,
  after: null
});

const client = {
  tree: async (parent: number | null) =>
    parent === null
      ? list(node(1, 'catalog', ['main']), node(2, 'catalog', ['demo']))
      : parent === 1
        ? list(node(3, 'schema', ['main', 'default']))
        : list(node(4, 'schema', ['demo', 'nyc']))
};

describe('where names resolve', () => {
  it('is the server’s default until something is chosen', async () => {
    const scope = new ScopeModel(client, new FakeFeed());
    await scope.load();
    expect(scope.names).toEqual({ catalog: 'main', schema: 'default' });
    expect(scope.catalogs).toEqual(['main', 'demo']);
    expect(scope.schemas).toEqual(['default']);
  });

  it('is the first schema of a catalog that is chosen', async () => {
    const scope = new ScopeModel(client, new FakeFeed());
    await scope.load();
    await scope.choose('demo');
    expect(scope.names).toEqual({ catalog: 'demo', schema: 'nyc' });
  });

  it('is what a statement made current', async () => {
    const scope = new ScopeModel(client, new FakeFeed());
    await scope.load();
    await scope.use('demo', 'nyc');
    expect(scope.names).toEqual({ catalog: 'demo', schema: 'nyc' });
    expect(scope.schemas).toEqual(['nyc']);
  });

  it('stays what it was given, even where that is gone', async () => {
    const scope = new ScopeModel(client, new FakeFeed(), {
      catalog: 'demo',
      schema: 'old'
    });
    await scope.load();
    expect(scope.names).toEqual({ catalog: 'demo', schema: 'old' });
    expect(scope.schemas).toEqual(['old', 'nyc']);
    scope.chooseSchema('nyc');
    expect(scope.schemas).toEqual(['nyc']);
  });

  it('is listed anew when the catalog changes', async () => {
    const feed = new FakeFeed();
    const items = [node(1, 'catalog', ['main'])];
    const scope = new ScopeModel({ tree: async () => list(...items) }, feed);
    await scope.load();
    items.push(node(5, 'catalog', ['new']));
    feed.tell([5, null]);
    await settle();
    expect(scope.catalogs).toEqual(['main', 'new']);
  });

  it('is unknown, not wrong, while the server does not answer', async () => {
    const feed = new FakeFeed();
    feed.status = null;
    const failing = { tree: () => Promise.reject(new Error('starting')) };
    const scope = new ScopeModel(failing, feed);
    await scope.load();
    expect(scope.names).toEqual({ catalog: null, schema: null });
  });
});
