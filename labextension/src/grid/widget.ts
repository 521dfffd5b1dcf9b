import { Clipboard } from '@jupyterlab/apputils';
import {
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { BasicSelectionModel, DataGrid, RendererMap } from '@lumino/datagrid';
import { type Message, MessageLoop } from '@lumino/messaging';
import { BoxLayout, Menu, Widget } from '@lumino/widgets';

import { GridKeys, GridMouse, type IGridInput } from './input';
import { LOADING, PagedModel } from './model';
import { BodyRenderer, HeadingRenderer, RowNumberRenderer } from './renderers';
import { isNumeric, type IPageSource } from './rows';
import { readTheme } from './theme';

const MAX_COPIED_ROWS = 100_000;
const SAMPLED_ROWS = 40;
const WIDTHS = { least: 64, most: 320, padding: 26 };

/** How a grid is to be. */
export interface IPagedGridOptions {
  /** The words; English without. */
  trans?: TranslationBundle;
  /** What the grid shows, for those who hear it. */
  label?: string;
}

/**
 * The grid of the extension: any number of rows, a page at a time, values exactly as stored. It
 * follows the theme, sorts by its headings and copies what is selected.
 */
export class PagedGrid extends Widget implements IGridInput {
  constructor(source: IPageSource, options: IPagedGridOptions = {}) {
    super();
    this._trans = options.trans ?? nullTranslator.load('flowcat_jupyter');
    this.addClass('fc-Grid');
    this.model = new PagedModel(source);
    this._grid = new DataGrid({
      defaultSizes: {
        rowHeight: 24,
        columnWidth: 110,
        rowHeaderWidth: 56,
        columnHeaderHeight: 42
      },
      stretchLastColumn: false
    });
    this._grid.node.setAttribute('role', 'group');
    this._grid.node.setAttribute('aria-busy', 'true');
    this._grid.node.setAttribute(
      'aria-label',
      options.label ?? this._trans.__('Rows')
    );
    this._band = document.createElement('div');
    this._band.className = 'fc-Grid-band';
    this._band.hidden = true;
    this._spoken = document.createElement('div');
    this._spoken.className = 'fc-Grid-spoken';
    this._spoken.setAttribute('role', 'status');
    this.node.append(this._band, this._spoken);
    const layout = new BoxLayout({ direction: 'top-to-bottom', spacing: 0 });
    this.layout = layout;
    layout.addWidget(this._grid);
    this.model.settled.connect(this.onSettled, this);
  }

  /** The rows. */
  readonly model: PagedModel;

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._watch?.disconnect();
    this._sized?.disconnect();
    this.model.dispose();
    super.dispose();
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

  /** Copies what is selected; rows not loaded yet are fetched first. */
  copy(headings = false): void {
    const selection = this._grid.selectionModel?.currentSelection();
    if (!selection) {
      return;
    }
    const { r1, r2, c1, c2 } = selection;
    const first = Math.min(r1, r2);
    const last = Math.max(r1, r2);
    if (last - first >= MAX_COPIED_ROWS) {
      this.tell(
        this._trans.__(
          'At most %1 rows can be copied at once. Select fewer rows.',
          MAX_COPIED_ROWS.toLocaleString('en')
        )
      );
      return;
    }
    const columns = { first: Math.min(c1, c2), last: Math.max(c1, c2) };
    this.model.copy({ first, last }, columns, headings).then(
      text => Clipboard.copyToSystem(text),
      (reason: unknown) =>
        this.tell(reason instanceof Error ? reason.message : String(reason))
    );
  }

  menu(column: number | null, row: number | null, event: MouseEvent): void {
    const commands = new CommandRegistry();
    const menu = new Menu({ commands });
    const add = (id: string, label: string, execute: () => void) => {
      commands.addCommand(id, { label, execute });
      menu.addItem({ command: id });
    };
    if (column !== null && this.model.sortable) {
      const sort = (desc: boolean) => () =>
        this.model.setSort({ column, desc });
      add('ascending', this._trans.__('Sort Ascending'), sort(false));
      add('descending', this._trans.__('Sort Descending'), sort(true));
      if (this.model.sort) {
        add('unsorted', this._trans.__('Original Order'), () =>
          this.model.setSort(null)
        );
      }
      menu.addItem({ type: 'separator' });
    }
    if (row !== null) {
      add('copy', this._trans.__('Copy'), () => this.copy());
      add('copy-headings', this._trans.__('Copy with Headings'), () =>
        this.copy(true)
      );
    }
    if (column !== null) {
      const name = this.model.columns[column].name;
      add('copy-name', this._trans.__('Copy Column Name'), () =>
        Clipboard.copyToSystem(name)
      );
    }
    menu.aboutToClose.connect(() => {
      requestAnimationFrame(() => menu.dispose());
    });
    menu.open(event.clientX, event.clientY);
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
      this._grid.dataModel = this.model;
      this._grid.keyHandler = new GridKeys(this);
      this._grid.mouseHandler = new GridMouse(this);
      const selection = new BasicSelectionModel({ dataModel: this.model });
      selection.changed.connect(this.say, this);
      this._grid.selectionModel = selection;
      this.model.load();
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

  private onSettled(_: PagedModel, error: Error | null): void {
    this._grid.node.setAttribute('aria-busy', 'false');
    if (error) {
      this.tell(error.message, () => this.model.retry());
      return;
    }
    this._band.hidden = true;
    const { total, columns } = this.model;
    if (total === 0) {
      this.tell(this._trans.__('No rows'));
    }
    const key = columns.map(({ name, type }) => `${name}:${type}`).join();
    if (this._fitted !== key) {
      this._fitted = key;
      this.fitColumns();
    }
  }

  /** Gives each column the room its first values need. */
  private fitColumns(): void {
    const context = document.createElement('canvas').getContext('2d');
    if (!context) {
      return;
    }
    const theme = readTheme(this.node);
    const rows = Math.min(SAMPLED_ROWS, this.model.total ?? 0);
    this.model.columns.forEach(({ name, type }, column) => {
      context.font = theme.headingFont;
      let width = context.measureText(name).width + (isNumeric(type) ? 12 : 8);
      context.font = theme.typeFont;
      width = Math.max(width, Math.min(120, context.measureText(type).width));
      context.font = theme.font;
      for (let row = 0; row < rows; row += 1) {
        const value = this.model.data('body', row, column);
        if (typeof value === 'string') {
          width = Math.max(
            width,
            context.measureText(value.slice(0, 80)).width
          );
        }
      }
      const room = Math.ceil(width + WIDTHS.padding);
      this._grid.resizeColumn(
        'body',
        column,
        Math.min(WIDTHS.most, Math.max(WIDTHS.least, room))
      );
    });
    const digits = String(this.model.total ?? 0).length;
    this._grid.resizeColumn('row-header', 0, Math.max(44, digits * 8 + 18));
  }

  private paint(): void {
    const theme = readTheme(this.node);
    this._grid.style = theme.style;
    this._grid.cellRenderers = new RendererMap({
      body: new BodyRenderer(theme),
      'row-header': new RowNumberRenderer(theme),
      'column-header': new HeadingRenderer(theme, this.model)
    });
  }

  /** Says the cell the cursor is on, for a canvas says nothing by itself. */
  private say(): void {
    const selection = this._grid.selectionModel;
    const row = selection?.cursorRow ?? -1;
    const column = selection?.cursorColumn ?? -1;
    const name = this.model.columns[column]?.name;
    if (row < 0 || name === undefined) {
      return;
    }
    const value = this.model.data('body', row, column);
    const said =
      value === null ? 'NULL' : value === LOADING ? '…' : String(value);
    this._spoken.textContent = this._trans.__(
      'Row %1, %2: %3',
      row + 1,
      name,
      said.slice(0, 200)
    );
  }

  private tell(message: string, again?: () => void): void {
    this._band.replaceChildren(document.createTextNode(message));
    if (again) {
      const button = document.createElement('button');
      button.className = 'jp-mod-styled jp-mod-reject';
      button.textContent = this._trans.__('Try Again');
      button.addEventListener('click', () => {
        this._band.hidden = true;
        again();
      });
      this._band.append(button);
    }
    this._band.hidden = false;
  }

  private readonly _grid: DataGrid;
  private readonly _band: HTMLElement;
  private readonly _spoken: HTMLElement;
  private readonly _trans: TranslationBundle;
  private _watch: MutationObserver | null = null;
  private _sized: ResizeObserver | null = null;
  private _fitted: string | null = null;
}
