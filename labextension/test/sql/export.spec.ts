import type { PageReply, SqlReply } from '../../src/api/types';
import { exported, type TextForm } from '../../src/sql/export';
import { column } from '../helpers';

const reply: SqlReply = {
  query_id: 'q',
  statement: 'SELECT',
  columns: [column('a', 'string'), column('a', 'bigint')],
  rows: null,
  row_count: 2,
  truncated: false,
  affected_rows: null,
  execution_time_ms: 1,
  engine: 'polars',
  used_tables: [],
  warnings: []
};

const ROWS = [
  ['x,"y"\n| <b>', '9007199254740993'],
  ['', null]
];

async function text(form: TextForm): Promise<string> {
  const { tableToIPC, vectorFromArray, Utf8, Table } =
    await import('apache-arrow');
  const columns = [0, 1].map(at =>
    vectorFromArray(
      ROWS.map(row => row[at]),
      new Utf8()
    )
  );
  const table = new Table({ a: columns[0], b: columns[1] });
  const bytes = tableToIPC(table, 'stream');
  const page: PageReply = {
    columns: reply.columns,
    rows: ROWS,
    offset: 0,
    total: 2,
    version: null
  };
  const client = {
    sqlRows: async () => ({
      data: bytes.slice().buffer as ArrayBuffer,
      total: 2,
      version: null
    }),
    sqlPage: async () => page
  };
  const { parts } = await exported(client, reply, form, 'UTC');
  return parts.join('');
}

describe('a result as a file', () => {
  it('is quoted in CSV, where NULL is not the empty text', async () => {
    expect(await text('csv')).toBe(
      'a,a\n"x,""y""\n| <b>",9007199254740993\n"",\n'
    );
  });

  it('is parted by tabs in TSV', async () => {
    expect((await text('tsv')).split('\n')[0]).toBe('a\ta');
  });

  it('keeps both of two like headings in JSON', async () => {
    expect(JSON.parse(await text('json'))).toEqual([
      { a: ROWS[0][0], a_2: '9007199254740993' },
      { a: '', a_2: null }
    ]);
  });

  it('is text only in Markdown', async () => {
    expect(await text('markdown')).toBe(
      '| a | a |\n| --- | --- |\n| x,"y"<br>\\| &lt;b> | 9007199254740993 |\n|  | NULL |\n'
    );
  });
});
