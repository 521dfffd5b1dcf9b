import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { HistoryEntry, TableEdit } from '../api/types';

import { Ago } from './ago';
import type { IPaneProps } from './panes';
import { count, exact } from './words';

/** What the past of a table shows and does. */
export interface IHistoryProps extends IPaneProps {
  /** Holds a version against the one before it. */
  onCompare(version: number): void;
  /** Tells what going back to a version would change; null where the person may not. */
  onRestore: ((version: number) => void) | null;
}

/** The commits, and what was changed of the words about the table; newest first. */
export function HistoryPane(props: IHistoryProps): JSX.Element {
  const { model, trans } = props;
  if (model.history === null) {
    // Why there is nothing stands in the header.
    return model.error ? <></> : <p role="status">{trans.__('Loading…')}</p>;
  }
  return (
    <>
      {model.history.length > 0 && <Commits {...props} />}
      {model.edits !== null && model.edits.length > 0 && <Edits {...props} />}
    </>
  );
}

/** The commits; each can be looked at, compared with the one before it and gone back to. */
function Commits(props: IHistoryProps): JSX.Element {
  const { model, trans } = props;
  const history = model.history ?? [];
  const shown = model.version ?? history[0]?.version;
  return (
    <table className="fc-Table">
      <caption>{trans.__('Versions')}</caption>
      <thead>
        <tr>
          <th scope="col" className="fc-mod-number">
            {trans.__('Version')}
          </th>
          <th scope="col">{trans.__('When')}</th>
          <th scope="col">{trans.__('Who')}</th>
          <th scope="col">{trans.__('What')}</th>
          <th scope="col" className="fc-mod-number">
            {trans.__('Rows')}
          </th>
          <th scope="col">
            <span className="fc-mod-unseen">{trans.__('Actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {history.map(entry => (
          <tr
            key={entry.version}
            className={entry.version === shown ? 'fc-mod-shown' : ''}
          >
            <td className="fc-mod-number">{entry.version}</td>
            <td title={exact(entry.timestamp, model.zone)}>
              <Ago at={entry.timestamp} />
            </td>
            <td>{entry.user}</td>
            <td title={entry.operation}>{didOf(entry, trans)}</td>
            <td className="fc-mod-number">{rowsOf(entry)}</td>
            <td className="fc-Table-actions">
              {entry.version === shown ? (
                <span className="fc-Quiet">{trans.__('shown')}</span>
              ) : (
                <button
                  className="fc-Link"
                  aria-label={trans.__('Show version %1', entry.version)}
                  onClick={() => void model.setVersion(entry.version)}
                >
                  {trans.__('Show')}
                </button>
              )}
              <Acts {...props} entry={entry} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What can be done with a version beside looking at it. */
function Acts(props: IHistoryProps & { entry: HistoryEntry }): JSX.Element {
  const { model, trans, entry, onCompare, onRestore } = props;
  const { version } = entry;
  const history = model.history ?? [];
  return (
    <>
      {history.length > 1 && (
        <button
          className="fc-Link"
          aria-label={trans.__('Compare version %1', version)}
          title={trans.__('Compare with the version before it')}
          onClick={() => onCompare(version)}
        >
          {trans.__('Compare')}
        </button>
      )}
      {onRestore && version !== history[0]?.version && (
        <button
          className="fc-Link"
          aria-label={trans.__('Restore version %1…', version)}
          title={trans.__('See what going back to it would change')}
          onClick={() => onRestore(version)}
        >
          {trans.__('Restore…')}
        </button>
      )}
    </>
  );
}

/** Who changed what is said of the table. */
function Edits({ model, trans }: IPaneProps): JSX.Element {
  return (
    <table className="fc-Table">
      <caption>{trans.__('Changes in the catalog')}</caption>
      <thead>
        <tr>
          <th scope="col">{trans.__('When')}</th>
          <th scope="col">{trans.__('Who')}</th>
          <th scope="col">{trans.__('What')}</th>
        </tr>
      </thead>
      <tbody>
        {(model.edits ?? []).map(edit => (
          <tr key={edit.seq}>
            <td title={exact(edit.at, model.zone)}>
              <Ago at={edit.at} />
            </td>
            <td>{edit.by}</td>
            <td>{wordsOf(edit, trans)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a commit did, in words; the log's own where it is none of the usual kinds. */
export function didOf(
  { mode, operation }: Pick<HistoryEntry, 'mode' | 'operation'>,
  trans: TranslationBundle
): string {
  const columns = trans.__('Columns changed');
  const properties = trans.__('Properties changed');
  const rules = trans.__('Rules changed');
  const vacuumed = trans.__('Vacuumed');
  const words: Record<string, string> = {
    create: trans.__('Created'),
    append: trans.__('Appended'),
    overwrite: trans.__('Overwritten'),
    replace: trans.__('Replaced'),
    MERGE: trans.__('Merged'),
    UPDATE: trans.__('Updated'),
    DELETE: trans.__('Deleted'),
    TRUNCATE: trans.__('Emptied'),
    RESTORE: trans.__('Restored'),
    OPTIMIZE: trans.__('Optimized'),
    'VACUUM START': vacuumed,
    'VACUUM END': vacuumed,
    'ADD COLUMN': columns,
    'ADD COLUMNS': columns,
    'CHANGE COLUMN': columns,
    'CHANGE COLUMNS': columns,
    'DROP COLUMNS': columns,
    'RENAME COLUMN': columns,
    'REPLACE COLUMNS': columns,
    'SET TBLPROPERTIES': properties,
    'UNSET TBLPROPERTIES': properties,
    'ADD CONSTRAINT': rules,
    'DROP CONSTRAINT': rules
  };
  return words[mode ?? operation] ?? operation;
}

/** What an edit changed, in words. */
export function wordsOf(
  { kind, detail }: TableEdit,
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'table_created':
      return trans.__('Table created');
    case 'table_renamed':
      return trans.__('Renamed');
    case 'moved':
      return trans.__('Moved');
    case 'described':
      return trans.__('Description');
    case 'commented':
      return trans.__('Comment on %1', (detail?.columns ?? []).join(', '));
    case 'tagged':
      return trans.__('Tags: %1', signed(detail));
    case 'owner_changed':
      return trans.__('Owner: %1 → %2', detail?.from ?? '', detail?.to ?? '');
    default:
      return kind;
  }
}

function signed(detail: TableEdit['detail']): string {
  const added = (detail?.added ?? []).map(tag => `+${tag}`);
  const removed = (detail?.removed ?? []).map(tag => `−${tag}`);
  return [...added, ...removed].join(', ');
}

/** Rows a commit brought and took away. */
export function rowsOf({ rows_added, rows_removed }: HistoryEntry): string {
  const parts: string[] = [];
  if (rows_added) {
    parts.push(`+${count(rows_added)}`);
  }
  if (rows_removed) {
    parts.push(`−${count(rows_removed)}`);
  }
  return parts.join(' ');
}
