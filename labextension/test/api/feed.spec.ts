import { CatalogError } from '../../src/api/errors';
import { CatalogFeed, type IChanges } from '../../src/api/feed';
import type { ChangesReply, StatusReply } from '../../src/api/types';
import { settle, status } from '../helpers';

const TIMES = { starting: 1, lost: 1, farthest: 4, poll: 25 };

/** A server whose answers the test gives. */
class FakeServer {
  states: (StatusReply | Error)[] = [];
  readonly polls: { after: number; wait: number; signal?: AbortSignal }[] = [];
  private answers: ((reply: ChangesReply | Error) => void)[] = [];

  async status(): Promise<StatusReply> {
    const next = this.states.length > 1 ? this.states.shift() : this.states[0];
    if (next instanceof Error || !next) {
      throw next ?? new Error('gone');
    }
    return next;
  }

  changes(
    after: number,
    wait: number,
    signal?: AbortSignal
  ): Promise<ChangesReply> {
    this.polls.push({ after, wait, signal });
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
      this.answers.push(reply =>
        reply instanceof Error ? reject(reply) : resolve(reply)
      );
    });
  }

  async answer(reply: ChangesReply | Error): Promise<void> {
    this.answers.shift()?.(reply);
    await pause();
  }
}

function pause(milliseconds = 10): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds));
}

function change(seq: number) {
  const item = {
    seq,
    kind: 'written',
    object_id: 1,
    object_kind: 'table',
    parent_id: 2,
    name: 't',
    at: ''
  };
  return { seq, items: [item], reset: false };
}

async function follow(...states: (StatusReply | Error)[]) {
  const server = new FakeServer();
  server.states = states;
  const feed = new CatalogFeed(server, TIMES);
  const heard: IChanges[] = [];
  const told: string[] = [];
  feed.changed.connect((_, changes) => heard.push(changes));
  feed.stateChanged.connect((_, state) => told.push(state));
  feed.start();
  await pause(20);
  return { server, feed, heard, told };
}

describe('the feed of the catalog', () => {
  it('waits for the server to be ready, then listens from there', async () => {
    const { server, feed, told } = await follow(
      status({ state: 'starting' }),
      status({ state: 'upgrading' }),
      status({ seq: 41 })
    );
    expect(told.slice(0, 3)).toEqual(['starting', 'upgrading', 'ready']);
    expect(server.polls).toMatchObject([{ after: 41, wait: 25 }]);
    feed.dispose();
  });

  it('tells each change once and goes on from the last', async () => {
    const { server, feed, heard } = await follow(status({ seq: 1 }));
    await server.answer(change(2));
    await server.answer({ seq: 2, items: [], reset: false });
    expect(heard).toHaveLength(1);
    expect(server.polls.map(({ after }) => after)).toEqual([1, 2, 2]);
    feed.dispose();
  });

  it('takes up a lost connection and hears what it missed', async () => {
    const { server, feed, heard, told } = await follow(status({ seq: 1 }));
    server.states = [new Error('no route'), status({ seq: 9 })];
    await server.answer(new Error('no route'));
    await pause(20);
    expect(told).toContain('unreachable');
    expect(feed.state).toBe('ready');
    expect(server.polls[server.polls.length - 1].after).toBe(1);
    await server.answer(change(9));
    expect(heard).toHaveLength(1);
    feed.dispose();
  });

  it('asks at once when a faster channel hints at more', async () => {
    const { server, feed } = await follow(status({ seq: 5 }));
    feed.hint(5);
    await settle();
    expect(server.polls).toHaveLength(1);
    feed.hint(6);
    await pause();
    expect(server.polls).toMatchObject([{ wait: 25 }, { after: 5, wait: 0 }]);
    feed.dispose();
  });

  it('says that a server has no catalog', async () => {
    const reply = {
      code: 'NotFound',
      message: 'Not Found',
      condition: null,
      sqlstate: null,
      line: null,
      column: null,
      hint: null
    };
    const { feed } = await follow(new CatalogError(404, reply));
    expect(feed.state).toBe('missing');
    feed.dispose();
  });
});
