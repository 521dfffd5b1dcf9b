import type { TranslationBundle } from '@jupyterlab/translation';
import { BasicSelectionModel, DataGrid, RendererMap } from '@lumino/datagrid';
import { type Message, MessageLoop } from '@lumino/messaging';
import { type ISignal, Signal } from '@lumino/signaling';
import { BoxLayout, Widget } from '@lumino/widgets';

import { GridKeys, GridMouse, type IGridInput, type IPoint } from './input';
import { type IBlock, LOADING, type PagedModel } from './model';
import {
  BodyRenderer,
  HEADING_HEIGHT,
  HeadingRenderer,
  RowNumberRenderer,
  SPREAD_HEIGHT
} from './renderers';
import { isNumeric } from './rows';
import { gridHabits } from './settings';
import { specialOf } from './special';
import type { Summaries } from './summaries';
import { readTheme } from './theme';

const SAMPLED_ROWS = 40;
const WIDTHS = { least: 72, most: 320, padding: 26 };
const ROW_HEIGHT = 24;
const WRAPPED_HEIGHT = 72;
const SPOKEN = 200;

/** A cell by its row and the source's column. */
export interface ICellPlace {
  row: number;
  column: number;
}

/** What a painted grid is made of. */
export interface ICanvasOptions {
  model: PagedModel;
  summaries: Summaries;
  input: IGridInput;
  trans: TranslationBundle;
  /** What the grid shows, for those who hear it. */
  label: string;
}

/** Rows painted by Lumino's grid: it follows the theme and says where the cursor is. */
export class CanvasGrid extends Widget {
  constructor(private readonly options: ICanvasOptions) {
    super();
    const { label, model, summaries } = options;
    this.addClass('fc-Grid-canvas');
    this._grid = new DataGrid({
      defaultSizes: {
        rowHeight: ROW_HEIGHT,
        columnWidth: 110,
        rowHeaderWidth: 56,
        columnHeaderHeight: HEADING_HEIGHT
      },
      stretchLastColumn: false
    });
    this._grid.node.setAttribute('role', 'group');
    this._grid.node.setAttribute('aria-busy', 'true');
    this._grid.node.setAttribute('aria-label', label);
    this._spoken = document.createElement('div');
    this._spoken.className = 'fc-mod-unseen';
    this._spoken.setAttribute('role', 'status');
    this.node.append(this._spoken);
    const layout = new BoxLayout({ direction: 'top-to-bottom', spacing: 0 });
    this.layout = layout;
    layout.addWidget(this._grid);
    model.settled.connect(this.onSettled, this);
    model.layout.changed.connect(this.arrange, this);
    summaries.changed.connect(this.repaintHeadings, this);
    gridHabits.changed.connect(this.onHabits, this);
  }

  /** The cursor is elsewhere. */
  get moved(): ISignal<this, void> {
    return this._moved;
  }

  /** Where the cursor is; null while it is nowhere. */
  get cursor(): ICellPlace | null {
    const selection = this._grid.selectionModel;
    const row = selection?.cursorRow ?? -1;
    const column = this.model.columnAt('body', selection?.cursorColumn ?? -1);
    return row < 0 || column === null ? null : { row, column };
  }

  /** What is selected; null where nothing is. */
  get selected(): IBlock | null {
    const selection = this._grid.selectionModel?.currentSelection();
    if (!selection) {
      return null;
    }
    const { free, frozen } = this.model.layout;
    const { r1, r2, c1, c2 } = selection;
    const [first, last] = [Math.min(c1, c2), Math.max(c1, c2)];
    const whole = first === 0 && last === free.length - 1;
    return {
      rows: { first: Math.min(r1, r2), last: Math.max(r1, r2) },
      // The frozen columns are in no selection but that of whole rows.
      columns: [...(whole ? frozen : []), ...free.slice(first, last + 1)]
    };
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._watch?.disconnect();
    this._sized?.disconnect();
    gridHabits.changed.disconnect(this.onHabits, this);
    Signal.clearData(this);
    super.dispose();
  }

  /** Puts the cursor on a cell and brings it into sight. */
  select({ row, column }: ICellPlace): void {
    const at = Math.max(this.model.layout.free.indexOf(column), 0);
    this.choose({ row, column: at }, { row, column: at });
    this._grid.scrollToCell(row, at);
  }

