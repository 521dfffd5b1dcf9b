import * as React from 'react';

import type { IPaneProps } from './panes';

/** What every row of a table meets, and how the table is kept. */
export function Rules({ model, trans }: IPaneProps): JSX.Element | null {
  const { table } = model;
  if (!table) {
    return null;
  }
  const required = table.columns
    .filter(({ nullable }) => !nullable)
    .map(({ name }) => name);
  const checks = Object.entries(table.constraints);
  const properties = Object.entries(table.properties);
  const options = Object.entries(table.options);
  return (
    <>
      <h3>{trans.__('Rules for rows')}</h3>
      {required.length || checks.length ? (
        <dl className="fc-Facts">
          {required.length > 0 && (
            <>
              <dt>{trans.__('Never NULL')}</dt>
              <dd>{required.join(', ')}</dd>
            </>
          )}
          {checks.map(([name, condition]) => (
            <React.Fragment key={name}>
              <dt>{trans.__('Check %1', name)}</dt>
              <dd>
                <code>{condition}</code>
              </dd>
            </React.Fragment>
          ))}
        </dl>
      ) : (
        <p className="fc-Quiet">
          {trans.__(
            'None: every column may be NULL, and takes any value of its type.'
          )}
        </p>
      )}
      <h3>{trans.__('Table properties')}</h3>
      {properties.length ? (
        <Pairs pairs={properties} />
      ) : (
        <p className="fc-Quiet">{trans.__('None are set.')}</p>
      )}
      {options.length > 0 && (
        <>
          <h3>{trans.__('How its files are read')}</h3>
          <Pairs pairs={options} />
        </>
      )}
    </>
  );
}

/** Names with what they are set to. */
function Pairs(props: { pairs: [string, string][] }): JSX.Element {
  return (
    <dl className="fc-Facts">
      {[...props.pairs]
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([name, value]) => (
          <React.Fragment key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <code>{value}</code>
            </dd>
          </React.Fragment>
        ))}
    </dl>
  );
}
