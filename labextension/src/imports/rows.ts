import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import type { Cell, ImportPreview } from '../api/types';
import { text, textPage } from '../grid/format';
import { PagedExport } from '../grid/paged-export';
import type {
  IGridColumn,
  IPage,
  IPageRequest,
  IPageSource
} from '../grid/rows';

/** The first rows of files, as a preview has them. */
export class PreviewRows implements IPageSource {
  constructor(private readonly zone: string) {}

  /** A preview has only the first rows: another order would be one of theirs alone. */
  readonly sortable = false;

  /** Another preview is shown. */
  get changed(): ISignal<IPageSource, void> {
    return this._changed;
  }

  /** Shows a preview. */
  show(preview: ImportPreview): void {
    if (preview !== this._preview) {
      this._preview = preview;
      this._changed.emit();
    }
  }

  async page({ offset, limit }: IPageRequest): Promise<IPage> {
    const { columns = [], rows = [] } = this._preview ?? {};
    const shown = rows.slice(offset, offset + limit);
    return {
      columns: columns.map(({ name, type }) => ({ name, type })),
      length: shown.length,
      total: rows.length,
      cell: (row, column) =>
        cellText(shown[row][column], columns[column].type, this.zone)
    };
  }

  private _preview: ImportPreview | null = null;
  private readonly _changed = new Signal<IPageSource, void>(this);
}

const REJECT_COLUMNS: readonly IGridColumn[] = [
  { name: 'file', type: 'string' },
  { name: 'line', type: 'bigint' },
  { name: 'reason', type: 'string' },
  { name: 'text', type: 'string' }
];

/** The lines that a run rejected, a page at a time. */
export class RejectRows implements IPageSource {
  constructor(
    private readonly client: Pick<CatalogClient, 'rejects'>,
    private readonly run: number
  ) {}

  readonly sortable = false;

  async page({ offset, limit }: IPageRequest): Promise<IPage> {
    const page = await this.client.rejects(this.run, { offset, limit });
    return textPage(page, REJECT_COLUMNS, 'UTC');
  }

  /** The file is made here, of all pages. */
  readonly files = new PagedExport(this, REJECT_COLUMNS);
}

const INSTANT =
  /^(-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?$/;

/** A value of a preview's JSON in the spelling that grids have for its type. */
export function cellText(
  value: Cell,
  type: string,
  zone: string
): string | null {
  if (value === null || value === undefined) {
    return null;
  }
  if (typeof value === 'object') {
    return JSON.stringify(value);
  }
  const whole = typeof value === 'number' && Number.isInteger(value);
  if (whole && /^(float|double)/i.test(type)) {
    return `${Object.is(value, -0) ? '-0' : value}.0`;
  }
  if (typeof value === 'string' && /^timestamp/i.test(type)) {
    return instantText(value, type, zone) ?? value;
  }
  return String(value);
}

function instantText(value: string, type: string, zone: string): string | null {
  const [, clock, fraction = '', offset = 'Z'] = INSTANT.exec(value) ?? [];
  const millis = clock ? Date.parse(`${clock}${offset}`) : NaN;
  if (Number.isNaN(millis)) {
    return null;
  }
  const micros = BigInt(millis) * 1000n + BigInt(fraction.padEnd(6, '0'));
  const kind = /^timestamp_ntz/i.test(type) ? 'timestamp_ntz' : 'timestamp';
  return text(micros, kind, zone);
}
