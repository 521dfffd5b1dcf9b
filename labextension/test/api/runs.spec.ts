import { RunWatcher } from '../../src/api/runs';
import type { RunReply } from '../../src/api/types';
import { FakeFeed, run } from '../helpers';

/** Runs that move on as the test says. */
class FakeServer {
  active: RunReply[] = [];
  all = new Map<number, RunReply>();
  readonly cancelled: number[] = [];

  runs = async () => ({
    items: this.active,
    total: this.active.length,
    after: null
  });
  run = async (id: number) => {
    const found = this.all.get(id);
    if (!found) {
      throw new Error('gone');
    }
    return found;
  };
  cancelRun = async (id: number) => {
    this.cancelled.push(id);
    this.end(id, 'cancelled');
    return this.run(id);
  };

  end(id: number, state: RunReply['state']): void {
    this.active = this.active.filter(one => one.id !== id);
    this.all.set(id, run(id, { state }));
  }
}

function pause(milliseconds = 20): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds));
}

describe('following runs', () => {
  it('tells each step and the end', async () => {
    const server = new FakeServer();
    const watcher = new RunWatcher(server, new FakeFeed(), 2);
    const begun = run(1, { state: 'queued' });
    server.active = [run(1)];
    const steps: string[] = [];
    const ended = watcher.follow(begun, ({ state }) => steps.push(state));
    await pause();
    expect(watcher.active).toHaveLength(1);
    server.end(1, 'succeeded');
    expect((await ended).state).toBe('succeeded');
    expect(steps).toContain('running');
    expect(watcher.active).toHaveLength(0);
    watcher.dispose();
  });

  it('sees a run that ended before it was looked at', async () => {
    const server = new FakeServer();
    server.end(1, 'failed');
    const watcher = new RunWatcher(server, new FakeFeed(), 2);
    expect((await watcher.follow(run(1))).state).toBe('failed');
    watcher.dispose();
  });

  it('sees runs others began, as soon as the catalog changes', async () => {
    const server = new FakeServer();
    const feed = new FakeFeed();
    const watcher = new RunWatcher(server, feed, 2);
    server.active = [run(5)];
    feed.tell([1, null]);
    await pause();
    expect(watcher.active.map(({ id }) => id)).toEqual([5]);
    watcher.dispose();
  });

  it('cancels', async () => {
    const server = new FakeServer();
    server.active = [run(1)];
    const watcher = new RunWatcher(server, new FakeFeed(), 2);
    const ended = watcher.follow(run(1));
    await watcher.cancel(1);
    expect((await ended).state).toBe('cancelled');
    expect(server.cancelled).toEqual([1]);
    watcher.dispose();
  });
});
