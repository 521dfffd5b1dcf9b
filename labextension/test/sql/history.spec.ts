import type { IStateDB } from '@jupyterlab/statedb';

import { type IPastRun, RunHistory } from '../../src/sql/history';
import { NOW } from '../helpers';

function past(query: string): IPastRun {
  return {
    query,
    catalog: null,
    schema: null,
    at: NOW,
    state: 'done',
    rows: 1,
    milliseconds: 2,
    message: null
  };
}

function state(kept?: unknown) {
  const saved: unknown[] = [];
  const db = {
    fetch: async () => kept,
    save: async (_: string, value: unknown) => {
      saved.push(value);
    }
  } as unknown as Pick<IStateDB, 'fetch' | 'save'>;
  return { db, saved };
}

describe('what was run', () => {
  it('is kept, newest first', () => {
    const { db, saved } = state();
    const history = new RunHistory(db, 'key');
    history.add(past('a'));
    history.add(past('b'));
    expect(history.items.map(({ query }) => query)).toEqual(['b', 'a']);
    expect(saved).toHaveLength(2);
  });

  it('is bounded in number and in length', () => {
    const history = new RunHistory(null, 'key');
    for (let at = 0; at < 150; at += 1) {
      history.add(past('x'.repeat(30_000)));
    }
    expect(history.items).toHaveLength(100);
    expect(history.items[0].query).toHaveLength(20_000);
  });

  it('comes back after what was run since', async () => {
    const { db } = state([past('old'), 'nonsense', null]);
    const history = new RunHistory(db, 'key');
    history.add(past('new'));
    await history.load();
    expect(history.items.map(({ query }) => query)).toEqual(['new', 'old']);
  });

  it('begins empty where something else was kept', async () => {
    const { db } = state({ not: 'a list' });
    const history = new RunHistory(db, 'key');
    await history.load();
    expect(history.items).toEqual([]);
  });
});
