import { tableFromArrays, tableToIPC, vectorFromArray } from 'apache-arrow';
import * as arrow from 'apache-arrow';

import { readable, text, textPage } from '../../src/grid/format';

describe('the one spelling of a value', () => {
  it.each([
    [5, 'double', '5.0'],
    [-0, 'double', '-0.0'],
    [0.1, 'double', '0.1'],
    [NaN, 'double', 'NaN'],
    [Infinity, 'double', 'Infinity'],
    [Math.fround(0.1), 'float', '0.1'],
    [9007199254740993n, 'integer', '9007199254740993'],
    [2013, 'integer', '2013'],
    [0, 'date', '1970-01-01'],
    [-719162, 'date', '0001-01-01'],
    [new Uint8Array([0, 255]), 'binary', '0x00ff'],
    ['<b>x</b> ', 'string', '<b>x</b> '],
    ['', 'string', ''],
    [true, 'boolean', 'true']
  ] as const)('of %p as %s is %s', (value, kind, spelled) => {
    expect(text(value, kind, 'UTC')).toBe(spelled);
  });

  it('keeps NULL apart from the empty text', () => {
    expect(text(null, 'string', 'UTC')).toBeNull();
  });

  it('shows an instant in the session zone, across a change of its clock', () => {
    const instant = (iso: string) => BigInt(Date.parse(iso)) * 1000n;
    const zone = 'Europe/Paris';
    expect(text(instant('2026-03-29T00:59:59Z'), 'timestamp', zone)).toBe(
      '2026-03-29 01:59:59'
    );
    expect(text(instant('2026-03-29T01:00:00Z'), 'timestamp', zone)).toBe(
      '2026-03-29 03:00:00'
    );
    expect(text(instant('2026-01-01T00:00:00Z'), 'timestamp', 'No/Zone')).toBe(
      '2026-01-01 00:00:00'
    );
  });

  it('shows a clock without a zone as it was stored, to the microsecond', () => {
    expect(text(-1n, 'timestamp_ntz', 'Europe/Paris')).toBe(
      '1969-12-31 23:59:59.999999'
    );
  });
});

describe('a page of Arrow', () => {
  it('is read across batches with types of the catalog', async () => {
    const one = tableFromArrays({ a: Int32Array.from([1, 2]) });
    const two = tableFromArrays({ a: Int32Array.from([3]) });
    const data = tableToIPC(one.concat(two), 'stream');
    const page = await textPage(
      { data: data.slice().buffer as ArrayBuffer, total: 30, version: 1 },
      [{ name: 'a', type: 'int' }],
      'UTC'
    );
    expect([0, 1, 2].map(row => page.cell(row, 0))).toEqual(['1', '2', '3']);
    expect(page).toMatchObject({ length: 3, total: 30 });
  });

  it('keeps whole numbers, microseconds and NULL exact', async () => {
    const micros = vectorFromArray(
      [null, 1.5],
      new arrow.TimestampMicrosecond('UTC')
    );
    const big = vectorFromArray([9007199254740993n, null], new arrow.Int64());
    const data = tableToIPC(new arrow.Table({ big, micros }), 'stream');
    const page = await textPage(
      { data: data.slice().buffer as ArrayBuffer, total: null, version: null },
      null,
      'UTC'
    );
    expect(page.columns).toEqual([
      { name: 'big', type: 'bigint' },
      { name: 'micros', type: 'timestamp' }
    ]);
    expect(page.cell(0, 0)).toBe('9007199254740993');
    expect(page.cell(1, 0)).toBeNull();
    expect(page.cell(0, 1)).toBeNull();
    expect(page.cell(1, 1)).toMatch(/^1970-01-01 00:00:00\.00\d+$/);
  });
});

describe('a number that was computed', () => {
  it.each([
    ['12.639070257304708', '12.6391'],
    ['-0.00012345678901', '-0.000123457'],
    ['9.999999999', '10.0'],
    ['9007199254740993.14285', '9007199254740993.14'],
    ['12345678901234567890123.000000', '12345678901234567890123.0'],
    ['1.5', '1.5'],
    ['3', '3'],
    ['1.2345678901e-20', '1.23457e-20'],
    ['NaN', 'NaN']
  ])('has digits that can be read: %s', (exact, shown) => {
    expect(readable(exact)).toBe(shown);
  });
});
