import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { TableModel } from './model';
import { Rules } from './rules';
import { bytes, count, exact } from './words';

/** What a pane shows. */
export interface IPaneProps {
  model: TableModel;
  trans: TranslationBundle;
}

/** What the facts of a table show and do. */
export interface IAboutProps extends IPaneProps {
  /** Gives the table to somebody else; null where the person may not. */
  onGive: (() => void) | null;
}

/** What is known of a table besides its rows. */
export function AboutPane(props: IAboutProps): JSX.Element | null {
  const { model, trans, onGive } = props;
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
    [trans.__('Tags'), table.tags.join(', ')],
    [
      trans.__('Owner'),
      <React.Fragment key="owner">
        {table.owner}
        {onGive && (
          <button className="fc-Link fc-mod-after" onClick={onGive}>
            {trans.__('Give to somebody else…')}
          </button>
        )}
      </React.Fragment>
    ],
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
    [trans.__('Files'), table.files === null ? null : count(table.files)],
    [
      trans.__('Last written'),
      table.freshness && exact(table.freshness.last_write_at, zone)
    ],
    [trans.__('Partitioned by'), table.partition_columns.join(', ')],
    [trans.__('Created'), exact(table.created_at, zone)],
    [
      trans.__('Changed'),
      trans.__('%1 by %2', exact(table.updated_at, zone), table.updated_by)
    ]
  ];
  return (
    <>
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
      <Rules model={model} trans={trans} />
    </>
  );
}
