import type { TranslationBundle } from '@jupyterlab/translation';
import { editIcon, refreshIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { tableIcon } from '../icons';
import { Tabs } from '../parts/tabs';

import type { TableModel, TableTab } from './model';
import { ago, bytes, count, exact } from './words';

/** What the head of a table's page shows and does. */
export interface IHeaderProps {
  model: TableModel;
  trans: TranslationBundle;
  /** The table's name until it is loaded. */
  name: string;
  tab: TableTab;
  onTab(tab: TableTab): void;
  /** Opens a SQL editor on the table; null where there is none. */
  onQuery: (() => void) | null;
  /** Changes what the table says about itself; null where the person may not. */
  onDescribe: (() => void) | null;
  /** Opens the list of versions at a place on the screen. */
  onVersions(x: number, y: number): void;
}

/** Name, counts, version and tabs. */
export function Header(props: IHeaderProps): JSX.Element {
  const { model, trans, name, onQuery, onDescribe } = props;
  const { table } = model;
  return (
    <>
      <div className="fc-Page-title">
        <tableIcon.react tag="span" className="fc-icon" />
        <h2>{table ? table.full_name.join('.') : name}</h2>
        <div className="fc-Page-description">
          <span title={table?.description ?? undefined}>
            {table?.description}
          </span>
          {table && onDescribe && !model.gone && (
            <button
              className="jp-Button jp-mod-minimal"
              title={trans.__('Edit the description')}
              aria-label={trans.__('Edit the description')}
              onClick={onDescribe}
            >
              <editIcon.react tag="span" />
            </button>
          )}
        </div>
        {onQuery && table && !model.gone && (
          <button className="jp-mod-styled jp-mod-accept" onClick={onQuery}>
            {trans.__('Query')}
          </button>
        )}
        <button
          className="jp-Button jp-mod-minimal"
          title={trans.__('Look for changes')}
          aria-label={trans.__('Look for changes')}
          onClick={() => void model.load()}
        >
          <refreshIcon.react tag="span" />
        </button>
      </div>
      <Facts {...props} />
      <Banner {...props} />
      <Parts {...props} />
    </>
  );
}

function Facts(props: IHeaderProps): JSX.Element {
  const { model, trans, onVersions } = props;
  const { table, shown, version } = model;
  if (!table || !shown || model.gone) {
    return (
      <div className="fc-Page-facts" role="status">
        {model.gone
          ? trans.__('This table is no longer in the catalog.')
          : (model.error ?? trans.__('Loading…'))}
      </div>
    );
  }
  const { rowCount, sizeBytes, columns } = shown;
  const number = version ?? table.delta_version;
  const written = model.entry(number);
  const facts = [
    rowCount !== null &&
      trans._n('%2 row', '%2 rows', rowCount, count(rowCount)),
    trans._n('%2 column', '%2 columns', columns.length, count(columns.length)),
    sizeBytes !== null && bytes(sizeBytes)
  ].filter(Boolean);
  return (
    <div className="fc-Page-facts">
      <span>{facts.join(' · ')}</span>
      {number !== null && (
        <button
          className="fc-Link"
          aria-haspopup="menu"
          title={written ? exact(written.timestamp, model.zone) : undefined}
          onClick={event => {
            const box = event.currentTarget.getBoundingClientRect();
            onVersions(box.left, box.bottom);
          }}
        >
          {written
            ? trans.__('version %1 (%2) ▾', number, ago(written.timestamp))
            : trans.__('version %1 ▾', number)}
        </button>
      )}
      <span>{trans.__('owner %1', table.owner)}</span>
      {model.error && <span role="alert">{model.error}</span>}
    </div>
  );
}

/** Says that the past is shown, and leads back. */
function Banner({ model, trans }: IHeaderProps): JSX.Element | null {
  const { version } = model;
  if (version === null) {
    return null;
  }
  const entry = model.entry(version);
  return (
    <div className="fc-Page-banner" role="status">
      <span title={entry ? exact(entry.timestamp, model.zone) : undefined}>
        {entry
          ? trans.__('Version %1, %2', version, ago(entry.timestamp))
          : trans.__('Version %1', version)}
      </span>
      <button className="fc-Link" onClick={() => void model.setVersion(null)}>
        {trans.__('Back to now')}
      </button>
    </div>
  );
}

function Parts(props: IHeaderProps): JSX.Element {
  const { model, trans, tab, onTab } = props;
  const labels: Record<TableTab, string> = {
    rows: trans.__('Rows'),
    columns: trans.__('Columns'),
    history: trans.__('History'),
    about: trans.__('About')
  };
  return (
    <Tabs
      label={trans.__('Parts of the table')}
      tabs={tabsOf(model).map(name => ({ name, label: labels[name] }))}
      shown={tab}
      onShow={onTab}
    />
  );
}

/** The tabs that have something to show. */
export function tabsOf(model: TableModel): TableTab[] {
  const tabs: TableTab[] = ['rows', 'columns'];
  if (model.history?.length) {
    tabs.push('history');
  }
  return [...tabs, 'about'];
}
