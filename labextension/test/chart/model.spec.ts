import type { ChartReply, ChartRequest } from '../../src/api/types';
import { ChartMemory } from '../../src/chart/memory';
import { ChartModel } from '../../src/chart/model';
import { Held } from '../helpers';

const reply: ChartReply = {
  chosen: { mark: 'bar', x: '0', y: null, colour: null, aggregate: 'count' },
  spec: {},
  rows: 3,
  cut: false,
  warnings: []
};

function make(chosen: ChartRequest | null = null) {
  const sent: ChartRequest[] = [];
  const kept: ChartRequest[] = [];
  const answers = new Held();
  const model = new ChartModel({
    client: {
      json: async <T>(_path: string, init?: { json?: unknown }) => {
        const asked = init?.json as ChartRequest;
        sent.push(asked);
        await answers.wait();
        const chosen = { ...reply.chosen, mark: asked.mark ?? 'bar' };
        return { ...reply, chosen } as T;
      }
    },
    place: {
      path: 'catalog/sql/q',
      column: index => index,
      summary: index => `columns/${index}/summary`
    },
    columns: [
      { name: 'carrier', type: 'string' },
      { name: 'n', type: 'bigint' }
    ],
    view: () => ({ sort: null, filters: [] }),
    chosen,
    keep: choice => kept.push(choice)
  });
  return { model, sent, kept, answers };
}

const open = { mark: null, x: null, y: null, colour: null, aggregate: null };

describe('a chart', () => {
  it('is the server’s choice at first', async () => {
    const { model, sent, kept } = make();
    await model.load();
    expect(sent).toEqual([open]);
    expect(model.reply?.chosen.mark).toBe('bar');
    expect(kept).toEqual([]);
  });

  it('changes one choice and keeps the others as they are drawn', async () => {
    const { model, sent, kept } = make();
    await model.load();
    await model.choose({ mark: 'line' });
    expect(sent[1]).toEqual({ ...reply.chosen, mark: 'line' });
    expect(kept).toEqual([sent[1]]);
    await model.reset();
    expect(sent[2]).toEqual(open);
  });

  it('is drawn as was wished last, whatever answers late', async () => {
    const { model, answers } = make();
    const release = answers.hold();
    const late = model.choose({ mark: 'line' });
    await model.choose({ mark: 'area' });
    release();
    await late;
    expect(model.reply?.chosen.mark).toBe('area');
    expect(model.busy).toBe(false);
  });

  it('begins with what was chosen before, if its columns are still there', async () => {
    const before = { ...open, mark: 'point', x: '1' } as const;
    const kept = make(before);
    await kept.model.load();
    expect(kept.sent).toEqual([before]);
    const gone = make({ ...before, x: '7' });
    await gone.model.load();
    expect(gone.sent).toEqual([open]);
  });
});

describe('what was chosen', () => {
  it('is known by its query after a reload', async () => {
    const kept = new Map<string, unknown>();
    const state = {
      fetch: async (key: string) => kept.get(key) as never,
      save: async (key: string, value: unknown) => void kept.set(key, value)
    };
    new ChartMemory(state, 'k').keep(' SELECT 1 ', { ...open, mark: 'area' });
    const again = new ChartMemory(state, 'k');
    await again.load();
    expect(again.get('SELECT 1')).toEqual({ ...open, mark: 'area' });
    expect(again.get('SELECT 2')).toBeNull();
  });

  it('is forgotten of the oldest of more than a hundred queries', () => {
    const memory = new ChartMemory(null, 'k');
    for (let number = 0; number <= 100; number += 1) {
      memory.keep(`SELECT ${number}`, open);
    }
    expect(memory.get('SELECT 0')).toBeNull();
    expect(memory.get('SELECT 1')).toEqual(open);
    expect(memory.get('SELECT 100')).toEqual(open);
  });
});
