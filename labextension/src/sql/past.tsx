import type { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { SavedQueryReply } from '../api/types';
import { Ago } from '../table/ago';
import { count, exact } from '../table/words';

import type { IPastRun } from './history';
import { duration } from './words';

/** What was run before, and what was saved. */
export interface IPastProps {
  runs: readonly IPastRun[];
  saved: readonly SavedQueryReply[];
  zone: string;
  trans: TranslationBundle;
  /** Takes a statement back into the editor. */
  onOpen(query: string): void;
  onOpenSaved(query: SavedQueryReply): void;
  onRemove(query: SavedQueryReply): void;
}

/** Saved queries, then the runs, newest first; one field searches both. */
export function Past(props: IPastProps): JSX.Element {
  const { runs, saved, trans } = props;
  const [sought, setSought] = React.useState('');
  const key = sought.trim().toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(key);
  const found = runs.filter(({ query }) => has(query));
  const kept = saved.filter(({ name, text }) => has(name) || has(text));
  return (
    <div className="fc-Past">
      <input
        type="search"
        className="jp-mod-styled"
        aria-label={trans.__('Search runs and saved queries')}
        placeholder={trans.__('Search runs and saved queries')}
        value={sought}
        onChange={event => setSought(event.target.value)}
      />
      {kept.length > 0 && <Saved {...props} saved={kept} />}
      {found.length > 0 && <Runs {...props} runs={found} />}
      {!found.length && !kept.length && (
        <p role="status">
          {key ? trans.__('Nothing like this.') : trans.__('Nothing yet.')}
        </p>
      )}
    </div>
  );
}

function Saved(props: IPastProps): JSX.Element {
  const { saved, zone, trans, onOpenSaved, onRemove } = props;
  return (
    <table className="fc-Table">
      <caption>{trans.__('Saved queries')}</caption>
      <thead className="fc-mod-unseen">
        <tr>
          <th scope="col">{trans.__('Name')}</th>
          <th scope="col">{trans.__('Query')}</th>
          <th scope="col">{trans.__('Changed')}</th>
          <th scope="col">{trans.__('Remove')}</th>
        </tr>
      </thead>
      <tbody>
        {saved.map(query => (
          <tr key={query.id}>
            <th scope="row">
              <button
                className="fc-Link"
                title={trans.__('Open it in an editor of its own')}
                onClick={() => onOpenSaved(query)}
              >
                {query.name}
              </button>
            </th>
            <td>
              <span className="fc-Results-query">{query.text}</span>
            </td>
            <td title={exact(query.updated_at, zone)}>
              <Ago at={query.updated_at} />
            </td>
            <td>
              <button
                className="fc-IconButton"
                title={trans.__('Remove')}
                aria-label={trans.__('Remove the saved query %1', query.name)}
                onClick={() => onRemove(query)}
              >
                <closeIcon.react tag="span" className="fc-icon" />
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Runs(props: IPastProps): JSX.Element {
  const { runs, zone, trans, onOpen } = props;
  return (
    <table className="fc-Table">
      <caption>{trans.__('Runs')}</caption>
      <thead>
        <tr>
          <th scope="col">{trans.__('When')}</th>
          <th scope="col">{trans.__('Query')}</th>
          <th scope="col" className="fc-mod-number">
            {trans.__('Rows')}
          </th>
          <th scope="col" className="fc-mod-number">
            {trans.__('Time')}
          </th>
          <th scope="col">{trans.__('Outcome')}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run, at) => (
          <tr key={`${run.at}/${at}`}>
            <td title={exact(run.at, zone)}>
              <Ago at={run.at} />
            </td>
            <td>
              <button
                className="fc-Link fc-Results-query"
                title={trans.__('Take it into the editor')}
                onClick={() => onOpen(run.query)}
              >
                {run.query}
              </button>
            </td>
            <td className="fc-mod-number">
              {run.rows !== null && count(run.rows)}
            </td>
            <td className="fc-mod-number">
              {run.milliseconds !== null && duration(run.milliseconds)}
            </td>
            <td>{cameOf(run, trans)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function cameOf(run: IPastRun, trans: TranslationBundle): string {
  switch (run.state) {
    case 'cancelled':
      return trans.__('Cancelled');
    case 'failed':
      return run.message ?? trans.__('Failed');
    default:
      return trans.__('Done');
  }
}
