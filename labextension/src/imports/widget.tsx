import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Panel, PanelLayout, Widget } from '@lumino/widgets';
import * as React from 'react';

import type { RunReply } from '../api/types';
import { PagedGrid } from '../grid/widget';
import { importIcon } from '../icons';
import { Drawn } from '../parts/drawn';

import { ColumnsStep } from './columns';
import { DestinationStep } from './destination';
import { Footer } from './footer';
import type { ImportModel } from './model';
import { Rejects } from './rejects';
import { PreviewRows } from './rows';
import { type ISourcesProps, SourcesStep } from './sources';
import { sampleText } from './words';

const HEAD_PX = 100;
const ROW_PX = 24;
const MOST_PX = 300;

/** What an import page is made of. */
export interface IImportPageOptions extends Pick<
  ISourcesProps,
  'browse' | 'listFolder'
> {
  model: ImportModel;
  trans: TranslationBundle;
  /** The session's zone, which times are shown in. */
  zone: string;
  /** Opens the table that came of it. */
  openTable(id: number): void;
  /** Shows the lines that a run rejected. */
  openRejects(run: RunReply): void;
}

/** An import: files, columns, destination. Closing it leaves the run going. */
export class ImportPage extends Widget {
  constructor(private readonly options: IImportPageOptions) {
    super();
    const { trans, model, zone } = options;
    this.id = `flowcat-import-${(ImportPage.made += 1)}`;
    this.addClass('fc-Page');
    this.addClass('fc-Import');
    this.title.label = trans.__('Import');
    this.title.caption = trans.__('Import files into the catalog');
    this.title.icon = importIcon;
    this.title.closable = true;
    this.node.tabIndex = -1;
    this._rows = new PreviewRows(zone);
    this._body.addClass('fc-Import-body');
    this._sample.addClass('fc-Import-sample');
    this._sample.addWidget(this._sampleTitle);
    this._parts.forEach(part => this._body.addWidget(part));
    this._body.insertWidget(1, this._sample);
    const layout = new PanelLayout();
    this.layout = layout;
    layout.addWidget(this._body);
    layout.addWidget(this._footer);
    model.changed.connect(this.refresh, this);
    this.node.addEventListener('dragover', event => event.preventDefault());
    this.node.addEventListener('drop', event => this.onDrop(event));
    this.refresh();
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
      void this._parts[0].renderPromise?.then(() => this.enter());
    }
  }

  /** Gives the first control the focus that the page has. */
  private enter(): void {
    if (document.activeElement === this.node) {
      this.node
        .querySelector<HTMLElement>('button:not([disabled]), input')
        ?.focus();
    }
  }

  private refresh(): void {
    const { model, trans } = this.options;
    const { preview, files } = model;
    this.title.label = files.empty
      ? trans.__('Import')
      : trans.__('Import %1', files.proposed);
    if (preview) {
      this._rows.show(preview);
      this._grid ??= this.addGrid();
      const height = HEAD_PX + preview.rows.length * ROW_PX;
      this._grid.node.style.height = `${Math.min(MOST_PX, height)}px`;
    }
    this._sample.setHidden(!preview);
    this._sampleTitle.update();
    this._parts.forEach(part => part.update());
    this._footer.update();
  }

  private addGrid(): PagedGrid {
    const { trans } = this.options;
    const grid = new PagedGrid(this._rows, {
      trans,
      label: trans.__('First rows')
    });
    this._sample.addWidget(grid);
    return grid;
  }

  private onDrop(event: DragEvent): void {
    const files = Array.from(event.dataTransfer?.files ?? []);
    if (files.length && !this.model.working) {
      event.preventDefault();
      void this.model.files.send(files);
    }
  }

  private drawSampleTitle(): JSX.Element {
    const { model, trans } = this.options;
    return model.preview ? <h3>{sampleText(model.preview, trans)}</h3> : <></>;
  }

  private readonly _rows: PreviewRows;
  private _grid: PagedGrid | null = null;
  private readonly _body = new Panel();
  private readonly _sample = new Panel();
  private readonly _sampleTitle = new Drawn(() => this.drawSampleTitle());
  private readonly _footer = new Drawn(() => <Footer {...this.options} />);
  private readonly _parts = [
    new Drawn(() => <SourcesStep {...this.options} />),
    new Drawn(() => <Rejects {...this.options} />),
    new Drawn(() => <ColumnsStep {...this.options} />),
    new Drawn(() =>
      this.model.preview ? <DestinationStep {...this.options} /> : <></>
    )
  ];
  private static made = 0;
}
