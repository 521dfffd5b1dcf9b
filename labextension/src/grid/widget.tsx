import { Clipboard } from '@jupyterlab/apputils';
import {
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import type { DataGrid } from '@lumino/datagrid';
import type { Message } from '@lumino/messaging';
import { BoxLayout, SplitPanel, Widget } from '@lumino/widgets';
import * as React from 'react';

import { isPassing, messageOf } from '../api/errors';
import { Band } from '../parts/band-widget';
import { Drawn } from '../parts/drawn';
import { type MenuEntry, openMenu } from '../parts/menu-widget';

import { GridBar } from './bar';
import { CanvasGrid } from './canvas-widget';
import { copied, type CopyForm } from './copy';
import { exporter } from './export-widget';
import { GridFinder } from './find-widget';
import type { IGridInput, IPoint } from './input';
import {
  cellEntries,
  columnEntries,
  hiddenEntries,
  type IGridMenuActs
} from './menu-widget';
import { LOADING, PagedModel } from './model';
import { RecordPane } from './pane';
import { PLAIN_ROWS, PlainTable } from './plain';
import { GridPopups } from './popups-widget';
import type { ICondition, IPageSource } from './rows';
import { makeFindable } from './search';
import { gridHabits } from './settings';
import { Summaries } from './summaries';

const MAX_COPIED_ROWS = 100_000;

/** How a grid is to be. */
export interface IPagedGridOptions {
  /** The words; English without. */
  trans?: TranslationBundle;
  /** What the grid shows, for those who hear it. */
  label?: string;
  /** What an exported file is called; without it the grid offers no export. */
  exportName?: string;
}

/**
 * The grid of the extension: any number of rows, a page at a time, values exactly as stored. It
 * sorts, filters and finds over all rows, sums columns up, shows one row as a record, and copies
 * what is selected. It is painted, or a plain table where a person wants one.
 */
export class PagedGrid extends Widget implements IGridInput, IGridMenuActs {
  constructor(source: IPageSource, options: IPagedGridOptions = {}) {
    super();
    this._trans = options.trans ?? nullTranslator.load('flowcat_jupyter');
    this._label = options.label ?? this._trans.__('Rows');
    this._exportName = options.exportName;
    this.addClass('fc-Grid');
    this.model = new PagedModel(source);
    this._summaries = new Summaries(this.model);
    this._canvas = new CanvasGrid({
      model: this.model,
      summaries: this._summaries,
      input: this,
      trans: this._trans,
      label: this._label
    });
    this._bar = new Drawn(() => this.drawBar());
    this._bar.addClass('fc-Grid-bar');
    this._plain = new Drawn(() => this.drawPlain());
    this._plain.addClass('fc-Grid-plain');
    this._record = new RecordPane({
      model: this.model,
      canvas: this._canvas,
      trans: this._trans,
      closed: () => this.onRecordClosed()
    });
    this._popups = new GridPopups({
      model: this.model,
      summaries: this._summaries,
      trans: this._trans,
      replace: (old, now) => this.replace(old, now),
      closed: () => this.refocus()
    });
    this.node.append(this._band.node);
    const split = new SplitPanel({ orientation: 'horizontal', spacing: 1 });
    split.addWidget(this._canvas);
    split.addWidget(this._plain);
    split.addWidget(this._record);
    split.setRelativeSizes([3, 3, 1]);
    const layout = new BoxLayout({ direction: 'top-to-bottom', spacing: 0 });
    this.layout = layout;
    layout.addWidget(this._bar);
    layout.addWidget(split);
    BoxLayout.setStretch(split, 1);
    this.model.settled.connect(this.onSettled, this);
    this.model.arrived.connect(this.redraw, this);
    this.model.layout.changed.connect(this.redraw, this);
    gridHabits.changed.connect(this.redraw, this);
    makeFindable(
      this.node,
      new GridFinder({
        model: this.model,
        canvas: this._canvas,
        tell: message => this.tell(message),
        found: row => {
          this._first = Math.floor(row / PLAIN_ROWS) * PLAIN_ROWS;
          this.redraw();
        }
      })
    );
    this.redraw();
  }

  /** The rows. */
  readonly model: PagedModel;

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    gridHabits.changed.disconnect(this.redraw, this);
    this._summaries.dispose();
    this.model.dispose();
    super.dispose();
  }

  columnAt({ region, column }: DataGrid.HitTestResult): number | null {
    return region === 'void' ? null : this.model.columnAt(region, column);
  }

  /** Sorts by a column: rising, then falling, then not at all. */
  heading(column: number): void {
    if (!this.model.sortable) {
      return;
    }
    const sort = this.model.sort;
    if (sort?.column !== column) {
      this.model.setSort({ column, desc: false });
    } else {
      this.model.setSort(sort.desc ? null : { column, desc: true });
    }
  }

  columnMenu(column: number, at: IPoint): void {
    this.open(columnEntries(this.model, column, this._trans, this), at);
  }

  cellMenu(column: number | null, at: IPoint): void {
    const place = this._canvas.cursor;
    const value = place && this.model.value(place.row, place.column);
    const cell =
      place && column !== null && value !== LOADING
        ? { column: place.column, value }
        : null;
    this.open(cellEntries(this.model, cell, this._trans, this), at);
  }

  keyMenu(of: 'column' | 'cell'): void {
    const place = this._canvas.cursor;
    const column = place?.column ?? this.model.layout.shown[0];
    if (column === undefined) {
      return;
    }
    if (of === 'column' || !place) {
      this.columnMenu(column, this._canvas.headingPlace(column));
    } else {
      this.cellMenu(column, this._canvas.cellPlace(place));
    }
  }

  openCell(): void {
    this.record();
  }

  moveTo(end: 'first' | 'last', ofAll: boolean): void {
    this._canvas.moveTo(end, ofAll);
  }

  selectAll(): void {
    this._canvas.selectAll();
  }

  /** Copies what is selected; rows not loaded yet are fetched first. */
  copy(form: CopyForm = 'tsv', headings = false): void {
    const block = this._canvas.selected;
    if (!block) {
      return;
    }
    if (block.rows.last - block.rows.first >= MAX_COPIED_ROWS) {
      this.tell(
        this._trans.__(
          'At most %1 rows can be copied at once. Select fewer rows, or export them all.',
          MAX_COPIED_ROWS.toLocaleString('en')
        )
      );
      return;
    }
    const columns = block.columns.map(column => this.model.columns[column]);
    this.model.block(block).then(
      rows => Clipboard.copyToSystem(copied({ columns, rows }, form, headings)),
      (reason: unknown) => this.tell(messageOf(reason))
    );
  }

  filter(column: number, byValues: boolean): void {
    this._popups.filter({
      column,
      given: null,
      byValues,
      at: this._canvas.headingPlace(column)
    });
  }

  summary(column: number): void {
    this._popups.summary(column, this._canvas.headingPlace(column), value =>
      this.only(value, column, false)
    );
  }

  only(value: string | null, column: number, not: boolean): void {
    const condition: ICondition =
      value === null
        ? { column, op: not ? 'not_null' : 'is_null' }
        : { column, op: not ? 'not_in' : 'in', values: [value] };
    this.replace(null, condition);
  }

  /** Shows a row as a record, by default the one at the cursor. */
  record(row?: number): void {
    this._record.open(row);
    this._bar.update();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    if (!this._loaded) {
      this._loaded = true;
      this.model.load();
    }
  }

  protected override onActivateRequest(_msg: Message): void {
    this.refocus();
  }

  /** Opens a menu; the focus comes back, unless something the menu opened has it. */
  private open(entries: readonly MenuEntry[], at: IPoint): void {
    openMenu(entries, at, () => {
      if (document.activeElement === document.body) {
        this.refocus();
      }
    });
  }

  private refocus(): void {
    if (this.isDisposed) {
      return;
    }
    if (this._plain.isHidden) {
      this._canvas.activate();
    } else {
      this._plain.node.querySelector<HTMLElement>('.fc-Plain')?.focus();
    }
  }

  /** Puts a condition in the place of another; null takes it away. */
  private replace(old: ICondition | null, now: ICondition | null): void {
    const { filters } = this.model;
    const kept = filters.filter(filter => filter !== old);
    this._first = 0;
    this.model.setFilters(now ? [...kept, now] : kept);
  }

  private redraw(): void {
    const plain = gridHabits.value.plain;
    this._canvas.setHidden(plain);
    this._plain.setHidden(!plain);
    this._bar.update();
    if (plain) {
      this._plain.update();
    }
    if (!this._record.isHidden) {
      this._record.update();
    }
  }

  private toggleRecord(): void {
    if (this._record.isHidden) {
      this.record();
    } else {
      this._record.hide();
      this.onRecordClosed();
    }
  }

  private onRecordClosed(): void {
    this._bar.update();
    this.refocus();
  }

  private onSettled(_: PagedModel, error: Error | null): void {
    if (error) {
      const again = () => this.model.retry();
      this.tell(messageOf(error), isPassing(error) ? again : undefined);
      this.redraw();
      return;
    }
    this._band.clear();
    const total = this.model.total ?? 0;
    if (!total) {
      this.tell(
        this.model.filters.length
          ? this._trans.__('No row fulfils these conditions.')
          : this._trans.__('No rows')
      );
    }
    this._first = Math.min(this._first, Math.max(0, total - 1));
    this.redraw();
  }

  private drawBar(): JSX.Element {
    const { model, _trans: trans, _popups: popups } = this;
    return (
      <GridBar
        model={model}
        trans={trans}
        habits={gridHabits.value}
        record={!this._record.isHidden}
        onEdit={(given, at) =>
          popups.filter({ column: given.column, given, byValues: false, at })
        }
        onAdd={at =>
          this.open(
            model.columns.map(({ name }, column) => ({
              label: name,
              run: () =>
                popups.filter({ column, given: null, byValues: false, at })
            })),
            at
          )
        }
        onRemove={condition => this.replace(condition, null)}
        onClear={() => model.setFilters([])}
        onColumns={at => this.open(hiddenEntries(model, trans), at)}
        onRecord={() => this.toggleRecord()}
        onHabits={part => gridHabits.choose(part)}
        onExport={exporter(model, trans, this._exportName)}
      />
    );
  }

  private drawPlain(): JSX.Element {
    return (
      <PlainTable
        model={this.model}
        trans={this._trans}
        label={this._label}
        first={this._first}
        onFirst={row => {
          this._first = row;
          this._plain.update();
        }}
        onSort={column => this.heading(column)}
        onMenu={(column, at) => this.columnMenu(column, at)}
        onRecord={row => this.record(row)}
      />
    );
  }

  private tell(message: string, again?: () => void): void {
    const { _trans: trans, model } = this;
    const offers: [string, () => void][] = [];
    if (again) {
      offers.push([trans.__('Try Again'), again]);
    }
    if (model.filters.length) {
      offers.push([
        trans.__('Remove the Conditions'),
        () => model.setFilters([])
      ]);
    }
    this._band.say(message, offers);
  }

  private readonly _trans: TranslationBundle;
  private readonly _label: string;
  private readonly _exportName: string | undefined;
  private readonly _summaries: Summaries;
  private readonly _canvas: CanvasGrid;
  private readonly _bar: Drawn;
  private readonly _plain: Drawn;
  private readonly _record: RecordPane;
  private readonly _band = new Band();
  private readonly _popups: GridPopups;
  private _loaded = false;
  private _first = 0;
}
