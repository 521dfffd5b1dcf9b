import { Clipboard } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ExplainReply, ExplainSource } from '../api/types';
import { count } from '../table/words';

/** How a query is run: the engine and why, what is read, and the steps. */
export function Plan(props: {
  plan: ExplainReply | null;
  trans: TranslationBundle;
}): JSX.Element {
  const { plan, trans } = props;
  if (!plan) {
    return <p role="status">{trans.__('Loading…')}</p>;
  }
  const { engine, reason, sources, steps, lines } = plan;
  return (
    <div className="fc-Plan">
      {engine && (
        <p>
          <strong>{engine}</strong>
          {reason && ` — ${reason}`}
        </p>
      )}
      {sources.length > 0 && <Sources sources={sources} trans={trans} />}
      {steps.length > 0 ? (
        <>
          <h3>{trans.__('Steps')}</h3>
          <ol className="fc-Plan-steps" aria-label={trans.__('Steps')}>
            {steps.map(({ depth, text }, at) => (
              <li key={at} style={{ paddingLeft: `${depth * 16}px` }}>
                <code>{text}</code>
              </li>
            ))}
          </ol>
        </>
      ) : (
        <pre className="fc-Results-plan">{lines.join('\n')}</pre>
      )}
      {engine && (
        <button
          className="fc-Link"
          onClick={() => Clipboard.copyToSystem(lines.join('\n'))}
        >
          {trans.__('Copy as text')}
        </button>
      )}
    </div>
  );
}

function Sources(props: {
  sources: readonly ExplainSource[];
  trans: TranslationBundle;
}): JSX.Element {
  const { sources, trans } = props;
  return (
    <table className="fc-Table">
      <caption className="fc-mod-unseen">{trans.__('What is read')}</caption>
      <thead>
        <tr>
          <th scope="col">{trans.__('Table')}</th>
          <th scope="col" className="fc-mod-number">
            {trans.__('Version')}
          </th>
          <th scope="col" className="fc-mod-number">
            {trans.__('Files')}
          </th>
          <th scope="col" className="fc-mod-number">
            {trans.__('Rows')}
          </th>
          <th scope="col">{trans.__('Columns')}</th>
          <th scope="col">{trans.__('Read by')}</th>
        </tr>
      </thead>
      <tbody>
        {sources.map(source => (
          <tr key={source.name}>
            <th scope="row">{source.name}</th>
            <td className="fc-mod-number">{source.version}</td>
            <td className="fc-mod-number">
              {part(source.files, source.files_skipped, trans)}
            </td>
            <td className="fc-mod-number">
              {part(source.rows, source.rows_skipped, trans)}
            </td>
            <td title={source.columns.join(', ')}>
              {trans.__(
                '%1 of %2',
                source.columns.length,
                source.columns_total
              )}
            </td>
            <td>{source.route}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How many are read, and how many need not be. */
function part(
  all: number | null,
  skipped: number | null,
  trans: TranslationBundle
): string {
  if (all === null) {
    return '';
  }
  return skipped
    ? trans.__('%1 of %2', count(all - skipped), count(all))
    : count(all);
}
