import { Clipboard, Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import type { Message } from '@lumino/messaging';
import { type ISignal, Signal } from '@lumino/signaling';
import { Menu, PanelLayout, Widget } from '@lumino/widgets';
import * as React from 'react';

import { PagedGrid } from '../grid/widget';
import { tableIcon } from '../icons';
import { Drawn } from '../parts/drawn';

import { ColumnsPane } from './columns';
import { ComparisonPanel } from './comparing';
import type { Comparison } from './comparison';
import { Header, tabsOf } from './header';
import type { TableModel, TableTab } from './model';
import { didOf, HistoryPane, rowsOf } from './history';
import { type ILinkView, linkOf, namedView, placedView } from './link';
import { MaintenancePane } from './maintenance';
import { AboutPane } from './panes';
import { giveTable, restoreTable, vacuumTable } from './tending-widget';
import type { Upkeep } from './upkeep';
import { ago } from './words';

const LISTED = 15;

/** What a table's page is made of. */
export interface ITablePageOptions {
  model: TableModel;
  comparison: Comparison;
  upkeep: Upkeep;
  trans: TranslationBundle;
  name: string;
  tab: TableTab;
  /** Opens a SQL editor on the table; null where there is none. */
  query: ((model: TableModel) => void) | null;
  /** The server's address, which links begin with. */
  base: string;
  /** An order and conditions to begin with. */
  view?: ILinkView | null;
}

/** A table: its rows, columns, past and facts. */
export class TablePage extends Widget {
  constructor(private readonly options: ITablePageOptions) {
    super();
    const { model, comparison, upkeep, trans, name } = options;
    this.id = `flowcat-table-${model.id}`;
    this.addClass('fc-Page');
    this.title.label = name;
    this.title.icon = tableIcon;
    this.title.closable = true;
    this._tab = options.tab;
    const layout = new PanelLayout();
    this.layout = layout;
    this._header = new Drawn(() => this.drawHeader());
    this._header.addClass('fc-Page-header');
    this._pane = new Drawn(() => this.drawPane());
    this._pane.addClass('fc-Page-pane');
    this._pane.node.tabIndex = 0;
    this._pane.node.setAttribute('role', 'tabpanel');
    this._pane.node.setAttribute('aria-label', trans.__('Part of the table'));
    layout.addWidget(this._header);
    layout.addWidget(this._pane);
    model.changed.connect(this.onChanged, this);
    model.stats.changed.connect(this.onStats, this);
    comparison.changed.connect(this.onStats, this);
    upkeep.changed.connect(this.onStats, this);
    this.onChanged();
  }

  /** The table shown. */
  get model(): TableModel {
    return this.options.model;
  }

  /** The part shown. */
  get tab(): TableTab {
    return this._tab;
  }

  set tab(tab: TableTab) {
    this._tab = tab;
    this.onChanged();
  }

  /** Leaves the focus where it is when the rows arrive: the page is only a preview. */
  stay(): void {
    this._awaited = false;
  }

  /** What a restored page would need to know has changed. */
  get stateChanged(): ISignal<this, void> {
    return this._stateChanged;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.options.comparison.dispose();
      this.options.upkeep.dispose();
      this.model.dispose();
      super.dispose();
    }
  }

  protected override onActivateRequest(_msg: Message): void {
    this._awaited = this._tab === 'rows' && !this._grid;
    if (this._tab === 'rows') {
      this._grid?.activate();
    } else {
      this._pane.node.focus();
    }
  }

  private onChanged(): void {
    const { model, trans } = this.options;
    const { table, source } = model;
    if (table) {
      this.title.label = table.name;
      this.title.caption = table.full_name.join('.');
    }
    if (model.history && !tabsOf(model).includes(this._tab)) {
      this._tab = 'rows';
    }
    if (source && !this._grid) {
      this._grid = new PagedGrid(source, {
        trans,
        label: trans.__('Rows of %1', table?.full_name.join('.') ?? ''),
        exportName: table?.name
      });
      if (this.options.view && model.shown) {
        this.look(this.options.view);
      }
      (this.layout as PanelLayout).addWidget(this._grid);
      if (this._awaited) {
        this._grid.activate();
      }
    }
    const rows = this._tab === 'rows';
    this._grid?.setHidden(!rows || model.gone);
    this._pane.setHidden(rows && !model.gone);
    this._header.update();
    this._pane.update();
    this._stateChanged.emit();
  }

  private drawHeader(): JSX.Element {
    const { model, comparison, trans, name, query } = this.options;
    return (
      <Header
        model={model}
        trans={trans}
        name={name}
        tab={this._tab}
        onTab={tab => {
          this.tab = tab;
        }}
        onQuery={query && (() => query(model))}
        onLink={() => this.copyLink()}
        onVersions={(x, y) => this.openVersions(x, y)}
        onCompare={version => {
          const newest = model.history?.[0]?.version ?? version;
          this.tab = 'history';
          void comparison.compare(version, newest);
        }}
        onRestore={this.previewRestore}
      />
    );
  }

  private drawPane(): JSX.Element {
    const { model, comparison, upkeep, trans } = this.options;
    switch (model.gone ? 'rows' : this._tab) {
      case 'columns':
        return <ColumnsPane model={model} trans={trans} />;
      case 'history':
        return (
          <>
            <ComparisonPanel
              model={model}
              comparison={comparison}
              trans={trans}
              onRestore={
                upkeep.refusal
                  ? null
                  : version => void restoreTable(this.options, version)
              }
            />
            <HistoryPane
              model={model}
              trans={trans}
              onCompare={version =>
                void comparison.compareWithPrevious(version)
              }
              onRestore={this.previewRestore}
            />
          </>
        );
      case 'maintenance':
        return (
          <MaintenancePane
            model={model}
            upkeep={upkeep}
            trans={trans}
            onVacuum={() => void vacuumTable(this.options)}
          />
        );
      case 'about':
        return (
          <AboutPane
            model={model}
            trans={trans}
            onGive={
              model.table?.access === 'owner' && model.editable
                ? () => void giveTable(model, trans)
                : null
            }
          />
        );
      default:
        return <></>;
    }
  }

  /** Shows what going back to a version would change; null where the person may not go back. */
  private get previewRestore(): ((version: number) => void) | null {
    const { comparison, upkeep } = this.options;
    if (upkeep.refusal) {
      return null;
    }
    return version => {
      this.tab = 'history';
      void comparison.previewRestore(version);
    };
  }

  /** Shows rows in an order and under conditions. */
  look(view: ILinkView): void {
    const { sort, filters } = placedView(view, this.model.shown?.columns ?? []);
    const rows = this._grid?.model;
    if (filters.length) {
      rows?.setFilters(filters);
    }
    if (sort) {
      rows?.setSort(sort);
    }
  }

  private onStats(): void {
    this._pane.update();
  }

  private copyLink(): void {
    const { model, trans } = this.options;
    const { table, version, shown } = model;
    if (!table || !shown) {
      return;
    }
    const view = this._grid
      ? namedView(this._grid.model.view, shown.columns)
      : null;
    const link = { name: table.sql_name, version, view };
    Clipboard.copyToSystem(
      linkOf(new URL(this.options.base, location.href).href, link)
    );
    Notification.success(trans.__('The link is copied.'), { autoClose: 2000 });
  }

  private openVersions(x: number, y: number): void {
    const { model, trans } = this.options;
    const commands = new CommandRegistry();
    const menu = new Menu({ commands });
    const history = model.history ?? [];
    const shown = model.version ?? history[0]?.version;
    for (const entry of history.slice(0, LISTED)) {
      const id = `version-${entry.version}`;
      const parts = [ago(entry.timestamp), didOf(entry, trans), entry.user];
      commands.addCommand(id, {
        label: [trans.__('Version %1', entry.version), ...parts, rowsOf(entry)]
          .filter(Boolean)
          .join(' · '),
        isToggleable: true,
        isToggled: () => entry.version === shown,
        execute: () => void model.setVersion(entry.version)
      });
      menu.addItem({ command: id });
    }
    if (history.length > LISTED) {
      commands.addCommand('all', {
        label: trans.__('All Versions…'),
        execute: () => {
          this.tab = 'history';
        }
      });
      menu.addItem({ command: 'all' });
    }
    menu.aboutToClose.connect(() => {
      requestAnimationFrame(() => menu.dispose());
    });
    menu.open(x, y);
  }

  private _tab: TableTab;
  private _grid: PagedGrid | null = null;
  /** The page was asked for before its rows were there. */
  private _awaited = false;
  private readonly _header: Drawn;
  private readonly _pane: Drawn;
  private readonly _stateChanged = new Signal<this, void>(this);
}
