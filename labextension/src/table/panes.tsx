import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { HistoryEntry } from '../api/types';
import { typeIcon } from '../icons';

import type { TableModel } from './model';
import { ago, bytes, count, exact } from './words';

/** What a pane shows. */
export interface IPaneProps {
  model: TableModel;
  trans: TranslationBundle;
}

/** The columns of the version that is shown. */
export function ColumnsPane({ model, trans }: IPaneProps): JSX.Element {
  const columns = model.shown?.columns ?? [];
  const partitions = model.table?.partition_columns ?? [];
  const commented = columns.some(({ comment }) => comment);
  return (
    <table className="fc-Table">
      <thead>
        <tr>
          <th scope="col" className="fc-mod-number">
            {trans.__('No.')}
          </th>
          <th scope="col">{trans.__('Name')}</th>
          <th scope="col">{trans.__('Type')}</th>
          <th scope="col">{trans.__('Nulls')}</th>
          {partitions.length > 0 && <th scope="col">{trans.__('Layout')}</th>}
          {commented && <th scope="col">{trans.__('Comment')}</th>}
        </tr>
      </thead>
      <tbody>
        {columns.map((column, at) => {
          const TypeIcon = typeIcon(column.type);
          return (
            <tr key={`${at}/${column.name}`}>
              <td className="fc-mod-number">{at + 1}</td>
              <th scope="row">{column.name}</th>
              <td>
                <TypeIcon.react tag="span" className="fc-icon" />
                <code>{column.type}</code>
              </td>
              <td>
                {column.nullable ? trans.__('allowed') : trans.__('never')}
              </td>
              {partitions.length > 0 && (
                <td>
                  {partitions.includes(column.name) && trans.__('partition')}
                </td>
              )}
              {commented && <td>{column.comment}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The commits, newest first; each can be looked at. */
export function HistoryPane({ model, trans }: IPaneProps): JSX.Element {
  const history = model.history ?? [];
  const shown = model.version ?? history[0]?.version;
  return (
    <table className="fc-Table">
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
            <span className="fc-mod-unseen">{trans.__('Show')}</span>
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
              {ago(entry.timestamp)}
            </td>
            <td>{entry.user}</td>
            <td>{entry.operation}</td>
            <td className="fc-mod-number">{rowsOf(entry)}</td>
            <td>
              {entry.version === shown ? (
                trans.__('shown')
              ) : (
                <button
                  className="fc-Link"
                  aria-label={trans.__('Show version %1', entry.version)}
                  onClick={() => void model.setVersion(entry.version)}
                >
                  {trans.__('Show')}
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
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

/** What is known of a table besides its rows. */
export function AboutPane({ model, trans }: IPaneProps): JSX.Element | null {
  const { table, zone } = model;
  if (!table) {
    return null;
  }
  const kind =
    table.table_type === 'external'
      ? trans.__('External: dropping it leaves the data where they are')
      : trans.__('Managed: the data live in the catalog');
  const facts: [string, React.ReactNode][] = [
    [trans.__('Name in SQL'), <code key="sql">{table.sql_name}</code>],
    [trans.__('Description'), table.description],
    [trans.__('Owner'), table.owner],
    [trans.__('Kind'), kind],
    [trans.__('Format'), table.format],
    [
      trans.__('Location'),
      table.location && <code key="location">{table.location}</code>
    ],
    [
      trans.__('Size'),
      table.size_bytes === null ? null : bytes(table.size_bytes)
    ],
    [trans.__('Partitioned by'), table.partition_columns.join(', ')],
    [trans.__('Created'), exact(table.created_at, zone)],
    [
      trans.__('Changed'),
      trans.__('%1 by %2', exact(table.updated_at, zone), table.updated_by)
    ]
  ];
  return (
    <dl className="fc-Facts">
      {facts
        .filter(([, fact]) => fact)
        .map(([name, fact]) => (
          <React.Fragment key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </React.Fragment>
        ))}
    </dl>
  );
}
