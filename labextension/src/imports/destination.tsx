import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import * as React from 'react';

import { hasEnded } from '../api/runs';
import type { ImportMode, RunReply } from '../api/types';
import { count } from '../table/words';

import type { IStepProps } from './columns';

/** Where the table will live, and what becomes of one that is there. */
export function DestinationStep({ model, trans }: IStepProps): JSX.Element {
  const { destination, schemas, mode, working } = model;
  // Two imports may be open; buttons of one name would uncheck each other.
  const group = React.useId();
  const place = `${destination.catalog}.${destination.schema}`;
  const modes: [ImportMode, string][] = [
    ['error', trans.__('New table')],
    ['append', trans.__('Append to the table')],
    ['overwrite', trans.__('Replace the table’s rows')]
  ];
  return (
    <section className="fc-Step" aria-labelledby="fc-import-destination">
      <h2 id="fc-import-destination">{trans.__('3. Destination')}</h2>
      <div className="fc-Options">
        <label>
          {trans.__('Schema')}
          <HTMLSelect
            value={place}
            disabled={working}
            onChange={event => {
              const chosen = schemas.find(
                ({ full_name }) => full_name.join('.') === event.target.value
              );
              if (chosen) {
                const [catalog, schema] = chosen.full_name;
                model.setDestination({ catalog, schema });
              }
            }}
          >
            {schemas.map(({ full_name }) => (
              <option key={full_name.join('.')}>{full_name.join('.')}</option>
            ))}
            {!schemas.some(
              ({ full_name }) => full_name.join('.') === place
            ) && <option>{place}</option>}
          </HTMLSelect>
        </label>
        <label>
          {trans.__('Table')}
          <input
            className="jp-mod-styled"
            value={destination.name}
            disabled={working}
            onChange={event =>
              model.setDestination({ name: event.target.value })
            }
          />
        </label>
      </div>
      <fieldset className="fc-Modes" disabled={working}>
        <legend className="fc-mod-unseen">{trans.__('How')}</legend>
        {modes.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name={group}
              checked={mode === value}
              onChange={() => model.setMode(value)}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </section>
  );
}

/** The button that begins, and how far the run is. */
export function Footer(
  props: IStepProps & { openTable(id: number): void }
): JSX.Element | null {
  const { model, trans } = props;
  if (!model.preview) {
    return null;
  }
  const { catalog, schema, name } = model.destination;
  return (
    <div className="fc-Import-footer">
      {model.working ? (
        <button
          className="jp-mod-styled jp-mod-reject"
          onClick={() => void model.cancel()}
        >
          {trans.__('Cancel')}
        </button>
      ) : (
        <button
          className="jp-mod-styled jp-mod-accept"
          disabled={!model.ready}
          onClick={() => void model.start()}
        >
          {trans.__(
            'Import into %1',
            [catalog, schema, name].filter(Boolean).join('.')
          )}
        </button>
      )}
      {model.run && <Run {...props} run={model.run} />}
    </div>
  );
}

function Run(
  props: IStepProps & { run: RunReply; openTable(id: number): void }
): JSX.Element {
  const { run, trans, openTable } = props;
  const { progress, result } = run;
  const table = result?.table_id;
  return (
    <div className="fc-Import-run" role="status">
      {!hasEnded(run) && (
        <progress
          aria-label={run.title}
          value={progress?.total ? progress.done : undefined}
          max={progress?.total ?? undefined}
        />
      )}
      <span className={run.state === 'failed' ? 'fc-Error' : ''}>
        {runText(run, trans)}
      </span>
      {typeof table === 'number' && (
        <button className="fc-Link" onClick={() => openTable(table)}>
          {trans.__('Open Table')}
        </button>
      )}
    </div>
  );
}

/** How a run is doing, in a sentence. */
export function runText(run: RunReply, trans: TranslationBundle): string {
  const { state, progress, error, result } = run;
  const done = progress?.done ?? 0;
  switch (state) {
    case 'queued':
      return trans.__('Waiting for its turn…');
    case 'running':
      return progress?.total
        ? trans.__('%1 of %2 rows', count(done), count(progress.total))
        : trans._n('%2 row', '%2 rows', done, count(done));
    case 'succeeded': {
      const rows = Number(result?.row_count ?? done);
      return trans._n(
        'Done. The table has %2 row.',
        'Done. The table has %2 rows.',
        rows,
        count(rows)
      );
    }
    case 'cancelled':
      return trans.__('Cancelled. Nothing was changed.');
    case 'timed_out':
      return trans.__('It took too long and was stopped. Nothing was changed.');
    default:
      return [error?.message, error?.hint].filter(Boolean).join(' ');
  }
}
