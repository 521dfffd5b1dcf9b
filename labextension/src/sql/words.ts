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
  const { affected_rows, changed, statement, written } = reply;
  if (!changed) {
    return trans.__('%1: nothing changed.', statement);
  }
  if (!written) {
    return trans.__('%1: done.', statement);
  }
  if (statement.startsWith('CREATE')) {
    const rows = affected_rows ?? 0;
    return trans._n(
      'Table created with %2 row.',
      'Table created with %2 rows.',
      rows,
      count(rows)
    );
  }
  const parts = [
    inserted(written.inserted, trans),
    updated(written.updated, trans),
    deleted(written.deleted, trans)
  ];
  return parts.filter(Boolean).join(' ') || trans.__('No row changed.');
}

function inserted(rows: number, trans: TranslationBundle): string {
  return rows
    ? trans._n('%2 row inserted.', '%2 rows inserted.', rows, count(rows))
    : '';
}

function updated(rows: number, trans: TranslationBundle): string {
  return rows
    ? trans._n('%2 row updated.', '%2 rows updated.', rows, count(rows))
    : '';
}

function deleted(rows: number, trans: TranslationBundle): string {
  return rows
    ? trans._n('%2 row deleted.', '%2 rows deleted.', rows, count(rows))
    : '';
}

/** Whether a reply was cut at the number of rows shown first. */
export function isCut({ truncated, row_count }: SqlReply): boolean {
  return truncated && row_count === FIRST_ROWS;
}