  selectAll(): void {
    const last = {
      row: (this.model.total ?? 0) - 1,
      column: this.model.layout.free.length - 1
    };
    if (last.row >= 0) {
      this.choose({ row: 0, column: 0 }, last);
    }
  }

  /** Puts the cursor at an end of its row, or of all rows. */
  moveTo(end: 'first' | 'last', ofAll: boolean): void {
    const { free } = this.model.layout;
    const row = this.cursor?.row ?? 0;
    const rows = this.model.total ?? 0;
    if (rows) {
      this.select({
        row: ofAll ? (end === 'first' ? 0 : rows - 1) : row,
        column: end === 'first' ? free[0] : free[free.length - 1]
      });
    }
  }

  /** Where on the screen the heading of a column is, for a menu below it. */
  headingPlace(column: number): IPoint {
    const { free, frozen } = this.model.layout;
    const { left, top } = this._grid.viewport.node.getBoundingClientRect();
    const at = frozen.indexOf(column);
    const x =
      at >= 0
        ? this._grid.columnOffset('row-header', at + 1)
        : this._grid.headerWidth +
          this._grid.columnOffset('body', free.indexOf(column)) -
          this._grid.scrollX;
    return { x: left + x, y: top + this._grid.headerHeight };
  }

  /** Where on the screen a cell is, for a menu below it. */
  cellPlace({ row, column }: ICellPlace): IPoint {
    const { top } = this._grid.viewport.node.getBoundingClientRect();
    const { x } = this.headingPlace(column);
    const offset = this._grid.rowOffset('body', row) - this._grid.scrollY;
    return { x, y: top + this._grid.headerHeight + offset + ROW_HEIGHT };
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this.paint();
    this._watch ??= new MutationObserver(() => this.paint());
    this._watch.observe(document.body, {
      attributes: true,
      attributeFilter: ['data-jp-theme-name', 'data-jp-theme-light']
    });
    this._sized ??= new ResizeObserver(() => {
      MessageLoop.postMessage(this, Widget.ResizeMessage.UnknownSize);
    });
    this._sized.observe(this.node);
    if (!this._grid.dataModel) {
      this.connectGrid();
    }
  }

  protected override onBeforeDetach(msg: Message): void {
    this._watch?.disconnect();
    this._sized?.disconnect();
    super.onBeforeDetach(msg);
  }

  protected override onActivateRequest(_msg: Message): void {
    this._grid.activate();
  }

  private get model(): PagedModel {
    return this.options.model;
  }

  private connectGrid(): void {
    const { model, input } = this.options;
    this._grid.dataModel = model;
    this._grid.keyHandler = new GridKeys(input);
    this._grid.mouseHandler = new GridMouse(input);
    const selection = new BasicSelectionModel({ dataModel: model });
    selection.changed.connect(this.onCursor, this);
    this._grid.selectionModel = selection;
  }

  private choose(
    from: { row: number; column: number },
    to: { row: number; column: number }
  ): void {
    this._grid.selectionModel?.select({
      r1: from.row,
      c1: from.column,
      r2: to.row,
      c2: to.column,
      cursorRow: from.row,
      cursorColumn: from.column,
      clear: 'all'
    });
  }

  private onSettled(_: PagedModel, error: Error | null): void {
    this._grid.node.setAttribute('aria-busy', 'false');
    if (error) {
      return;
    }
    const key = this.model.columns
      .map(({ name, type }) => `${name}:${type}`)
      .join();
    if (this._fitted !== key) {
      this._fitted = key;
      this._widths = this.fittedWidths();
      this._placed = null;
      this.arrange();
    }
  }

  /** Gives each place of the grid the width of the column that is there now. */
  private arrange(): void {
    const { free, frozen } = this.model.layout;
    this.rememberWidths();
    free.forEach((column, at) => {
      this._grid.resizeColumn('body', at, this._widths.get(column) ?? 110);
    });
    frozen.forEach((column, at) => {
      this._grid.resizeColumn(
        'row-header',
        at + 1,
        this._widths.get(column) ?? 110
      );
    });
    const digits = String(this.model.total ?? 0).length;
    this._grid.resizeColumn('row-header', 0, Math.max(44, digits * 8 + 18));
    this._placed = { free, frozen };
    this.onHabits();
  }

