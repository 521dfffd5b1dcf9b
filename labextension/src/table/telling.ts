import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  Column,
  DiffColumn,
  DiffReply,
  DiffSetting,
  TableReply,
  UpkeepReply
} from '../api/types';

import { bytes, count } from './words';

const DAY_HOURS = 24;
const KEEP_DAYS = 7;
const RULE = 'delta.constraints.';
const RETENTION = 'delta.deletedFileRetentionDuration';

/** Whether two versions are the same in every way that is compared. */
export function nothingDiffers(diff: DiffReply): boolean {
  return (
    diff.added === 0 &&
    diff.removed === 0 &&
    !diff.columns.length &&
    !diff.settings.length
  );
}

/** How many rows each version has, and how many came and went. */
export function rowsText(diff: DiffReply, trans: TranslationBundle): string {
  const { before, after, added, removed } = diff;
  const known = (rows: number | null) =>
    rows === null ? trans.__('unknown') : count(rows);
  const counts = trans.__(
    'Rows: %1 → %2',
    known(before.row_count),
    known(after.row_count)
  );
  if (added === null || removed === null) {
    return counts;
  }
  return added || removed
    ? `${counts} (+${count(added)} −${count(removed)})`
    : trans.__('%1, the same ones', counts);
}

/** What became of a column, in words. */
export function columnText(
  { before, after }: DiffColumn,
  trans: TranslationBundle
): string {
  if (!before || !after) {
    const column = before ?? after;
    const type = column ? typeText(column, trans) : '';
    return before
      ? trans.__('%1 (%2) is gone', column?.name ?? '', type)
      : trans.__('%1 (%2) is new', column?.name ?? '', type);
  }
  const parts = [
    before.name !== after.name && trans.__('was called %1', before.name),
    before.type !== after.type && `${before.type} → ${after.type}`,
    before.nullable !== after.nullable &&
      (after.nullable
        ? trans.__('may be NULL now')
        : trans.__('may not be NULL any more')),
    (before.comment ?? '') !== (after.comment ?? '') &&
      (after.comment
        ? trans.__('comment: %1', after.comment)
        : trans.__('has no comment any more'))
  ];
  return `${after.name}: ${parts.filter(Boolean).join(', ')}`;
}

/** What became of a property or of a rule for rows, in words. */
export function settingText(
  { name, before, after }: DiffSetting,
  trans: TranslationBundle
): string {
  const rule = name.startsWith(RULE)
    ? trans.__('Check %1', name.slice(RULE.length))
    : name;
  const none = trans.__('not set');
  return `${rule}: ${before ?? none} → ${after ?? none}`;
}

function typeText(
  { type, nullable }: Column,
  trans: TranslationBundle
): string {
  return nullable ? type : trans.__('%1, never NULL', type);
}

/** What a restore would take away and bring back, in one sentence. */
export function restoreText(
  diff: DiffReply | null,
  trans: TranslationBundle
): string {
  if (!diff || diff.added === null || diff.removed === null) {
    return trans.__('The versions since then stay in the history.');
  }
  const { removed, added } = diff;
  const gone = trans._n('%2 row goes', '%2 rows go', removed, count(removed));
  const back = trans._n('%2 comes back', '%2 come back', added, count(added));
  return trans.__(
    '%1 and %2. The versions since then stay in the history.',
    gone,
    back
  );
}

/** What was done to a table, as a sentence. */
export function doneText(done: UpkeepReply, trans: TranslationBundle): string {
  const { action, changed, files_removed, files_added, bytes_freed } = done;
  if (action === 'optimize') {
    return changed
      ? trans._n(
          '%2 file became %3.',
          '%2 files became %3.',
          files_removed,
          count(files_removed),
          count(files_added)
        )
      : trans.__('There was nothing to put together.');
  }
  if (action === 'vacuum') {
    return files_removed
      ? trans._n(
          '%2 file is removed, %3 are free.',
          '%2 files are removed, %3 are free.',
          files_removed,
          count(files_removed),
          bytes(bytes_freed)
        )
      : trans.__('There was nothing to remove.');
  }
  return changed
    ? trans.__('What the table was is back, as version %1.', done.version ?? '')
    : trans.__('That version is the newest already.');
}

/** What a vacuum would remove, as a sentence. */
export function wouldText(
  { files_removed, bytes_freed }: UpkeepReply,
  trans: TranslationBundle
): string {
  return files_removed
    ? trans._n(
        '%2 file would go, which frees %3.',
        '%2 files would go, which frees %3.',
        files_removed,
        count(files_removed),
        bytes(bytes_freed)
      )
    : trans.__('Nothing would go: every file is needed.');
}

/** How long versions keep their files, in words. */
export function keptText(table: TableReply, trans: TranslationBundle): string {
  const own = table.properties[RETENTION];
  if (!own) {
    return trans._n('%1 day', '%1 days', KEEP_DAYS);
  }
  const [, amount, unit] = /(\d+)\s+(\w+?)s?$/.exec(own) ?? [];
  const hours =
    { hour: 1, day: DAY_HOURS, week: KEEP_DAYS * DAY_HOURS }[unit] ?? null;
  if (hours === null) {
    return own;
  }
  const whole = Number(amount) * hours;
  return whole % DAY_HOURS
    ? trans._n('%1 hour', '%1 hours', whole)
    : trans._n('%1 day', '%1 days', whole / DAY_HOURS);
}
