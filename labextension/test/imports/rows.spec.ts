import { cellText } from '../../src/imports/rows';

describe('a value of a preview', () => {
  it.each([
    [1, 'int', '1'],
    [1, 'double', '1.0'],
    [1.5, 'double', '1.5'],
    ['9007199254740993', 'bigint', '9007199254740993'],
    ['NaN', 'double', 'NaN'],
    [true, 'boolean', 'true'],
    [null, 'string', null],
    ['', 'string', ''],
    ['2024-01-05', 'date', '2024-01-05'],
    ['2024-01-05T10:00:00Z', 'timestamp', '2024-01-05 12:00:00'],
    ['2024-01-05T10:00:00.250Z', 'timestamp', '2024-01-05 12:00:00.25'],
    ['2024-01-05T10:00:00', 'timestamp_ntz', '2024-01-05 10:00:00'],
    [{ b: [1] }, 'struct<b:array<int>>', '{"b":[1]}']
  ])('%j of type %s is spelled as grids spell it', (value, type, text) => {
    expect(cellText(value, type, 'Africa/Johannesburg')).toBe(text);
  });
});
