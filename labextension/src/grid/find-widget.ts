import { messageOf } from '../api/errors';

import type { CanvasGrid } from './canvas-widget';
import type { PagedModel } from './model';
import type { IFound } from './rows';
import type { IFindable, IGridSearch } from './search';

const NOWHERE: IFound = { row: null, column: null, matches: 0 };

/** What a search through a grid needs of it. */
export interface IGridFinderOptions {
  model: PagedModel;
  canvas: CanvasGrid;
  tell(message: string): void;
  /** A row was found and is to be seen. */
  found(row: number): void;
}

/** Finds text in all rows of a grid, and shows where it is. */
export class GridFinder implements IFindable {
  constructor(private readonly options: IGridFinderOptions) {}

  get cursorText(): string {
    const { model, canvas } = this.options;
    const place = canvas.cursor;
    const value = place && model.value(place.row, place.column);
    return typeof value === 'string' && !/[\n\r]/.test(value) ? value : '';
  }

  async find(search: IGridSearch, from: 'start' | 'cursor'): Promise<IFound> {
    const { model, canvas, tell } = this.options;
    const { whole } = model.source;
    if (!whole) {
      return NOWHERE;
    }
    const after = from === 'start' ? -1 : (canvas.cursor?.row ?? -1);
    try {
      return await whole.find(model.view, { ...search, after });
    } catch (reason) {
      tell(messageOf(reason));
      return NOWHERE;
    }
  }

  reveal({ row, column }: IFound): void {
    const { model, canvas, found } = this.options;
    if (row === null) {
      return;
    }
    if (column !== null && model.layout.hidden.includes(column)) {
      model.layout.show(column);
    }
    canvas.select({ row, column: column ?? 0 });
    found(row);
  }
}
