import {
  BasicKeyHandler,
  BasicMouseHandler,
  type DataGrid
} from '@lumino/datagrid';
import { Platform } from '@lumino/domutils';

/** What the handlers tell the grid they serve. */
export interface IGridInput {
  /** A heading was clicked, not dragged. */
  heading(column: number): void;
  /** A menu was asked for; `column` is null beside the columns. */
  menu(column: number | null, row: number | null, event: MouseEvent): void;
  /** Copying was asked for. */
  copy(): void;
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
    this._pressed =
      hit.region === 'column-header' && !resizing && event.button === 0
        ? { column: hit.column, x: event.clientX, y: event.clientY }
        : null;
  }

  override onMouseUp(grid: DataGrid, event: MouseEvent): void {
    super.onMouseUp(grid, event);
    const pressed = this._pressed;
    this._pressed = null;
    if (
      pressed &&
      !event.shiftKey &&
      !Platform.accelKey(event) &&
      Math.abs(event.clientX - pressed.x) < CLICK_DISTANCE &&
      Math.abs(event.clientY - pressed.y) < CLICK_DISTANCE
    ) {
      this.input.heading(pressed.column);
    }
  }

  override onContextMenu(grid: DataGrid, event: MouseEvent): void {
    const hit = grid.hitTest(event.clientX, event.clientY);
    const onColumn = hit.region === 'body' || hit.region === 'column-header';
    event.preventDefault();
    event.stopPropagation();
    this.input.menu(
      onColumn ? hit.column : null,
      hit.region === 'body' ? hit.row : null,
      event
    );
  }

  private _pressed: { column: number; x: number; y: number } | null = null;
}

/** Lumino's keys, with a copy that waits for rows not loaded yet. */
export class GridKeys extends BasicKeyHandler {
  constructor(private readonly input: IGridInput) {
    super();
  }

  override onKeyDown(grid: DataGrid, event: KeyboardEvent): void {
    if (Platform.accelKey(event) && event.key.toLowerCase() === 'c') {
      event.preventDefault();
      event.stopPropagation();
      this.input.copy();
      return;
    }
    super.onKeyDown(grid, event);
  }
}
