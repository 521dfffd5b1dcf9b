import {
  columnItem,
  flatten,
  hitItems,
  nameAs,
  nodeItem,
  quoted
} from '../../src/browser/items';
import { column, node } from '../helpers';

describe('names as text', () => {
  const table = nodeItem(
    node(1, 'table', ['demo', 'nyc', 'late flights'], {
      sql_name: 'demo.nyc.`late flights`'
    }),
    null
  );
  const delay = columnItem(column('dep delay'), 0, table);

  it.each([
    ['plain', 'demo.nyc.late flights'],
    ['sql', 'demo.nyc.`late flights`'],
    ['select', 'SELECT * FROM demo.nyc.`late flights` LIMIT 100'],
    ['python', 'flowfile_ctx.read_catalog_table("demo.nyc.`late flights`")']
  ] as const)('of a table, %s', (form, text) => {
    expect(nameAs(table, form)).toBe(text);
  });

  it('of a column are its own', () => {
    expect(nameAs(delay, 'plain')).toBe('dep delay');
    expect(nameAs(delay, 'sql')).toBe('`dep delay`');
  });

  it('quote what is not a plain word', () => {
    expect(['a_1', '1a', 'a`b', 'größe', 'Order'].map(quoted)).toEqual([
      'a_1',
      '`1a`',
      '`a``b`',
      '`größe`',
      '`Order`'
    ]);
  });
});

describe('what a search found', () => {
  const hit = {
    node: node(1, 'table', ['demo', 'nyc', 'flights']),
    columns: [{ ...column('carrier'), comment: 'Two letters' }],
    matched: [
      { field: 'name' as const, text: 'flights', column: null },
      { field: 'tag' as const, text: 'Gold', column: null },
      { field: 'comment' as const, text: 'Two letters', column: 'carrier' }
    ]
  };

  it('says what matched where the name does not show it', () => {
    const rows = flatten(hitItems([hit]), null, false);
    expect(
      rows.map(row =>
        row.type === 'match'
          ? row.match.text
          : row.type === 'item' && row.item.key
      )
    ).toEqual(['n1', 'Gold', 'n1/0/carrier', 'Two letters']);
  });
});
