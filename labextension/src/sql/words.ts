import type { TranslationBundle } from '@jupyterlab/translation';

import type { SqlReply, WrittenRows } from '../api/types';
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

/** What came of a statement without rows, in the words of the command line. */
export function outcome(reply: SqlReply, trans: TranslationBundle): string {
  const { changed, current, dry_run, note, statement, written } = reply;
  if (dry_run && written) {
    return wouldChange(statement, written, trans);
  }
  if (note) {
    return `${statement}: ${note}`;
  }
  if (!changed) {
    return trans.__('%1: nothing changed', statement);
  }
  if (current && statement === 'USE') {
    return trans.__('%1.%2 is current', current.catalog, current.schema);
  }
  const words = statement.toUpperCase().split(/\s+/);
  if (words[0] === 'COMMENT') {
    return trans.__('1 comment changed');
  }
  const made = objectDone(words, trans);
  const all = written && written.inserted + written.updated + written.deleted;
  if (made) {
    return all === null ? made : `${made}, ${rows(all, trans)}`;
  }
  if (!written || all === null) {
    return trans.__('%1 done', statement);
  }
  switch (words[0]) {
    case 'INSERT':
      return inserted(all, trans);
    case 'UPDATE':
      return updated(all, trans);
    case 'DELETE':
    case 'TRUNCATE':
      return deleted(all, trans);
    default:
      return told(written, trans);
  }
}

/** What a statement that was only tried would do. */
function wouldChange(
  statement: string,
  { inserted, updated, deleted }: WrittenRows,
  trans: TranslationBundle
): string {
  const kinds: [number, string][] = [
    [updated, trans.__('updated')],
    [inserted, trans.__('inserted')],
    [deleted, trans.__('deleted')]
  ];
  const some = kinds.filter(([number]) => number);
  const [first, ...more] = some;
  if (!first) {
    return trans.__('%1 would change no row.', statement);
  }
  const rest = more.map(([number, what]) => `, ${count(number)} ${what}`);
  return trans._n(
    '%2 row would be %3%4. Nothing was changed.',
    '%2 rows would be %3%4. Nothing was changed.',
    first[0],
    count(first[0]),
    first[1],
    rest.join('')
  );
}

/** What became of the one object that a statement is about; null if it is about rows. */
function objectDone(
  [verb, ...rest]: string[],
  trans: TranslationBundle
): string | null {
  const kinds: Record<string, string> = {
    TABLE: trans.__('table'),
    VIEW: trans.__('view'),
    SCHEMA: trans.__('schema'),
    CATALOG: trans.__('catalog'),
    DATABASE: trans.__('database')
  };
  const kind = kinds[rest.find(word => word in kinds) ?? ''];
  if (!kind) {
    return null;
  }
  switch (verb) {
    case 'CREATE':
      return trans.__('1 %1 created', kind);
    case 'DROP':
      return trans.__('1 %1 dropped', kind);
    case 'ALTER':
      return trans.__('1 %1 altered', kind);
    case 'UNDROP':
      return trans.__('1 %1 restored', kind);
    default:
      return null;
  }
}

function told(written: WrittenRows, trans: TranslationBundle): string {
  const parts = [
    written.inserted && inserted(written.inserted, trans),
    written.updated && updated(written.updated, trans),
    written.deleted && deleted(written.deleted, trans)
  ];
  return (
    parts.filter(Boolean).join(', ') || trans.__('%1 changed', rows(0, trans))
  );
}

function rows(number: number, trans: TranslationBundle): string {
  return trans._n('%2 row', '%2 rows', number, count(number));
}

function inserted(number: number, trans: TranslationBundle): string {
  return trans._n('%2 row inserted', '%2 rows inserted', number, count(number));
}

function updated(number: number, trans: TranslationBundle): string {
  return trans._n('%2 row updated', '%2 rows updated', number, count(number));
}

function deleted(number: number, trans: TranslationBundle): string {
  return trans._n('%2 row deleted', '%2 rows deleted', number, count(number));
}

/** Whether a reply was cut at the number of rows shown first. */
export function isCut({ truncated, row_count }: SqlReply): boolean {
  return truncated && row_count === FIRST_ROWS;
}
