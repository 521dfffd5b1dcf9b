import type { ExportFormat } from '../api/types';

import { copied } from './copy';
import {
  fileName,
  type IExported,
  type IExportProgress,
  type IExportWish
} from './export';
import { isNumeric } from './rows';
import type { IExportable, IGridColumn, IPageSource, IView } from './rows';

/** Where a file that a browser makes in its memory ends. */
export interface IBounds {
  rows: number;
  characters: number;
}

const BOUNDS: IBounds = { rows: 100_000, characters: 50_000_000 };
const PAGE = 1000;
/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

type Line = readonly (string | null)[];

/** Rows as a file made here, a page after the other; a long one ends early and says so. */
export class PagedExport implements IExportable {
  constructor(
    private readonly source: Pick<IPageSource, 'page'>,
    private readonly columns: readonly IGridColumn[],
    private readonly bounds = BOUNDS
  ) {}

  readonly forms: readonly ExportFormat[] = ['csv', 'tsv', 'json', 'ndjson'];

  async export(
    view: IView,
    wish: IExportWish,
    tell: (progress: IExportProgress) => void,
    signal: AbortSignal
  ): Promise<IExported> {
    const rows: Line[] = [];
    let characters = 0;
    let total: number;
    do {
      const page = await this.source.page({
        ...view,
        offset: rows.length,
        limit: Math.min(PAGE, this.bounds.rows - rows.length)
      });
      if (signal.aborted) {
        throw new DOMException('Cancelled.', 'AbortError');
      }
      total = page.length ? page.total : rows.length;
      for (let row = 0; row < page.length; row += 1) {
        const line = this.columns.map((_, column) => page.cell(row, column));
        characters += line.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
        rows.push(line);
        if (characters >= this.bounds.characters) {
          break;
        }
      }
      tell({ bytes: characters, total: null });
    } while (
      rows.length < Math.min(total, this.bounds.rows) &&
      characters < this.bounds.characters
    );
    return {
      blob: new Blob([this.written(rows, wish)]),
      name: fileName(wish.name, wish.format),
      rows: rows.length,
      ...(rows.length < total ? { of: total } : {})
    };
  }

  private written(rows: readonly Line[], wish: IExportWish): string {
    const { columns } = this;
    const { format, formulaSafe } = wish;
    if (format === 'csv' || format === 'tsv') {
      const safe = formulaSafe ? rows.map(row => this.disarmed(row)) : rows;
      return `${copied({ columns, rows: safe }, format, true)}\n`;
    }
    const objects = rows.map(row => this.object(row));
    return format === 'ndjson'
      ? objects.map(text => `${text}\n`).join('')
      : `[\n${objects.join(',\n')}\n]\n`;
  }

  /** A line of which a spreadsheet computes nothing. */
  private disarmed(row: Line): Line {
    return row.map((cell, at) =>
      cell !== null && !isNumeric(this.columns[at].type) && FORMULA.test(cell)
        ? `'${cell}`
        : cell
    );
  }

  private object(row: Line): string {
    const members = this.columns.map(({ name, type }, at) => {
      const cell = row[at];
      const value =
        cell !== null && isNumeric(type) && /^-?\d/.test(cell)
          ? cell
          : JSON.stringify(cell);
      return `${JSON.stringify(name)}:${value}`;
    });
    return `{${members.join(',')}}`;
  }
}
