import { ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { hasEnded } from '../api/runs';
import type { RunReply } from '../api/types';
import { rejectedOf, rejectsLabel, runText } from '../imports/words';
import { Ago } from '../table/ago';
import { exact } from '../table/words';
import type { ICatalog } from '../tokens';

import type { RecentRuns } from './model';

/** What the status bar says, in a few words. */
export function statusText(
  catalog: ICatalog,
  trans: TranslationBundle
): string {
  const { feed, runs } = catalog;
  switch (feed.state) {
    case 'ready': {
      const count = runs.active.length;
      return count
        ? trans._n('Catalog: %1 run', 'Catalog: %1 runs', count)
        : trans.__('Catalog');
    }
    case 'starting':
    case 'unknown':
      return trans.__('Catalog: starting');
    case 'upgrading':
      return trans.__('Catalog: upgrading');
    case 'failed':
      return trans.__('Catalog: could not start');
    case 'missing':
      return trans.__('Catalog: not installed on the server');
    case 'unreachable':
      return trans.__('Catalog: server not reached');
  }
}

/** The state of the catalog in the status bar; a click lists the runs. */
export class CatalogStatus extends ReactWidget {
  constructor(
    private readonly catalog: ICatalog,
    private readonly trans: TranslationBundle,
    private readonly showRuns: () => void
  ) {
    super();
    this.addClass('fc-Status');
    catalog.feed.stateChanged.connect(this.update, this);
    catalog.runs.changed.connect(this.update, this);
  }

  protected render(): JSX.Element {
    const { catalog, trans } = this;
    const zone = catalog.feed.status?.session_timezone;
    return (
      <button
        className="fc-Status-button"
        aria-haspopup="dialog"
        title={
          zone
            ? trans.__('Times are shown in %1. Click for the runs.', zone)
            : trans.__('Click for the runs.')
        }
        onClick={() => this.showRuns()}
      >
        {[statusText(catalog, trans), zone].filter(Boolean).join(' · ')}
      </button>
    );
  }
}

/** What can be opened from a run. */
export interface IRunOpeners {
  table(id: number): void;
  rejects(run: RunReply): void;
}

/** The runs at work and the latest ones, in a popup of the status bar. */
export class RunsPopup extends ReactWidget {
  constructor(
    private readonly model: RecentRuns,
    private readonly catalog: ICatalog,
    private readonly trans: TranslationBundle,
    private readonly open: IRunOpeners
  ) {
    super();
    this.addClass('fc-Runs');
    this.node.setAttribute('role', 'dialog');
    this.node.setAttribute('aria-label', trans.__('Runs'));
    this.node.tabIndex = -1;
    model.changed.connect(this.update, this);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.model.dispose();
      super.dispose();
    }
  }

  protected render(): JSX.Element {
    const { model, trans } = this;
    if (model.error || !model.runs.length) {
      return <p>{model.error ?? trans.__('There were no runs yet.')}</p>;
    }
    return (
      <ul>
        {model.runs.map(run => (
          <li key={run.id}>{this.drawRun(run)}</li>
        ))}
      </ul>
    );
  }

  private drawRun(run: RunReply): JSX.Element {
    const { catalog, trans, open } = this;
    const zone = catalog.feed.status?.session_timezone ?? 'UTC';
    const table = run.result?.table_id;
    const rejected = rejectedOf(run);
    return (
      <>
        <div className="fc-Runs-title">
          <strong>{run.title}</strong>
          <span className="fc-Quiet" title={exact(run.created_at, zone)}>
            <Ago at={run.created_at} />
          </span>
        </div>
        <div className="fc-Runs-state">
          <span className={run.state === 'failed' ? 'fc-Error' : ''}>
            {runText(run, trans)}
          </span>
          {!hasEnded(run) && (
            <button
              className="fc-Link"
              aria-label={trans.__('Cancel %1', run.title)}
              onClick={() => void catalog.runs.cancel(run.id)}
            >
              {trans.__('Cancel')}
            </button>
          )}
          {rejected > 0 && (
            <button
              className="fc-Link"
              aria-label={trans.__(
                '%1 of %2',
                rejectsLabel(rejected, trans),
                run.title
              )}
              onClick={() => open.rejects(run)}
            >
              {rejectsLabel(rejected, trans)}
            </button>
          )}
          {typeof table === 'number' && (
            <button
              className="fc-Link"
              aria-label={trans.__('Open the table of %1', run.title)}
              onClick={() => open.table(table)}
            >
              {trans.__('Open Table')}
            </button>
          )}
        </div>
      </>
    );
  }
}
