import type { ISummary } from '../../src/grid/rows';
import { ColumnStats } from '../../src/table/stats';
import { settle } from '../helpers';

const summary = (name: string) => ({ name, nulls: 1 }) as ISummary;

describe('what columns hold', () => {
  it('is asked for once, two at a time, in the order it is wanted', async () => {
    const asked: number[] = [];
    const answers: (() => void)[] = [];
    const stats = new ColumnStats(async column => {
      asked.push(column);
      await new Promise<void>(resolve => answers.push(resolve));
      return summary(`c${column}`);
    });
    [3, 1, 3, 2].forEach(column => stats.want(column));
    expect(asked).toEqual([3, 1]);
    answers[0]();
    await settle();
    expect(asked).toEqual([3, 1, 2]);
    expect(stats.of(3)).toMatchObject({ name: 'c3' });
    expect(stats.of(1)).toBeNull();
  });

  it('tells why a column has none, and asks again when told to', async () => {
    let fails = true;
    const stats = new ColumnStats(async () => {
      if (fails) {
        throw new Error('Too slow.');
      }
      return summary('c');
    });
    stats.want(0);
    await settle();
    expect(stats.of(0)).toEqual({ error: 'Too slow.' });
    fails = false;
    stats.again(0);
    await settle();
    expect(stats.of(0)).toMatchObject({ name: 'c' });
  });

  it('forgets what was asked of other rows', async () => {
    const answers: ((summary: ISummary) => void)[] = [];
    const stats = new ColumnStats(
      () => new Promise(resolve => answers.push(resolve))
    );
    stats.want(0);
    stats.reset();
    stats.want(0);
    answers[0](summary('old'));
    await settle();
    expect(stats.of(0)).toBeNull();
    answers[1](summary('new'));
    await settle();
    expect(stats.of(0)).toMatchObject({ name: 'new' });
  });
});
