import { ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { importIcon } from '../icons';
import { bytes } from '../table/words';

import { ColumnsStep } from './columns';
import { DestinationStep, Footer } from './destination';
import type { ImportModel } from './model';
import { Options } from './options';

/** What an import page is made of. */
export interface IImportPageOptions {
  model: ImportModel;
  trans: TranslationBundle;
  /** Lets the person choose a file of the server; null where there is no file browser. */
  browse: (() => Promise<string | null>) | null;
  /** Opens the table that came of it. */
  openTable(id: number): void;
}

/** An import: file, columns, destination. Closing it leaves the run going. */
export class ImportPage extends ReactWidget {
  constructor(private readonly options: IImportPageOptions) {
    super();
    const { trans } = options;
    this.id = `flowcat-import-${(ImportPage.made += 1)}`;
    this.addClass('fc-Page');
    this.addClass('fc-Import');
    this.title.label = trans.__('Import');
    this.title.caption = trans.__('Import a file into the catalog');
    this.title.icon = importIcon;
    this.title.closable = true;
    this.node.tabIndex = 0;
    options.model.changed.connect(this.update, this);
  }

  /** The import. */
  get model(): ImportModel {
    return this.options.model;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.model.dispose();
      super.dispose();
    }
  }

  /** Without the focus the shell would keep the tab before this one as the current one. */
  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    if (!this.node.contains(document.activeElement)) {
      this.node.focus();
    }
  }

  protected render(): JSX.Element {
    const { model, trans, openTable } = this.options;
    return (
      <>
        <div className="fc-Import-body">
          <FileStep {...this.options} />
          {model.preview && (
            <>
              <ColumnsStep model={model} trans={trans} />
              <DestinationStep model={model} trans={trans} />
            </>
          )}
        </div>
        <Footer model={model} trans={trans} openTable={openTable} />
      </>
    );
  }

  private static made = 0;
}

function FileStep(props: IImportPageOptions): JSX.Element {
  const { model, trans } = props;
  const { file, preview } = model;
  return (
    <section className="fc-Step" aria-labelledby="fc-import-file">
      <h2 id="fc-import-file">{trans.__('1. File')}</h2>
      {file ? (
        <p>
          <strong>{file.path ?? file.name}</strong>{' '}
          {preview && <span className="fc-Quiet">{preview.format}</span>}{' '}
          <button
            className="fc-Link"
            disabled={model.working}
            onClick={() => model.reset()}
          >
            {trans.__('Choose another')}
          </button>
        </p>
      ) : (
        <Choose {...props} />
      )}
      {model.looking && !preview && (
        <p role="status">{trans.__('Reading the file…')}</p>
      )}
      {model.error && (
        <p className="fc-Error" role="alert">
          {model.error}
        </p>
      )}
      {preview && <Options model={model} preview={preview} trans={trans} />}
    </section>
  );
}

function Choose(props: IImportPageOptions): JSX.Element {
  const { model, trans, browse } = props;
  const input = React.useRef<HTMLInputElement>(null);
  const { sending } = model;
  if (sending) {
    return (
      <div className="fc-Choose">
        <progress
          aria-label={trans.__('Sending %1', sending.name)}
          value={sending.sent}
          max={sending.size || 1}
        />
        <span role="status">
          {trans.__(
            '%1: %2 of %3 sent',
            sending.name,
            bytes(sending.sent),
            bytes(sending.size)
          )}
        </span>
        <button
          className="jp-mod-styled jp-mod-reject"
          onClick={() => model.stopSending()}
        >
          {trans.__('Cancel')}
        </button>
      </div>
    );
  }
  const take = (files: FileList | null) => {
    if (files?.length) {
      void model.send(files[0]);
    }
  };
  return (
    <div
      className="fc-Choose"
      onDragOver={event => event.preventDefault()}
      onDrop={event => {
        event.preventDefault();
        take(event.dataTransfer.files);
      }}
    >
      <p className="fc-Quiet">
        {trans.__(
          'CSV, TSV, JSON, NDJSON or Parquet, also as gz or zip. Drop a file here, or choose one.'
        )}
      </p>
      {browse && (
        <button
          className="jp-mod-styled jp-mod-accept"
          onClick={async () => {
            const path = await browse();
            if (path) {
              await model.begin({ path });
            }
          }}
        >
          {trans.__('From Jupyter’s files…')}
        </button>
      )}
      <button
        className="jp-mod-styled jp-mod-reject"
        onClick={() => input.current?.click()}
      >
        {trans.__('From this computer…')}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={trans.__('File to import')}
        onChange={event => take(event.target.files)}
      />
    </div>
  );
}
