import type { Drift } from '../../src/api/types';
import { run } from '../helpers';

import { begun, FakeServer, rest } from './server';

const DRIFT: Drift = {
  added: [{ name: 'b', type: 'int' }],
  missing: [],
  changed: []
};

describe('an import', () => {
  it('looks at the file and proposes a name', async () => {
    const { model } = await begun();
    expect(model.preview?.columns[0].type).toBe('int');
    expect(model.target.place).toEqual({
      catalog: 'main',
      schema: 'default',
      name: 'flights_2013'
    });
    expect(model.ready).toBe(true);
  });

  it('looks again when an option or a type is changed, and takes both along', async () => {
    const { model, server } = await begun();
    await model.setOption('delimiter', ';');
    await model.setTypes(['a'], 'string');
    await model.setOption('delimiter', null);
    await model.start();
    expect(server.looked.map(({ options }) => options)).toEqual([
      {},
      { delimiter: ';' },
      { delimiter: ';' },
      {}
    ]);
    expect(server.started[0]).toMatchObject({
      paths: ['data/Flights 2013.csv.gz'],
      table: '`main`.`default`.`flights_2013`',
      types: { a: 'string' },
      mode: 'error',
      remember: true
    });
  });

  it('keeps the last preview when a change makes the file unreadable', async () => {
    const { model, server } = await begun();
    server.failing = new Error('The file is not UTF-16.');
    await model.setOption('encoding', 'utf-16');
    expect(model.error).toBe('The file is not UTF-16.');
    expect(model.preview).not.toBeNull();
  });

  it('shows what is asked for now, whatever answers late', async () => {
    const { model, server } = await begun();
    const release = server.previews.hold();
    const late = model.setOption('delimiter', ';');
    await model.setOption('delimiter', '|');
    release();
    await late;
    expect(model.preview?.options.delimiter).toBe('|');
    expect(model.looking).toBe(false);
  });

  it('cannot start without a name', async () => {
    const { model, server } = await begun();
    model.setName('  ');
    await rest();
    expect(model.ready).toBe(false);
    await model.start();
    expect(server.started).toEqual([]);
  });

  it('keeps a name that was given when more files are added', async () => {
    const { model } = await begun();
    model.setName('mine');
    model.files.addPaths(['data/b.csv']);
    await rest();
    expect(model.target.place.name).toBe('mine');
    expect(model.state).toMatchObject({
      paths: ['data/Flights 2013.csv.gz', 'data/b.csv'],
      table: 'mine'
    });
  });

  it('goes on after its page is closed', async () => {
    const { model, server } = await begun();
    const started = model.start();
    model.dispose();
    await started;
    expect(server.started).toHaveLength(1);
    expect(model.run?.state).toBe('succeeded');
  });

  it('says that it would stop at lines that do not fit', async () => {
    const server = new FakeServer();
    server.seen = { rejected: 2 };
    const { model } = await begun(server);
    expect(model.stops).toBe(true);
    await model.setOption('bad_rows', 'skip');
    expect(model.stops).toBe(false);
  });

  it('forgets how earlier files were read, and reads these by themselves', async () => {
    const { model, server } = await begun();
    await model.forget();
    expect(server.forgotten).toEqual([{ path: ['data/Flights 2013.csv.gz'] }]);
    expect(server.looked).toHaveLength(2);
  });

  it('takes up its run again after a reload', async () => {
    const server = new FakeServer();
    server.ended = run(7, { state: 'succeeded' });
    const { model } = await begun(server, { run: 7 });
    expect(model.run?.id).toBe(7);
  });
});

describe('an import into a table that is there', () => {
  async function taken() {
    const server = new FakeServer();
    server.tables = ['flights_2013'];
    return begun(server);
  }

  it('knows the table of the name there is now, whatever answers late', async () => {
    const { model, server } = await taken();
    const release = server.facts.hold();
    model.setName('flights_2013');
    await rest();
    model.setName('free');
    await rest();
    release();
    await rest();
    expect(model.target.existing).toBeNull();
  });

  it('does not begin as a new one', async () => {
    const { model } = await taken();
    expect(model.target.existing).not.toBeNull();
    expect(model.ready).toBe(false);
    model.target.setMode('overwrite');
    expect(model.ready).toBe(true);
  });

  it('compares the columns with those of the table it adds to', async () => {
    const { model, server } = await taken();
    model.target.setMode('append');
    await rest();
    expect(server.looked.map(({ table }) => table)).toEqual([
      undefined,
      '`main`.`default`.`flights_2013`'
    ]);
  });

  it('waits until a difference is accepted', async () => {
    const { model, server } = await taken();
    server.seen = { drift: DRIFT };
    model.target.setMode('append');
    await rest();
    expect(model.drift).toEqual(DRIFT);
    expect(model.ready).toBe(false);
    model.acceptDrift(true);
    await model.start();
    expect(server.started[0]).toMatchObject({ accept_drift: true });
  });

  it('asks again when the difference is another one', async () => {
    const { model, server } = await taken();
    server.seen = { drift: DRIFT };
    model.target.setMode('append');
    await rest();
    model.acceptDrift(true);
    server.seen = { drift: { ...DRIFT, missing: DRIFT.added } };
    await model.setTypes(['a'], 'string');
    expect(model.acceptsDrift).toBe(false);
  });

  it('shows a difference that only the run has found', async () => {
    const { model, server } = await taken();
    model.target.setMode('append');
    await rest();
    server.seen = { drift: DRIFT };
    const error = { code: 'Conflict', message: 'The columns differ.' };
    server.ended = run(1, { state: 'failed', error });
    await model.start();
    expect(model.drift).toEqual(DRIFT);
    expect(model.run?.error?.message).toBe('The columns differ.');
    expect(model.ready).toBe(false);
  });

  it('needs keys to update by', async () => {
    const { model, server } = await taken();
    model.target.setMode('upsert');
    await rest();
    expect(model.ready).toBe(false);
    model.target.setKeys(['a']);
    await model.start();
    expect(server.started[0]).toMatchObject({ merge_keys: ['a'] });
  });
});
