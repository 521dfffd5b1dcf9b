import { type IRowsPlace, WholeRows } from '../../src/grid/whole';

const place: IRowsPlace = {
  path: 'catalog/tables/7',
  column: index => ['year', 'carrier'][index],
  summary: index => `columns/${['year', 'carrier'][index]}/stats`,
  query: { version: 3 }
};
const view = {
  sort: { column: 1, desc: true },
  filters: [{ column: 0, op: '>', value: '2012' }] as const
};
const filter = '[{"column":"year","op":">","value":"2012"}]';

function make(reply: unknown = {}) {
  const asked: [string, unknown][] = [];
  const connection = {
    json: <T>(path: string, init: unknown) => {
      asked.push([path, init]);
      return Promise.resolve(reply as T);
    },
    request: (path: string, init: unknown) => {
      asked.push([path, init]);
      return Promise.resolve(reply as Response);
    }
  };
  return { asked, rows: new WholeRows(connection, () => place) };
}

describe('questions about all rows', () => {
  it('name the view, the version and the columns as the server knows them', async () => {
    const { asked, rows } = make();
    await rows.find(view, {
      text: 'UA',
      after: 4,
      backwards: false,
      matchCase: true
    });
    expect(asked).toEqual([
      [
        'catalog/tables/7/find',
        {
          query: {
            version: 3,
            sort: 'carrier',
            desc: 1,
            filter,
            text: 'UA',
            after: 4,
            backwards: 0,
            case: 1
          }
        }
      ]
    ]);
  });

  it('sum up the rows that fulfil the conditions', async () => {
    const { asked, rows } = make();
    await rows.summary(1, view);
    expect(asked[0]).toMatchObject([
      'catalog/tables/7/columns/carrier/stats',
      { query: { version: 3, sort: null, filter } }
    ]);
  });

  it('give the whole of a value', async () => {
    const { asked, rows } = make({ value: 'long', type: 'string', bytes: 4 });
    expect(await rows.value(2, 1, view)).toBe('long');
    expect(asked[0]).toMatchObject([
      'catalog/tables/7/cell',
      { query: { row: 2, column: 'carrier', sort: 'carrier', filter } }
    ]);
  });

  it('tell how much of a file has arrived', async () => {
    const chunks = [new Uint8Array(3), new Uint8Array(2)];
    const { asked, rows } = make({
      headers: new Map([
        ['Content-Length', '5'],
        ['X-Flowcat-Rows', '9'],
        ['Content-Type', 'text/csv']
      ]),
      body: {
        getReader: () => ({
          read: async () => ({ value: chunks.shift(), done: !chunks.length })
        })
      }
    });
    const told: unknown[] = [];
    const file = await rows.export(
      view,
      { format: 'csv', formulaSafe: true, name: 'flights' },
      progress => told.push(progress),
      new AbortController().signal
    );
    expect(told).toEqual([{ bytes: 3, total: 5 }]);
    expect([file.name, file.rows]).toEqual(['flights.csv', 9]);
    expect(asked[0]).toMatchObject([
      'catalog/tables/7/export',
      { query: { format: 'csv', formula_safe: 1, filter, sort: 'carrier' } }
    ]);
  });
});
