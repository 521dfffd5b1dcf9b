import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';
import * as React from 'react';

import type { ImportPreview } from '../api/types';
import type { IPageSource } from '../grid/rows';
import { PagedGrid } from '../grid/widget';
import { fileName } from '../imports/names';
import { Notes } from '../imports/sources';
import { Drawn } from '../parts/drawn';
import { count } from '../table/words';

import type { FileModel, IFileRows } from './model';

/** What a preview of a file is made of. */
export interface IFilePanelOptions {
  model: FileModel;
  trans: TranslationBundle;
  /** Opens the import page with the file. */
  importIt(): void;
  /** Opens a SQL editor; null where there is none. */
  query: ((sql: string) => void) | null;
}

/** The rows of a file or folder, to look at only. */
export class FilePanel extends Widget {
  constructor(private readonly options: IFilePanelOptions) {
    super();
    const { model } = options;
    this.addClass('fc-FilePanel');
    this.node.tabIndex = -1;
    const layout = new PanelLayout();
    this.layout = layout;
    this._header = new Drawn(() => this.drawHeader());
    this._header.addClass('fc-Page-header');
    layout.addWidget(this._header);
    model.changed.connect(this.refresh, this);
    this.refresh();
    void model.load();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.options.model.dispose();
      super.dispose();
    }
  }

  protected override onActivateRequest(_msg: Message): void {
    this._awaited = !this._grid;
    if (this._grid) {
      this._grid.activate();
    } else {
      this.node.focus();
    }
  }

  private refresh(): void {
    const { model, trans } = this.options;
    const source = model.shown?.source ?? null;
    if (source !== this._source) {
      this._grid?.dispose();
      this._grid = null;
      this._source = source;
    }
    if (source && !this._grid) {
      const name = fileName(model.path);
      this._grid = new PagedGrid(source, {
        trans,
        label: trans.__('Rows of %1', name),
        ...(source.whole ? { exportName: name } : {})
      });
      (this.layout as PanelLayout).addWidget(this._grid);
      if (this._awaited) {
        this._grid.activate();
      }
    }
    this._header.update();
  }

  private drawHeader(): JSX.Element {
    const { model, trans, importIt, query } = this.options;
    const { shown, loading, error } = model;
    const sql = shown?.sql;
    const preview = loading ? null : shown?.preview;
    return (
      <div className="fc-FilePanel-header">
        <span className="fc-FilePanel-facts" role="status">
          {loading
            ? trans.__('Reading the file…')
            : shown && <Facts shown={shown} trans={trans} />}
        </span>
        {error && (
          <span className="fc-Error" role="alert">
            {error}
          </span>
        )}
        {shown?.sql && shown.more && !loading && (
          <button className="fc-Link" onClick={() => void model.load(true)}>
            {trans.__('Read all rows')}
          </button>
        )}
        <span className="fc-FilePanel-actions">
          <button className="fc-Link" onClick={() => void model.load()}>
            {trans.__('Reload')}
          </button>
          {sql && query && (
            <button
              className="fc-Link"
              onClick={() => query(`SELECT *\nFROM ${sql}\nLIMIT 100`)}
            >
              {trans.__('Query')}
            </button>
          )}
          <button className="fc-Link" onClick={importIt}>
            {trans.__('Import to Catalog…')}
          </button>
        </span>
        {preview && <Notes notes={toKnow(preview, trans)} trans={trans} />}
      </div>
    );
  }

  private readonly _header: Drawn;
  private _grid: PagedGrid | null = null;
  private _source: IPageSource | null = null;
  /** The panel was asked for before its rows were there. */
  private _awaited = false;
}

/** What the rows do not tell of a file: the lines that are none, and how it was read. */
function toKnow(preview: ImportPreview, trans: TranslationBundle): string[] {
  const { rejected, rejects, notes } = preview;
  if (!rejects.length) {
    return notes;
  }
  const [{ line, reason }] = rejects;
  const told = trans._n(
    '%2 line does not fit and is not shown (line %3: %4).',
    '%2 lines do not fit and are not shown (line %3: %4, …). The import page lists them.',
    rejected,
    count(rejected),
    count(line),
    reason
  );
  return [told, ...notes];
}

/** How much of the file is shown. */
function Facts(props: {
  shown: IFileRows;
  trans: TranslationBundle;
}): JSX.Element {
  const { shown, trans } = props;
  const { rows, more, preview, sql } = shown;
  const all = trans._n('%2 row', '%2 rows', rows, count(rows));
  if (!more) {
    return <>{all}</>;
  }
  if (sql) {
    return (
      <>
        {trans._n(
          'First %2 row: sorting, conditions and search see this one.',
          'First %2 rows: sorting, conditions and search see these.',
          rows,
          count(rows)
        )}
      </>
    );
  }
  return (
    <>
      {trans.__(
        'First %1 of %2 rows, as an import would read them',
        count(rows),
        count(preview?.rows_read ?? rows)
      )}
    </>
  );
}
