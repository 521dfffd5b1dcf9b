import { CatalogError } from '../../src/api/errors';
import type {
  DroppedTable,
  EditList,
  HistoryReply,
  PageReply,
  TablePatch,
  TableReply
} from '../../src/api/types';
import { TableModel } from '../../src/table/model';
import { bytes, exact } from '../../src/table/words';
import { column, FakeFeed, NOW, settle, table } from '../helpers';

/** A table with three versions; the first had one column. */
class FakeServer {
  now: TableReply | Error = table(4);

  table = async () => {
    if (this.now instanceof Error) {
      throw this.now;
    }
    return this.now;
  };
  history = async (): Promise<HistoryReply> => ({
    total: 2,
    items: [3, 1].map(version => ({
      version,
      timestamp: NOW,
      operation: 'WRITE',
      mode: null,
      user: 'local',
      rows_added: 5,
      rows_removed: null,
      maintenance: false,
      run_id: null
    }))
  });
  tablePage = async (): Promise<PageReply> => ({
    columns: [column('year')],
    rows: [],
    offset: 0,
    total: 7,
    version: 1
  });
  tableRows = async () => ({
    data: new ArrayBuffer(0),
    total: 0,
    version: null
  });
  patched: TablePatch[] = [];
  refusal: Error | null = null;
  patchTable = async (_: number, patch: TablePatch) => {
    this.patched.push(patch);
    if (this.refusal) {
      throw this.refusal;
    }
    const { description, tags } = patch;
    return table(4, { description: description ?? null, tags: tags ?? [] });
  };
  trash: DroppedTable[] = [];
  dropped = async () => ({ items: this.trash, total: this.trash.length });
  undrop = async (_: number): Promise<TableReply> => {
    this.now = table(10);
    return this.now;
  };
  tableEdits = async (): Promise<EditList> => ({ items: [] });
  json = () => Promise.reject(new Error('not asked for'));
  request = () => Promise.reject(new Error('not asked for'));
}

async function open(version: number | null = null) {
  const server = new FakeServer();
  const feed = new FakeFeed();
  const model = new TableModel(4, server, feed, version);
  await model.load();
  return { server, feed, model };
}

const MISSING = new CatalogError(404, {
  code: 'NotFound',
  message: 'There is no table 4.',
  condition: null,
  sqlstate: null,
  line: null,
  column: null,
  hint: null
});

function created(feed: FakeFeed, object_id: number): void {
  const change = { object_id, object_kind: 'table', parent_id: 2 };
  const items = [
    { ...change, seq: 9, kind: 'table_created', name: 'flights', at: NOW }
  ];
  feed.changed.emit({ reset: false, items });
}