  /** Keeps the widths a person gave the columns. */
  private rememberWidths(): void {
    this._placed?.free.forEach((column, at) => {
      const width = this._grid.columnSize('body', at);
      if (width > 0) {
        this._widths.set(column, width);
      }
    });
    this._placed?.frozen.forEach((column, at) => {
      const width = this._grid.columnSize('row-header', at + 1);
      if (width > 0) {
        this._widths.set(column, width);
      }
    });
  }

  private onHabits(): void {
    const { wraps } = this.model.layout;
    const spread = this.shows('spread');
    this._grid.defaultSizes = {
      ...this._grid.defaultSizes,
      rowHeight: wraps ? WRAPPED_HEIGHT : ROW_HEIGHT,
      columnHeaderHeight: HEADING_HEIGHT + (spread ? SPREAD_HEIGHT : 0)
    };
  }

  private shows(part: 'spread'): boolean {
    return gridHabits.value[part] && this.model.source.whole !== undefined;
  }

  /** The room each column's first values need. */
  private fittedWidths(): Map<number, number> {
    const widths = new Map<number, number>();
    const context = document.createElement('canvas').getContext('2d');
    if (!context) {
      return widths;
    }
    const theme = readTheme(this.node);
    const rows = Math.min(SAMPLED_ROWS, this.model.total ?? 0);
    this.model.columns.forEach(({ name, type }, column) => {
      context.font = theme.headingFont;
      let width = context.measureText(name).width + (isNumeric(type) ? 24 : 20);
      context.font = theme.typeFont;
      width = Math.max(width, Math.min(120, context.measureText(type).width));
      context.font = theme.font;
      for (let row = 0; row < rows; row += 1) {
        const value = this.model.value(row, column);
        if (typeof value === 'string') {
          width = Math.max(
            width,
            context.measureText(value.slice(0, 80)).width
          );
        }
      }
      const room = Math.ceil(width + WIDTHS.padding);
      widths.set(column, Math.min(WIDTHS.most, Math.max(WIDTHS.least, room)));
    });
    return widths;
  }

  private paint(): void {
    const { model, summaries } = this.options;
    const theme = readTheme(this.node);
    this._grid.style = theme.style;
    const body = new BodyRenderer(theme, model);
    const numbers = new RowNumberRenderer(theme, model);
    const heading = new HeadingRenderer(theme, {
      model,
      summaries,
      spread: () => this.shows('spread'),
      menus: true
    });
    this._grid.cellRenderers = new RendererMap({
      body,
      'row-header': ({ column }) => (column ? body : numbers),
      'column-header': heading,
      'corner-header': heading
    });
  }

  private repaintHeadings(): void {
    if (this.isAttached && this.shows('spread')) {
      // A grid paints a heading anew when its model says that it is another.
      this.model.emitHeadings();
    }
  }

  private onCursor(): void {
    const { trans } = this.options;
    const { cursor } = this;
    this._moved.emit();
    if (!cursor) {
      return;
    }
    const { name, type } = this.model.columns[cursor.column];
    const value = this.model.value(cursor.row, cursor.column);
    this._spoken.textContent = trans.__(
      'Row %1, %2: %3',
      cursor.row + 1,
      name,
      value === LOADING ? '…' : spoken(value, type, trans)
    );
  }

  private readonly _grid: DataGrid;
  private readonly _spoken: HTMLElement;
  private _watch: MutationObserver | null = null;
  private _sized: ResizeObserver | null = null;
  private _fitted: string | null = null;
  private _widths = new Map<number, number>();
  private _placed: {
    free: readonly number[];
    frozen: readonly number[];
  } | null = null;
  private readonly _moved = new Signal<this, void>(this);
}

/** A value in words: what is no ordinary text is named. */
export function spoken(
  value: string | null,
  type: string,
  trans: TranslationBundle
): string {
  switch (specialOf(value, type)) {
    case 'null':
      return trans.__('NULL');
    case 'empty':
      return trans.__('empty text');
    case 'nan':
      return trans.__('NaN, not a number');
    case 'infinite':
      return value === 'Infinity'
        ? trans.__('infinity')
        : trans.__('minus infinity');
    default:
      return (value as string).slice(0, SPOKEN);
  }
}
