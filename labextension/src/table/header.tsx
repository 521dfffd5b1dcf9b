import type { TranslationBundle } from '@jupyterlab/translation';
import { linkIcon, refreshIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { tableIcon } from '../icons';
import { useClock } from '../parts/ticking';
import { Editable } from '../parts/editable';
import { Tabs } from '../parts/tabs';

import type { TableModel, TableTab } from './model';
import { whyNot } from './restoring';
import { Tags } from './tags';
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
  /** Copies an address that opens the page as it is. */
  onLink(): void;
  /** Opens the list of versions at a place on the screen. */
  onVersions(x: number, y: number): void;
  /** Holds a version of the past against now. */
  onCompare(version: number): void;
  /** Tells what going back to a version would change; null where the person may not. */
  onRestore: ((version: number) => void) | null;
}

/** Name, counts, version and tabs. */
export function Header(props: IHeaderProps): JSX.Element {
  const { model, trans, name, onQuery, onLink } = props;
  const { table } = model;
  return (
    <>
      <div className="fc-Page-title">
        <tableIcon.react tag="span" className="fc-icon" />
        <h2>{table ? table.full_name.join('.') : name}</h2>
        <div className="fc-Page-description">
          {table && (
            <Editable
              label={trans.__('Description')}
              text={table.description ?? ''}
              empty={trans.__('Add a description')}
              trans={trans}
              save={model.editable ? text => model.describe(text) : null}
            />
          )}
        </div>
        {onQuery && table && !model.gone && (
          <button className="jp-mod-styled jp-mod-accept" onClick={onQuery}>
            {trans.__('Query')}
          </button>
        )}
        {table && !model.gone && (
          <button
            className="jp-Button jp-mod-minimal"
            title={trans.__('Copy a link to this table as it is shown')}
            aria-label={trans.__('Copy link')}
            onClick={onLink}
          >
            <linkIcon.react tag="span" />
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
  if (model.gone) {
    return <Gone {...props} />;
  }
  if (!table || !shown) {
    return (
      <div className="fc-Page-facts" role="status">
        {model.error ?? trans.__('Loading…')}
      </div>
    );
  }
  const { rowCount, sizeBytes, files, columns } = shown;
  const number = version ?? table.delta_version;
  const facts = [
    rowCount !== null &&
      trans._n('%2 row', '%2 rows', rowCount, count(rowCount)),
    trans._n('%2 column', '%2 columns', columns.length, count(columns.length)),
    sizeBytes !== null && bytes(sizeBytes),
    files !== null && trans._n('%2 file', '%2 files', files, count(files))
  ].filter(Boolean);
  return (
    <div className="fc-Page-facts">
      <span>{facts.join(' · ')}</span>
      {number !== null && (
        <button
          className="fc-Link"
          aria-haspopup="menu"
          onClick={event => {
            const box = event.currentTarget.getBoundingClientRect();
            onVersions(box.left, box.bottom);
          }}
        >
          {trans.__('version %1 ▾', number)}
        </button>
      )}
      {model.turning && <span role="status">{trans.__('Loading…')}</span>}
      <Freshness {...props} />
      <span>{trans.__('owner %1', table.owner)}</span>
      <Tags
        tags={table.tags}
        trans={trans}
        save={model.editable ? tags => model.tag(tags) : null}
      />
      {model.error && <span role="alert">{model.error}</span>}
    </div>
  );
}

/** Says that there is no such table any more, and brings it back. */
function Gone({ model, trans }: IHeaderProps): JSX.Element {
  const { dropped } = model;
  const [refusal, setRefusal] = React.useState<string | null>(null);
  const restore = async (name: string[]) => {
    setRefusal(null);
    try {
      await model.restore();
    } catch (reason) {
      setRefusal(whyNot(reason, name, trans));
    }
  };
  return (
    <div className="fc-Page-facts">
      <span role="status">
        {trans.__('This table is no longer in the catalog.')}
      </span>
      {dropped && (
        <button
          className="fc-Link"
          onClick={() => void restore(dropped.full_name)}
        >
          {trans.__('Restore')}
        </button>
      )}
      {refusal && (
        <span role="alert" className="fc-Error">
          {refusal}
        </span>
      )}
    </div>
  );
}

/** When rows last changed and by whom, of the version shown; the exact moment on hover. */
function Freshness({ model, trans }: IHeaderProps): JSX.Element | null {
  useClock();
  const { version, table, lastWrite } = model;
  const entry = version === null ? lastWrite : model.entry(version);
  const moment = entry?.timestamp ?? table?.freshness?.last_write_at;
  if (!moment || (version !== null && !entry)) {
    return null;
  }
  const who = entry?.run_id ? trans.__('import') : entry?.user;
  return (
    <time dateTime={moment} title={exact(moment, model.zone)}>
      {who
        ? trans.__('written %1 by %2', ago(moment), who)
        : trans.__('written %1', ago(moment))}
    </time>
  );
}

/** Says that the past is shown, and leads back. */
function Banner(props: IHeaderProps): JSX.Element | null {
  useClock();
  const { model, trans, onCompare, onRestore } = props;
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
      <button className="fc-Link" onClick={() => onCompare(version)}>
        {trans.__('Compare')}
      </button>
      {onRestore && (
        <button className="fc-Link" onClick={() => onRestore(version)}>
          {trans.__('Restore…')}
        </button>
      )}
    </div>
  );
}

function Parts(props: IHeaderProps): JSX.Element {
  const { model, trans, tab, onTab } = props;
  const labels: Record<TableTab, string> = {
    rows: trans.__('Rows'),
    columns: trans.__('Columns'),
    history: trans.__('History'),
    maintenance: trans.__('Maintenance'),
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

/** The tabs that have something to show, or may have. */
export function tabsOf(model: TableModel): TableTab[] {
  const tabs: TableTab[] = ['rows', 'columns'];
  if (model.history?.length !== 0 || model.edits?.length !== 0) {
    tabs.push('history');
  }
  return [...tabs, 'maintenance', 'about'];
}
