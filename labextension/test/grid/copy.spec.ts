import { copied } from '../../src/grid/copy';

const cells = {
  columns: [
    { name: 'n', type: 'bigint' },
    { name: 'a|b', type: 'string' },
    { name: 'd', type: 'decimal(10,2)' },
    { name: 'x', type: 'double' },
    { name: 't', type: 'timestamp' },
    { name: 'ok', type: 'boolean' }
  ],
  rows: [
    [
      '9007199254740993',
      'a\t"b"',
      '1.50',
      'NaN',
      '2013-01-01 05:00:00.25',
      'true'
    ],
    [null, '', null, '1e-7', null, 'false']
  ]
};

describe('copied cells', () => {
  it('are tab-separated as spreadsheets read them', () => {
    expect(copied(cells, 'tsv')).toBe(
      '9007199254740993\t"a\t""b"""\t1.50\tNaN\t2013-01-01 05:00:00.25\ttrue\n\t\t\t1e-7\t\tfalse'
    );
    expect(copied(cells, 'tsv', true).split('\n')[0]).toBe(
      'n\ta|b\td\tx\tt\tok'
    );
  });

  it('tell the empty text from NULL in CSV', () => {
    expect(copied(cells, 'csv').split('\n')[2]).toBe(',"",,1e-7,,false');
  });

  it('keep their bars in Markdown, and numbers at the right', () => {
    const lines = copied(cells, 'markdown').split('\n');
    expect(lines[0]).toBe('| n | a\\|b | d | x | t | ok |');
    expect(lines[1]).toBe('| ---: | --- | ---: | ---: | --- | --- |');
    expect(lines[3]).toContain('| NULL |  | NULL |');
  });

  it('stay exact in Python', () => {
    expect(copied(cells, 'python')).toBe(
      [
        'from datetime import datetime',
        'from decimal import Decimal',
        'data = {',
        '    "n": [9007199254740993, None],',
        '    "a|b": ["a\\t\\"b\\"", ""],',
        '    "d": [Decimal("1.50"), None],',
        '    "x": [float("NaN"), 1e-7],',
        '    "t": [datetime.fromisoformat("2013-01-01 05:00:00.25"), None],',
        '    "ok": [True, False],',
        '}'
      ].join('\n')
    );
  });
});
