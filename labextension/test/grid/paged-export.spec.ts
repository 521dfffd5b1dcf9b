import type { IExportWish } from '../../src/grid/export';
import { PagedExport } from '../../src/grid/paged-export';
import type { IPageRequest } from '../../src/grid/rows';

const COLUMNS = [
  { name: 'line', type: 'bigint' },
  { name: 'text', type: 'string' }
];
const BOUNDS = { rows: 5000, characters: 1_000_000 };

/** Lines a page at a time, as many as asked for. */
function lines(texts: readonly (string | null)[]) {
  const asked: number[] = [];
  const page = async ({ offset, limit }: IPageRequest) => {
    asked.push(offset);
    const shown = texts.slice(offset, offset + limit);
    return {
      columns: COLUMNS,
      length: shown.length,
      total: texts.length,
      cell: (row: number, column: number) =>
        column ? shown[row] : String(offset + row + 1)
    };
  };
  return { page, asked };
}

async function exported(
  source: ReturnType<typeof lines>,
  wish: Partial<IExportWish> = {},
  bounds = BOUNDS,
  signal = new AbortController().signal
) {
  const { blob, ...rest } = await new PagedExport(
    source,
    COLUMNS,
    bounds
  ).export(
    { sort: null, filters: [] },
    { format: 'csv', formulaSafe: true, name: 'bad', ...wish },
    () => undefined,
    signal
  );
  const reader = new FileReader();
  const content = await new Promise(resolve => {
    reader.onload = () => resolve(reader.result);
    reader.readAsText(blob);
  });
  return { ...rest, content };
}

describe('a file made of pages', () => {
  it('has every page', async () => {
    const source = lines(Array.from({ length: 2500 }, () => 'x'));
    const { rows, of, content, name } = await exported(source);
    expect(source.asked).toEqual([0, 1000, 2000]);
    expect([rows, of, name]).toEqual([2500, undefined, 'bad.csv']);
    expect(String(content).split('\n')).toHaveLength(2502);
  });

  it('lets no spreadsheet compute a text, unless that is wanted', async () => {
    const source = lines(['=1+1', '@x', '-1,"a"', 'a=b', null, '']);
    const safe = await exported(source);
    expect(safe.content).toBe(
      'line,text\n1,\'=1+1\n2,\'@x\n3,"\'-1,""a"""\n4,a=b\n5,\n6,""\n'
    );
    const plain = await exported(lines(['=1']), { formulaSafe: false });
    expect(plain.content).toBe('line,text\n1,=1\n');
  });

  it('can be objects, a row a line, and a list of them', async () => {
    const ndjson = await exported(lines(['a"', null]), { format: 'ndjson' });
    expect(ndjson.content).toBe(
      '{"line":1,"text":"a\\""}\n{"line":2,"text":null}\n'
    );
    const { content } = await exported(lines(['x', 'y']), { format: 'json' });
    expect(JSON.parse(String(content))).toHaveLength(2);
  });

  it('ends where its bounds are, and says of how many it is', async () => {
    const few = { rows: 2, characters: 1000 };
    const cut = await exported(lines(['a', 'b', 'c']), {}, few);
    expect([cut.rows, cut.of]).toEqual([2, 3]);
    const small = { rows: 10, characters: 4 };
    const short = await exported(lines(['aaaa', 'b', 'c']), {}, small);
    expect([short.rows, short.of]).toEqual([1, 3]);
  });

  it('is given up when a person cancels', async () => {
    const stop = new AbortController();
    stop.abort();
    const source = lines(Array.from({ length: 2500 }, () => 'x'));
    await expect(exported(source, {}, BOUNDS, stop.signal)).rejects.toThrow();
    expect(source.asked).toEqual([0]);
  });
});
