import type { TranslationBundle } from '@jupyterlab/translation';

import type { SqlReply } from '../api/types';
import { count } from '../table/words';

import { FIRST_ROWS } from './model';

/** A time as people say it: `12 ms`, `1.4 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) {
    return `${Math.round(milliseconds)} ms`;
  }
  const seconds = milliseconds / 1000;
  if (seconds < 60) {
    return `${seconds.toFixed(1)} s`;
  }
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** What came of a query: rows and time. */
export function summary(reply: SqlReply, trans: TranslationBundle): string {
  return [
    reply.truncated
      ? trans._n(
          'first %2 row',
          'first %2 rows',
          reply.row_count,
          count(reply.row_count)
        )
      : trans._n('%2 row', '%2 rows', reply.row_count, count(reply.row_count)),
    duration(reply.execution_time_ms)
  ].join(' · ');
}

/** What came of a statement without rows. */
export function outcome(reply: SqlReply, trans: TranslationBundle): string {
  const { affected_rows, statement, warnings } = reply;
  if (affected_rows === null) {
    return warnings.length
      ? trans.__('%1: nothing changed.', statement)
      : trans.__('%1: done.', statement);
  }
  const rows = count(affected_rows);
  if (statement.startsWith('CREATE')) {
    return trans._n(
      'Table created with %2 row.',
      'Table created with %2 rows.',
      affected_rows,
      rows
    );
  }
  return statement.startsWith('INSERT')
    ? trans._n('%2 row inserted.', '%2 rows inserted.', affected_rows, rows)
    : trans._n('%2 row changed.', '%2 rows changed.', affected_rows, rows);
}

/** Whether a reply was cut at the number of rows shown first. */
export function isCut({ truncated, row_count }: SqlReply): boolean {
  return truncated && row_count === FIRST_ROWS;
}
