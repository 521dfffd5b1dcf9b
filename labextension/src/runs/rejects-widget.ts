import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { CatalogClient } from '../api/client';
import type { IRejectsArgs } from '../commands';
import { PagedGrid } from '../grid/widget';
import { importIcon } from '../icons';
import { RejectRows } from '../imports/rows';

/** What a page of rejected lines is made of. */
export interface IRejectsPageOptions extends IRejectsArgs {
  client: Pick<CatalogClient, 'rejects'>;
  trans: TranslationBundle;
}

/** The lines that an import rejected, each with its file, number and reason. */
export class RejectsPage extends Widget {
  constructor(readonly options: IRejectsPageOptions) {
    super();
    const { client, run, title, trans } = options;
    this.id = `flowcat-rejects-${run}`;
    this.addClass('fc-Page');
    this.addClass('fc-RejectsPage');
    this.title.label = trans.__('Rejected lines');
    this.title.caption = title ?? this.title.label;
    this.title.icon = importIcon;
    this.title.closable = true;
    const heading = document.createElement('h2');
    heading.textContent = title
      ? trans.__('Rejected lines: %1', title)
      : trans.__('Rejected lines');
    const header = new Widget();
    header.addClass('fc-Page-header');
    header.node.append(heading);
    this._grid = new PagedGrid(new RejectRows(client, run), {
      trans,
      label: heading.textContent,
      exportName: `rejected-${run}`
    });
    const layout = new PanelLayout();
    this.layout = layout;
    layout.addWidget(header);
    layout.addWidget(this._grid);
  }

  protected override onActivateRequest(_msg: Message): void {
    this._grid.activate();
  }

  private readonly _grid: PagedGrid;
}