describe('the page of a table', () => {
  it('shows the table as it is', async () => {
    const { model } = await open();
    expect(model.shown).toMatchObject({ version: null, rowCount: 10 });
    expect(model.entry(3)?.operation).toBe('WRITE');
  });

  it('shows an old version with its own columns and count, and no size', async () => {
    const { model } = await open();
    await model.setVersion(1);
    expect(model.shown).toMatchObject({
      version: 1,
      rowCount: 7,
      sizeBytes: null,
      columns: [{ name: 'year' }]
    });
    await model.setVersion(null);
    expect(model.shown?.columns).toHaveLength(2);
  });

  it('shows the rows before the past has arrived', async () => {
    const server = new FakeServer();
    server.history = () => new Promise(() => undefined);
    const model = new TableModel(4, server, new FakeFeed());
    const told: boolean[] = [];
    model.changed.connect(() => told.push(model.source !== null));
    void model.load();
    await settle();
    expect(told).toEqual([true]);
    expect(model.history).toBeNull();
  });

  it('shows the version that was asked for last, whichever arrives last', async () => {
    const { model, server } = await open();
    const page = await server.tablePage();
    let arrive: (reply: PageReply) => void = () => undefined;
    server.tablePage = () =>
      new Promise(resolve => {
        arrive = resolve;
      });
    const turned = model.setVersion(1);
    expect(model.turning).toBe(true);
    await model.setVersion(null);
    expect(model.turning).toBe(false);
    arrive(page);
    await turned;
    expect(model.shown).toMatchObject({ version: null, rowCount: 10 });
  });

  it('stays where it is when a version cannot be had', async () => {
    const { model, server } = await open();
    server.tablePage = () => Promise.reject(MISSING);
    await model.setVersion(1);
    expect(model.turning).toBe(false);
    expect(model.version).toBeNull();
    expect(model.error).not.toBeNull();
  });

  it('takes the newest version for now', async () => {
    const { model } = await open(1);
    await model.setVersion(3);
    expect(model.version).toBeNull();
  });

  it('loads the rows anew when the table was written, and only then', async () => {
    const { model, server, feed } = await open();
    let anew = 0;
    model.source?.changed.connect(() => {
      anew += 1;
    });
    feed.tell([4, 2]);
    await settle();
    expect(anew).toBe(0);
    server.now = table(4, { data_version: 4, delta_version: 4, row_count: 11 });
    feed.tell([4, 2]);
    await settle();
    expect(anew).toBe(1);
    expect(model.shown?.rowCount).toBe(11);
  });

  it('stays in the past when the table is written', async () => {
    const { model, server, feed } = await open(1);
    server.now = table(4, { data_version: 4, delta_version: 4 });
    feed.tell([4, 2]);
    await settle();
    expect(model.shown?.version).toBe(1);
  });

  it('says that the table is gone', async () => {
    const { model, server, feed } = await open();
    server.now = MISSING;
    feed.tell([4, 2]);
    await settle();
    expect(model.gone).toBe(true);
  });

  it('brings a table back that the person may bring back', async () => {
    const { model, server } = await open();
    const name = table(4).full_name;
    const drop = (id: number, full_name: string[], dropped_at: string) => ({
      ...{ dropped_id: id, full_name, dropped_at },
      ...{ dropped_by: 'local', purge_at: null }
    });
    server.trash = [
      drop(1, name, '2026-01-01T00:00:00Z'),
      drop(2, name, '2026-01-02T00:00:00Z'),
      drop(3, ['demo', 'nyc', 'another'], NOW)
    ];
    expect(model.dropped).toBeNull();
    server.now = MISSING;
    await model.load();
    expect(model.dropped?.dropped_id).toBe(2);
    await model.restore();
    expect(model).toMatchObject({ id: 10, gone: false, dropped: null });
    expect(model.shown).not.toBeNull();
  });

  it('is still gone when it cannot be brought back', async () => {
    const { model, server } = await open();
    server.trash = [
      {
        ...{ dropped_id: 1, full_name: table(4).full_name, dropped_at: NOW },
        ...{ dropped_by: 'local', purge_at: null }
      }
    ];
    server.undrop = () => Promise.reject(MISSING);
    server.now = MISSING;
    await model.load();
    await expect(model.restore()).rejects.toBe(MISSING);
    expect(model.gone).toBe(true);
    expect(model.dropped).not.toBeNull();
  });

  it('follows a table that was dropped and brought back under another id', async () => {
    const { model, server, feed } = await open();
    server.now = MISSING;
    feed.tell([4, 2]);
    await settle();
    let anew = 0;
    model.source?.changed.connect(() => {
      anew += 1;
    });
    server.now = table(9, { full_name: ['demo', 'other', 'flights'] });
    created(feed, 9);
    await settle();
    expect(model.gone).toBe(true);
    server.now = table(10);
    created(feed, 10);
    await settle();
    expect(model).toMatchObject({ id: 10, gone: false, error: null });
    expect(anew).toBe(1);
  });
});

describe('what is said of a table', () => {
  it('is shown at once and kept as the server has it', async () => {
    const { model, server } = await open();
    const saving = model.tag(['b', 'a']);
    expect(model.table?.tags).toEqual(['b', 'a']);
    await saving;
    expect(server.patched).toEqual([{ tags: ['b', 'a'] }]);
  });

  it('shows a comment where the column is shown', async () => {
    const { model, server } = await open();
    const saving = model.comment('year', 'four digits');
    expect(model.shown?.columns[0].comment).toBe('four digits');
    await saving;
    expect(server.patched).toEqual([
      { column_comments: { year: 'four digits' } }
    ]);
  });

  it('is as it was when the server refuses', async () => {
    const { model, server } = await open();
    server.refusal = new Error('Too long.');
    await expect(model.comment('year', 'x')).rejects.toThrow('Too long.');
    expect(model.shown?.columns[0].comment).toBeNull();
    await expect(model.describe('x')).rejects.toThrow('Too long.');
    expect(model.table?.description).toBeNull();
  });

  it('cannot be changed in the past, nor by who may only read', async () => {
    const { model, server, feed } = await open();
    expect(model.editable).toBe(true);
    await model.setVersion(1);
    expect(model.editable).toBe(false);
    await model.setVersion(null);
    server.now = table(4, { access: 'use' });
    feed.tell([4, 2]);
    await settle();
    expect(model.editable).toBe(false);
  });

  it('comes anew with the table when somebody else changes it', async () => {
    const { model, server, feed } = await open();
    const said = { ...column('year'), comment: 'theirs' };
    server.now = table(4, { columns: [said], tags: ['new'] });
    feed.tell([4, 2]);
    await settle();
    expect(model.table?.tags).toEqual(['new']);
    expect(model.shown?.columns[0].comment).toBe('theirs');
  });
});

describe('words for sizes and times', () => {
  it('gives sizes one digit after the point', () => {
    expect([0, 999, 1000, 12_400_000].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 KB',
      '12.4 MB'
    ]);
  });

  it('names the zone of a moment', () => {
    expect(exact('2026-01-02T03:04:05.6Z', 'UTC')).toBe(
      '2026-01-02 03:04:05 UTC'
    );
  });
});
