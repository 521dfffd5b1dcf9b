import { Signal } from '@lumino/signaling';

import type { RunReply } from '../../src/api/types';
import { type IWatched, RecentRuns } from '../../src/runs/model';
import { run } from '../helpers';

/** Runs at work, as the test says. */
class Watched implements IWatched {
  readonly changed: Signal<unknown, void> = new Signal<unknown, void>(this);
  readonly ended: Signal<unknown, RunReply> = new Signal<unknown, RunReply>(
    this
  );
  active: RunReply[] = [];
}

async function loaded(items: RunReply[]) {
  const watched = new Watched();
  const server = {
    items,
    runs: async () => ({
      items: server.items,
      total: server.items.length,
      after: null
    })
  };
  const model = new RecentRuns(server, watched);
  await model.load();
  return { model, server, watched };
}

describe('the latest runs', () => {
  it('move on with those at work', async () => {
    const { model, watched } = await loaded([run(2), run(1)]);
    watched.active = [run(2, { progress: progress(5) })];
    watched.changed.emit();
    expect(model.runs.map(({ progress }) => progress?.done)).toEqual([
      5,
      undefined
    ]);
  });

  it('take in a run that has begun since', async () => {
    const { model, server, watched } = await loaded([run(1)]);
    server.items = [run(2), run(1)];
    watched.active = [run(2)];
    watched.changed.emit();
    await Promise.resolve();
    await Promise.resolve();
    expect(model.runs.map(({ id }) => id)).toEqual([2, 1]);
  });

  it('say why they cannot be loaded', async () => {
    const model = new RecentRuns(
      {
        runs: async () => {
          throw new Error('The server is away.');
        }
      },
      new Watched()
    );
    await model.load();
    expect(model.error).toBe('The server is away.');
  });
});

function progress(done: number) {
  return { done, total: 10, unit: 'rows', message: null };
}
