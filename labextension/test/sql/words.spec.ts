import { nullTranslator } from '@jupyterlab/translation';

import type { SqlReply } from '../../src/api/types';
import { outcome } from '../../src/sql/words';

const trans = nullTranslator.load('flowcat');

function said(
  statement: string,
  affected_rows: number | null,
  warnings: string[] = []
): string {
  const reply = { statement, affected_rows, warnings } as unknown as SqlReply;
  return outcome(reply, trans);
}

describe('what a statement without rows did', () => {
  it('counts the rows it wrote', () => {
    expect(said('INSERT', 1)).toBe('1 row inserted.');
    expect(said('INSERT', 1234)).toBe('1,234 rows inserted.');
    expect(said('CREATE TABLE', 3)).toBe('Table created with 3 rows.');
    expect(said('UPDATE', 2)).toBe('2 rows changed.');
  });

  it('says when it is done', () => {
    expect(said('DROP TABLE', null)).toBe('DROP TABLE: done.');
  });

  it('says when there was nothing to do', () => {
    const told = ['There is already a table main.default.t.'];
    expect(said('CREATE TABLE', null, told)).toBe(
      'CREATE TABLE: nothing changed.'
    );
  });
});
