import { proposed } from '../../src/frames/complete';
import type { IFrame } from '../../src/tokens';

const frames: IFrame[] = [
  {
    name: 'df',
    kind: 'pandas',
    rows: 1,
    columns: [
      { name: 'day', type: 'date' },
      { name: 'dep delay', type: 'int' }
    ],
    columns_total: 2,
    bytes: 8
  },
  {
    name: 'lf',
    kind: 'lazy',
    rows: null,
    columns: null,
    columns_total: null,
    bytes: null
  }
];

/** What is proposed at the bar in a text, and what it takes the place of. */
function at(text: string): [string, string[]] {
  const place = text.indexOf('|');
  const whole = text.replace('|', '');
  const { start, items } = proposed(whole, place, frames);
  return [whole.slice(start, place), items.map(item => item.insertText)];
}

describe('frames in completion', () => {
  it.each([
    ['SELECT * FROM |', '', [':df', ':lf']],
    ['SELECT * FROM :|', ':', [':df', ':lf']],
    ['SELECT * FROM :d|', ':d', [':df', ':lf']],
    ['select *\nfrom t\njoin d|', 'd', [':df', ':lf']],
    ['SELECT * FROM t x, :|', ':', [':df', ':lf']],
    ['SELECT d| FROM :df', 'd', ['day', '`dep delay`']],
    ['SELECT df.| FROM :df', '', ['day', '`dep delay`']],
    ['SELECT x.d| FROM t JOIN :df AS x ON true', 'd', ['day', '`dep delay`']],
    ['SELECT * FROM :df ORDER BY |', '', ['day', '`dep delay`']],
    ['SELECT * FROM :df WHERE df.|', '', ['day', '`dep delay`']],
    ['SELECT t.| FROM t JOIN :df AS x ON true', '', []],
    ['SELECT | FROM t', '', []],
    ['SELECT :d| FROM t', 'd', []]
  ])('%s', (text, typed, items) => {
    expect(at(text)).toEqual([typed, items]);
  });
});
