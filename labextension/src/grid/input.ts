import {
  BasicKeyHandler,
  BasicMouseHandler,
  type DataGrid
} from '@lumino/datagrid';
import { Platform } from '@lumino/domutils';

import { HEADING_HEIGHT, MENU_WIDTH } from './renderers';

/** A place on the screen. */
export interface IPoint {
  x: number;
  y: number;
}

/** What the handlers tell the grid they serve; columns are the source's. */
export interface IGridInput {
  /** A heading was clicked, not dragged. */
  heading(column: number): void;
  /** A heading's menu was asked for. */
  columnMenu(column: number, at: IPoint): void;
  /** The menu of cells was asked for; `column` is null beside the columns. */
  cellMenu(column: number | null, at: IPoint): void;
  /** A cell was to be looked at closely. */
  openCell(): void;
  /** Copying was asked for. */
  copy(): void;
  /** The cursor's heading menu, or the cells' menu, was asked for by a key. */
  keyMenu(of: 'column' | 'cell'): void;
  /** The cursor goes to an end of its row, or of all rows. */
  moveTo(end: 'first' | 'last', ofAll: boolean): void;
  selectAll(): void;
  /** The source's column at a place of the grid. */
  columnAt(hit: DataGrid.HitTestResult): number | null;
}

const CLICK_DISTANCE = 4;

/** Lumino's mouse, and clicks on headings. */
export class GridMouse extends BasicMouseHandler {
  constructor(private readonly input: IGridInput) {
    super();
  }

  override onMouseDown(grid: DataGrid, event: MouseEvent): void {
    super.onMouseDown(grid, event);
    const hit = grid.hitTest(event.clientX, event.clientY);
    const resizing = this._pressData?.type !== 'select';
    const column = this.input.columnAt(hit);
    this._pressed =
      isHeading(hit) && column !== null && !resizing && event.button === 0
        ? { column, hit, x: event.clientX, y: event.clientY }
        : null;
  }

  override onMouseUp(grid: DataGrid, event: MouseEvent): void {
    super.onMouseUp(grid, event);
    const pressed = this._pressed;
    this._pressed = null;
    if (
      !pressed ||
      event.shiftKey ||
      Platform.accelKey(event) ||
      Math.abs(event.clientX - pressed.x) >= CLICK_DISTANCE ||
      Math.abs(event.clientY - pressed.y) >= CLICK_DISTANCE
    ) {
      return;
    }
    const { hit, column } = pressed;
    if (hit.width - hit.x < MENU_WIDTH && hit.y < HEADING_HEIGHT) {
      this.input.columnMenu(column, { x: event.clientX, y: event.clientY });
    } else {
      this.input.heading(column);
    }
  }

  override onMouseDoubleClick(grid: DataGrid, event: MouseEvent): void {
    super.onMouseDoubleClick(grid, event);
    const { region } = grid.hitTest(event.clientX, event.clientY);
    if (region === 'body' || region === 'row-header') {
      this.input.openCell();
    }
  }

  override onContextMenu(grid: DataGrid, event: MouseEvent): void {
    const hit = grid.hitTest(event.clientX, event.clientY);
    const at = { x: event.clientX, y: event.clientY };
    const column = this.input.columnAt(hit);
    event.preventDefault();
    event.stopPropagation();
    if (isHeading(hit) && column !== null) {
      this.input.columnMenu(column, at);
    } else {
      this.input.cellMenu(column, at);
    }
  }

  private _pressed: {
    column: number;
    hit: DataGrid.HitTestResult;
    x: number;
    y: number;
  } | null = null;
}

/** Lumino's keys, with a copy that waits for rows not loaded yet, and menus. */
export class GridKeys extends BasicKeyHandler {
  constructor(private readonly input: IGridInput) {
    super();
  }

  override onKeyDown(grid: DataGrid, event: KeyboardEvent): void {
    const act = this.actOf(event);
    if (act) {
      event.preventDefault();
      event.stopPropagation();
      act();
    } else if (event.key !== 'Tab') {
      // Tab leaves the grid, as it leaves any other field.
      super.onKeyDown(grid, event);
    }
  }

  private actOf(event: KeyboardEvent): (() => void) | null {
    const { input } = this;
    const accel = Platform.accelKey(event);
    switch (event.key) {
      case 'c':
      case 'C':
        return accel ? () => input.copy() : null;
      case 'a':
      case 'A':
        return accel ? () => input.selectAll() : null;
      case 'Home':
        return () => input.moveTo('first', accel);
      case 'End':
        return () => input.moveTo('last', accel);
      case 'Enter':
      case ' ':
        return accel || event.shiftKey ? null : () => input.openCell();
      case 'ContextMenu':
        return () => input.keyMenu('cell');
      case 'F10':
        return event.shiftKey ? () => input.keyMenu('cell') : null;
      case 'ArrowDown':
        return event.altKey ? () => input.keyMenu('column') : null;
      default:
        return null;
    }
  }
}

function isHeading({ region }: DataGrid.HitTestResult): boolean {
  return region === 'column-header' || region === 'corner-header';
}
