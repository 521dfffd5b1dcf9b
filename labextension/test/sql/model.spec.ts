import { CatalogError } from '../../src/api/errors';
import type { IPastRun } from '../../src/sql/history';
import { type INames, QueryModel } from '../../src/sql/model';
import { settle } from '../helpers';

import { FakeClient, reply } from './fakes';

function make() {
  const client = new FakeClient();
  const past: IPastRun[] = [];
  let names: INames = { catalog: 'main', schema: 'default' };
  const model = new QueryModel({
    client,
    history: { add: run => past.push(run) },
    zone: () => 'UTC',
    names: () => names,
    use: current => (names = current),
    engine: () => 'duckdb'
  });
  return { client, past, model };
}

const whole = (text: string) => ({
  text,
  span: { start: 0, end: text.length }
});

describe('a run', () => {
  it('sends its part of the text, under an id of its own', async () => {
    const { client, model } = make();
    const text = 'SELECT 1; SELECT 2';
    void model.run({ text, span: { start: 10, end: 18 } });
    await settle();
    expect(client.sent[0]).toMatchObject({
      query: 'SELECT 2',
      max_rows: 10_000,
      catalog: 'main',
      schema: 'default',
      engine: 'duckdb'
    });
    expect(client.sent[0].query_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(model.state).toBe('running');
  });

  it('ends with rows to page through', async () => {
    const { client, model, past } = make();
    void model.run(whole('SELECT 1'));
    await settle();
    client.answer(reply());
    await settle();
    expect(model.state).toBe('done');
    expect(model.result?.source).not.toBeNull();
    expect(past[0]).toMatchObject({ state: 'done', rows: 3, milliseconds: 12 });
  });

  it('only asks what a statement would change, and does not count it as done', async () => {
    const { client, model, past } = make();
    void model.preview(whole('DELETE FROM t'));
    await settle();
    expect(client.sent[0].dry_run).toBe(true);
    const written = { inserted: 0, updated: 0, deleted: 3 };
    client.answer({
      ...reply(),
      ...{ columns: [], dry_run: true, affected_rows: 3, written }
    });
    await settle();
    expect([model.state, past[0].rows]).toEqual(['done', null]);
    void model.run(whole('DELETE FROM t'));
    await settle();
    expect(client.sent[1].dry_run).toBeUndefined();
  });

  it('goes on in the schema that USE made current', async () => {
    const { client, model } = make();
    void model.run(whole('USE nyc; SELECT 1'));
    await settle();
    const current = { catalog: 'demo', schema: 'nyc' };
    client.answer(reply({ statement: 'USE', columns: [], current }));
    await settle();
    expect(client.sent[1]).toMatchObject(current);
  });

  it('of a statement without rows has no grid to show', async () => {
    const { client, model, past } = make();
    void model.run(whole('INSERT'));
    await settle();
    client.answer(
      reply({
        columns: [],
        row_count: 0,
        affected_rows: 2,
        written: { inserted: 2, updated: 0, deleted: 0 }
      })
    );
    await settle();
    expect(model.result?.source).toBeNull();
    expect(past[0].rows).toBe(2);
  });

  it('that fails says where in the whole text', async () => {
    const { client, model, past } = make();
    const text = 'SELECT 1;\nSELECT cariier FROM t';
    void model.run({ text, span: { start: 10, end: text.length } });
    await settle();
    client.refuse(
      new CatalogError(400, {
        code: 'SqlError',
        message: 'There is no column cariier.',
        condition: 'UNRESOLVED_COLUMN',
        sqlstate: '42703',
        line: 1,
        column: 8,
        hint: null
      })
    );
    await settle();
    expect(model.state).toBe('failed');
    expect(model.result).toBeNull();
    expect(model.failure?.span).toEqual({ start: 17, end: 24 });
    expect(past[0].message).toBe('There is no column cariier.');
  });

  it('whose error has no place underlines nothing', async () => {
    const { client, model } = make();
    void model.run(whole('SELECT 1'));
    await settle();
    client.refuse(new Error('gone'));
    await settle();
    expect(model.failure).toMatchObject({ message: 'gone', span: null });
  });

  it('that fails keeps its message, not its place, once the text changes', async () => {
    const { client, model } = make();
    void model.run(whole('x'));
    await settle();
    client.refuse(
      new CatalogError(400, {
        code: 'SqlError',
        message: 'No.',
        condition: null,
        sqlstate: null,
        line: 1,
        column: 1,
        hint: null
      })
    );
    await settle();
    model.edited();
    expect(model.failure).toMatchObject({ message: 'No.', span: null });
  });

  it('can be cancelled, and what it still answers is not shown', async () => {
    const { client, model, past } = make();
    void model.run(whole('SELECT 1'));
    await settle();
    await model.cancel();
    client.answer(reply());
    await settle();
    expect(client.cancelled).toEqual([client.sent[0].query_id]);
    expect(model.state).toBe('cancelled');
    expect(model.result).toBeNull();
    expect(past.map(({ state }) => state)).toEqual(['cancelled']);
  });

  it('loses the statements that have not begun when it is cancelled', async () => {
    const { client, model } = make();
    void model.run(whole('SELECT 1; SELECT 2; SELECT 3'));
    await settle();
    expect(model.count).toBe(3);
    await model.cancel();
    await settle();
    expect(model.count).toBe(1);
    expect(client.sent).toHaveLength(1);
  });

  it('takes the place of the one before', async () => {
    const { client, model } = make();
    void model.run(whole('SELECT 1'));
    await settle();
    void model.run(whole('SELECT 2'));
    await settle();
    expect(client.cancelled).toHaveLength(1);
    expect(client.sent).toHaveLength(2);
    expect(client.sent[0].query_id).not.toBe(client.sent[1].query_id);
  });

  it('can be repeated for all its rows', async () => {
    const { client, model } = make();
    void model.run(whole('SELECT 1'));
    await settle();
    client.answer(reply({ truncated: true, row_count: 10_000 }));
    await settle();
    void model.runForAll();
    await settle();
    expect(client.sent[1]).toMatchObject({ query: 'SELECT 1', max_rows: null });
  });

  it('is stopped when its editor is closed', async () => {
    const { client, model } = make();
    void model.run(whole('SELECT 1'));
    await settle();
    model.dispose();
    expect(client.cancelled).toHaveLength(1);
    expect(model.isDisposed).toBe(true);
  });

  it('tells its plan when asked', async () => {
    const { client, model } = make();
    await model.explain();
    expect(model.plan).toBeNull();
    void model.run(whole('SELECT 1'));
    await settle();
    client.answer(reply());
    await settle();
    await model.explain();
    expect(model.plan?.lines).toEqual(['reads t']);
  });
});

describe('several statements in one run', () => {
  it('are run one after the other, and each result stays', async () => {
    const { client, model, past } = make();
    void model.run(whole('SELECT 1; -- and\nSELECT 2'));
    await settle();
    expect(client.sent.map(({ query }) => query)).toEqual(['SELECT 1']);
    client.answer(reply({ row_count: 1 }));
    await settle();
    client.answer(reply({ row_count: 2 }));
    await settle();
    expect(client.sent[1].query).toContain('SELECT 2');
    expect(model.state).toBe('done');
    expect(model.runs.map(({ result }) => result?.reply.row_count)).toEqual([
      1, 2
    ]);
    expect(model.result?.reply.row_count).toBe(2);
    model.show(0);
    expect(model.result?.reply.row_count).toBe(1);
    expect(past).toHaveLength(2);
  });

  it('end with the first that fails, which is shown', async () => {
    const { client, model } = make();
    void model.run(whole('a; b; c'));
    await settle();
    client.answer(reply());
    await settle();
    client.refuse(new Error('no b'));
    await settle();
    expect(client.sent).toHaveLength(2);
    expect(model.state).toBe('failed');
    expect(model.failure?.message).toBe('no b');
    expect(model.runs.map(({ state }) => state)).toEqual(['done', 'failed']);
  });

  it('tell which of them failed, and how many were not run', async () => {
    const { client, model } = make();
    void model.run(whole('SELECT 1;\n\nSELECT 2,\n  x;\nSELECT 3;\nSELECT 4'));
    await settle();
    client.answer(reply());
    await settle();
    client.refuse(
      new CatalogError(400, {
        ...{ code: 'SqlError', message: 'no x', condition: null },
        ...{ sqlstate: null, hint: null, line: 2, column: 3 }
      })
    );
    await settle();
    expect(model.at).toBe(1);
    expect(model.failure?.row).toBe(4);
    expect(model.shown?.unrun).toBe(2);
  });

  it('begin their line where no other is named', async () => {
    const { client, model } = make();
    void model.run(whole('SELECT 1;\n\nSELECT 2'));
    await settle();
    client.answer(reply());
    await settle();
    client.refuse(new Error('no more'));
    await settle();
    expect(model.failure?.row).toBe(3);
    expect(model.shown?.unrun).toBe(0);
  });

  it('leave in the history the rows they gave or wrote', async () => {
    const { client, model, past } = make();
    void model.run(whole('SELECT 1; DELETE FROM t; USE main'));
    await settle();
    client.answer(reply());
    await settle();
    client.answer(reply({ columns: [], row_count: 0, affected_rows: 7 }));
    await settle();
    client.answer(reply({ columns: [], row_count: 0 }));
    await settle();
    expect(past.map(({ rows }) => rows)).toEqual([3, 7, null]);
  });

  it('can each be repeated for all rows, the others staying', async () => {
    const { client, model } = make();
    void model.run(whole('a; b'));
    await settle();
    client.answer(reply({ row_count: 10_000, truncated: true }));
    await settle();
    client.answer(reply());
    await settle();
    model.show(0);
    void model.runForAll();
    await settle();
    expect(client.sent[2]).toMatchObject({ query: 'a', max_rows: null });
    client.answer(reply({ row_count: 20_000 }));
    await settle();
    expect(model.runs.map(({ result }) => result?.reply.row_count)).toEqual([
      20_000, 3
    ]);
  });

  it('begin no more when cancelled', async () => {
    const { client, model } = make();
    void model.run(whole('a; b'));
    await settle();
    await model.cancel();
    client.answer(reply());
    await settle();
    expect(client.sent).toHaveLength(1);
    expect(model.runs.map(({ state }) => state)).toEqual(['cancelled']);
    expect(model.shown?.unrun).toBe(1);
  });
});

describe('a run that takes its time', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('is asked how far it is', async () => {
    const { client, model } = make();
    void model.run(whole('SELECT 1'));
    await settle();
    jest.advanceTimersByTime(500);
    await settle();
    expect(model.progress).toMatchObject({ state: 'queued', position: 2 });
    client.answer(reply());
    await settle();
    expect(model.state).toBe('done');
  });
});
