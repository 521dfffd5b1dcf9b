import type { TranslationBundle } from '@jupyterlab/translation';

import type { Drift, ImportPreview, RunReply } from '../api/types';
import { count } from '../table/words';

/** What an option is called. */
export function optionLabel(option: string, trans: TranslationBundle): string {
  const labels: Record<string, string> = {
    bad_rows: trans.__('Lines that do not fit'),
    compression: trans.__('Compression'),
    date_format: trans.__('Form of dates'),
    date_order: trans.__('Order in dates'),
    decimal: trans.__('Decimal mark'),
    delimiter: trans.__('Delimiter'),
    encoding: trans.__('Encoding'),
    file_column: trans.__('Column for the file’s name'),
    header: trans.__('First line'),
    header_row: trans.__('Row of the names'),
    member: trans.__('File in the archive'),
    null_values: trans.__('Missing values'),
    quote: trans.__('Quotes'),
    sheet: trans.__('Sheet'),
    skip_lines: trans.__('Lines before the names')
  };
  return labels[option] ?? option;
}

/** What a value of an option is called. */
export function valueLabel(
  option: string,
  value: string,
  trans: TranslationBundle
): string {
  const labels: Record<string, Record<string, string>> = {
    bad_rows: {
      stop: trans.__('stop the import'),
      skip: trans.__('leave them out'),
      text: trans.__('keep their column as text')
    },
    compression: { none: trans.__('none') },
    date_order: {
      '': trans.__('not said'),
      dmy: trans.__('day, month, year'),
      mdy: trans.__('month, day, year')
    },
    decimal: { '.': trans.__('point'), ',': trans.__('comma') },
    delimiter: {
      ',': trans.__('comma'),
      ';': trans.__('semicolon'),
      '\\t': trans.__('tab'),
      '|': trans.__('bar'),
      ' ': trans.__('space')
    },
    header: { true: trans.__('names'), false: trans.__('values') },
    member: { '*': trans.__('all, as one table') },
    quote: {
      '"': trans.__('double'),
      "'": trans.__('single'),
      '': trans.__('none')
    }
  };
  return labels[option]?.[value] ?? value;
}

/** What an option without a finding does, in a sentence. */
export function optionHint(option: string, trans: TranslationBundle): string {
  const hints: Record<string, string> = {
    bad_rows: trans.__('Each one that is left out is kept with its reason.'),
    date_format: trans.__('Such as dd.MM.yyyy; found out when empty.'),
    date_order: trans.__('For dates that can be read in two ways.'),
    file_column: trans.__('A name, such as _file, for one more column.'),
    header: trans.__('Whether the names of the columns are there.'),
    null_values: trans.__(
      'Texts that are NULL, between commas; NA and the like in numbers when empty.'
    ),
    skip_lines: trans.__('How many to pass over.')
  };
  return hints[option] ?? '';
}

/** Rows and lines that were rejected. */
export function rowsText(
  rows: number,
  rejected: number,
  trans: TranslationBundle
): string {
  return trans.__(
    '%1, %2 rejected',
    trans._n('%2 row', '%2 rows', rows, count(rows)),
    count(rejected)
  );
}

/** How many lines a run rejected. */
export function rejectedOf({ result }: RunReply): number {
  const rejected = result?.rows_rejected;
  return typeof rejected === 'number' ? rejected : 0;
}

/** A link to the lines that were rejected. */
export function rejectsLabel(count_: number, trans: TranslationBundle): string {
  return trans._n(
    '%2 rejected line',
    '%2 rejected lines',
    count_,
    count(count_)
  );
}

/** How a run is doing, in a sentence. */
export function runText(run: RunReply, trans: TranslationBundle): string {
  const { state, progress, error, result } = run;
  switch (state) {
    case 'queued':
      return trans.__('Waiting for its turn…');
    case 'running': {
      if (!progress) {
        return trans.__('Reading…');
      }
      const { done } = progress;
      const rows = progress.total
        ? trans._n(
            '%2 of %3 row',
            '%2 of %3 rows',
            progress.total,
            count(done),
            count(progress.total)
          )
        : trans._n('%2 row', '%2 rows', done, count(done));
      return [rows, progress.message].filter(Boolean).join(', ');
    }
    case 'succeeded': {
      const rows = result?.rows_loaded ?? result?.row_count;
      return typeof rows === 'number'
        ? trans.__('Done: %1.', rowsText(rows, rejectedOf(run), trans))
        : trans.__('Done.');
    }
    case 'cancelled':
      return trans.__('Cancelled. Nothing was changed.');
    case 'timed_out':
      return trans.__('It took too long and was stopped. Nothing was changed.');
    default:
      return [error?.message, error?.hint].filter(Boolean).join(' ');
  }
}

/** What happens when a drift is accepted, a sentence each. */
export function driftConsequences(
  drift: Drift,
  trans: TranslationBundle
): string[] {
  const names = (columns: readonly { name: string }[]) =>
    columns.map(({ name }) => name).join(', ');
  const told: string[] = [];
  if (drift.added.length) {
    told.push(
      trans._n(
        'Add the column %2 to the table; it is NULL in the rows that are there.',
        'Add the columns %2 to the table; they are NULL in the rows that are there.',
        drift.added.length,
        names(drift.added)
      )
    );
  }
  if (drift.missing.length) {
    told.push(trans.__('Leave %1 NULL in the new rows.', names(drift.missing)));
  }
  if (drift.changed.length) {
    told.push(
      trans._n(
        'Read %2 in the type of the table; a value that does not fit is rejected.',
        'Read %2 in the types of the table; a value that does not fit is rejected.',
        drift.changed.length,
        names(drift.changed)
      )
    );
  }
  return told;
}

/** How many rows a preview has, said with the first of them. */
export function sampleText(
  preview: ImportPreview,
  trans: TranslationBundle
): string {
  const { rows, rows_read } = preview;
  return rows.length < rows_read
    ? trans.__('First %1 of %2 rows', count(rows.length), count(rows_read))
    : trans._n('%2 row', '%2 rows', rows.length, count(rows.length));
}
