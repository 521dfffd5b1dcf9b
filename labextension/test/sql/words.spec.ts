import { nullTranslator } from '@jupyterlab/translation';

import type { SqlReply } from '../../src/api/types';
import { outcome } from '../../src/sql/words';

const trans = nullTranslator.load('flowcat');

function said(
  statement: string,
  rows: [number, number, number] | null,
  changed = true
): string {
  const written = rows && {
    inserted: rows[0],
    updated: rows[1],
    deleted: rows[2]
  };
  const affected_rows = rows && rows.reduce((sum, count) => sum + count);
  const reply = { statement, affected_rows, written, changed };
  return outcome(reply as unknown as SqlReply, trans);
}

describe('what a statement without rows did', () => {
  it('counts the rows it wrote', () => {
    expect(said('INSERT', [1, 0, 0])).toBe('1 row inserted');
    expect(said('INSERT', [1234, 0, 0])).toBe('1,234 rows inserted');
    expect(said('UPDATE', [0, 2, 0])).toBe('2 rows updated');
    expect(said('DELETE', [0, 0, 1])).toBe('1 row deleted');
    expect(said('DELETE', [0, 0, 0])).toBe('0 rows deleted');
  });

  it('says where names are looked for from now on', () => {
    const current = { catalog: 'demo', schema: 'nyc' };
    const reply = { statement: 'USE', written: null, changed: true, current };
    expect(outcome(reply as unknown as SqlReply, trans)).toBe(
      'demo.nyc is current'
    );
  });

  it.each([
    [[3, 12, 0], '12 rows would be updated, 3 inserted. Nothing was changed.'],
    [[0, 0, 1], '1 row would be deleted. Nothing was changed.'],
    [[0, 0, 0], 'MERGE would change no row.']
  ])('tells what a statement would do: %s', (rows, text) => {
    const [inserted, updated, deleted] = rows;
    const reply = {
      statement: 'MERGE',
      dry_run: true,
      changed: false,
      written: { inserted, updated, deleted }
    };
    expect(outcome(reply as unknown as SqlReply, trans)).toBe(text);
  });

  it('tells apart what a merge did', () => {
    expect(said('MERGE', [1, 12, 0])).toBe('1 row inserted, 12 rows updated');
    expect(said('MERGE', [0, 0, 0])).toBe('0 rows changed');
  });

  it('names what it made or took away', () => {
    expect(said('CREATE TABLE', [3, 0, 0])).toBe('1 table created, 3 rows');
    expect(said('CREATE SCHEMA', null)).toBe('1 schema created');
    expect(said('DROP TABLE', null)).toBe('1 table dropped');
    expect(said('UNDROP TABLE', null)).toBe('1 table restored');
  });

  it('says when it is done', () => {
    expect(said('USE', null)).toBe('USE done');
  });

  it('says when there was nothing to do', () => {
    expect(said('CREATE TABLE', null, false)).toBe(
      'CREATE TABLE: nothing changed'
    );
  });
});
