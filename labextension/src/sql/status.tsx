import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ResultStatus } from '../api/types';
import { count } from '../table/words';

import type { QueryModel } from './model';
import { duration, isCut, summary } from './words';

/** What can be done from a run's line. */
export interface IStatusProps {
  model: QueryModel;
  trans: TranslationBundle;
  /** Shows why this engine ran the query. */
  onEngine(): void;
  /** Exports every row of a result that was cut. */
  onExport(at: { x: number; y: number }): void;
}

/** How the run stands, in one line. */
export function Status(props: IStatusProps): JSX.Element {
  const { model, trans, onEngine, onExport } = props;
  const { result, state } = model;
  if (state === 'running') {
    return <Running model={model} trans={trans} />;
  }
  if (!result?.source) {
    return <span className="fc-Results-status" />;
  }
  const { engine } = result.reply;
  return (
    <span className="fc-Results-status" role="status">
      <span>{summary(result.reply, trans)}</span>
      {engine && (
        <button
          className="fc-Link"
          title={trans.__('Why this engine')}
          onClick={onEngine}
        >
          {engine}
        </button>
      )}
      {isCut(result.reply) && (
        <>
          <button className="fc-Link" onClick={() => void model.runForAll()}>
            {trans.__('Show all')}
          </button>
          <button
            className="fc-Link"
            aria-haspopup="menu"
            onClick={event => {
              const { left, bottom } =
                event.currentTarget.getBoundingClientRect();
              onExport({ x: left, y: bottom });
            }}
          >
            {trans.__('Export all ▾')}
          </button>
        </>
      )}
    </span>
  );
}

function Running(props: {
  model: QueryModel;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, trans } = props;
  const { progress, at, count: all } = model;
  return (
    <span className="fc-Results-status">
      <span aria-live="off">
        {all > 1 && `${trans.__('Statement %1 of %2', at + 1, all)} · `}
        {standing(progress, Date.now() - model.since, trans)}
      </span>
      <button className="fc-Link" onClick={() => void model.cancel()}>
        {trans.__('Cancel')}
      </button>
    </span>
  );
}

/** What a run is doing, and since when. */
export function standing(
  progress: ResultStatus | null,
  elapsed: number,
  trans: TranslationBundle
): string {
  const time = duration(elapsed);
  if (progress?.state === 'queued') {
    return progress.position === null || progress.position <= 1
      ? trans.__('Next in the queue, %1', time)
      : trans.__('Number %1 in the queue, %2', progress.position, time);
  }
  const parts = [trans.__('Running, %1', time)];
  if (progress?.rows) {
    parts.push(
      trans._n(
        '%2 row so far',
        '%2 rows so far',
        progress.rows,
        count(progress.rows)
      )
    );
  }
  if (progress?.message) {
    parts.push(progress.message);
  }
  return parts.join(' · ');
}
