import { pythonOf } from '../../src/chart/python';

const columns = [
  { name: 'carrier', type: 'string' },
  { name: 'dep.delay', type: 'int' },
  { name: 'day', type: 'date' }
];

describe('a chart as Python', () => {
  it('aggregates in polars and draws in Altair', () => {
    expect(
      pythonOf({
        query: 'SELECT *\nFROM flights',
        columns,
        chosen: {
          mark: 'line',
          x: '2',
          y: '1',
          colour: '0',
          aggregate: 'avg'
        }
      })
    ).toBe(
      [
        'import altair as alt',
        'import polars as pl',
        '',
        'frame = flowfile_ctx.sql("""\nSELECT *\nFROM flights\n""")',
        'frame = frame.group_by("day", "carrier").agg(pl.col("dep.delay").mean().alias("avg dep.delay"))',
        'alt.Chart(frame).mark_line().encode(',
        '    x=alt.X("day:T"),',
        '    y=alt.Y("avg dep\\\\.delay:Q"),',
        '    color=alt.Color("carrier:N"),',
        ')',
        ''
      ].join('\n')
    );
  });

  it('counts rows in a histogram', () => {
    const text = pythonOf({
      query: 'SELECT 1',
      columns,
      chosen: {
        mark: 'histogram',
        x: '1',
        y: null,
        colour: null,
        aggregate: 'count'
      }
    });
    expect(text).toContain('x=alt.X("dep\\\\.delay:Q", bin=True)');
    expect(text).not.toContain('polars');
  });
});
