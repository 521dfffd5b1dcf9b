import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { hasEnded } from '../api/runs';
import type { RunReply } from '../api/types';

import type { IStepProps } from './columns';
import type { ImportModel } from './model';
import { rejectedOf, rejectsLabel, rowsText, runText } from './words';

/** What the footer can open. */
export interface IFooterProps extends IStepProps {
  openTable(id: number): void;
  openRejects(run: RunReply): void;
}

/** The button that begins, what it waits for, and how far the run is. */
export function Footer(props: IFooterProps): JSX.Element | null {
  const { model, trans } = props;
  const { preview, run } = model;
  const box = React.useRef<HTMLDivElement>(null);
  const ended = run !== null && hasEnded(run);
  React.useEffect(() => {
    // The button that began the run cannot be used any more, and would lose the focus to nowhere.
    if (ended && box.current?.contains(document.activeElement)) {
      box.current.querySelector<HTMLElement>('.fc-Import-run button')?.focus();
    }
  }, [ended]);
  if (!preview) {
    return null;
  }
  const waits = missing(model, trans);
  return (
    <div className="fc-Import-footer" ref={box}>
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
          {trans.__('Import into %1', model.target.label)}
        </button>
      )}
      <div className="fc-Import-said">
        {model.error ? (
          <span className="fc-Error" role="alert">
            {model.error}
          </span>
        ) : run ? (
          <Run {...props} run={run} />
        ) : (
          <span className="fc-Import-count">
            {rowsText(preview.rows_read, preview.rejected, trans)}
          </span>
        )}
        {waits && !model.working && (
          <span className="fc-Import-waits">{waits}</span>
        )}
      </div>
    </div>
  );
}

/** What keeps an import from beginning, or from coming to its end. */
function missing(model: ImportModel, trans: TranslationBundle): string | null {
  const { place, mode, keys, existing } = model.target;
  if (model.looking) {
    return trans.__('The files are being read.');
  }
  if (!place.name.trim()) {
    return trans.__('Give the table a name.');
  }
  const ended = model.run !== null && hasEnded(model.run);
  if (mode === 'error' && existing && !ended) {
    return trans.__(
      'The name is taken: give another, or say what becomes of the table.'
    );
  }
  if (mode === 'upsert' && !keys.length) {
    return trans.__('Choose the key.');
  }
  if (model.drift && !model.acceptsDrift) {
    return trans.__('Accept how the columns differ, or choose another table.');
  }
  if (model.stops && !ended) {
    return trans.__('It will stop at the lines that do not fit.');
  }
  return null;
}

function Run(props: IFooterProps & { run: RunReply }): JSX.Element {
  const { run, trans, openTable, openRejects } = props;
  const { progress, result } = run;
  const table = result?.table_id;
  const rejected = rejectedOf(run);
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
      {rejected > 0 && (
        <button className="fc-Link" onClick={() => openRejects(run)}>
          {rejectsLabel(rejected, trans)}
        </button>
      )}
    </div>
  );
}
