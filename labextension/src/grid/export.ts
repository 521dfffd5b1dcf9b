import type { ExportFormat } from '../api/types';

/** In what form rows are to be exported, and as what. */
export interface IExportWish {
  format: ExportFormat;
  /** Whether a spreadsheet is kept from computing text that looks like a formula. */
  formulaSafe: boolean;
  /** The file's name, without its ending. */
  name: string;
}

/** How much of a file has arrived; `total` is null until it is known. */
export interface IExportProgress {
  bytes: number;
  total: number | null;
}

/** A file of rows. */
export interface IExported {
  blob: Blob;
  name: string;
  rows: number;
  /** How many there are, where not all of them are in it. */
  of?: number;
}

const ENDINGS: Record<ExportFormat, string> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  parquet: 'parquet',
  arrow: 'arrow',
  xlsx: 'xlsx',
  markdown: 'md'
};

/** Reads a file as it arrives; a signal given to its request stops it. */
export async function received(
  response: Response,
  { format, name }: IExportWish,
  tell: (progress: IExportProgress) => void
): Promise<IExported> {
  const length = response.headers.get('Content-Length');
  const rows = Number(response.headers.get('X-Flowcat-Rows'));
  const total = length === null ? null : Number(length);
  const parts: BlobPart[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    parts.push(value);
    bytes += value.byteLength;
    tell({ bytes, total });
  }
  const type = response.headers.get('Content-Type') ?? '';
  return {
    blob: new Blob(parts, { type }),
    name: fileName(name, format),
    rows
  };
}

/** A file's name with the ending of its form. */
export function fileName(name: string, format: ExportFormat): string {
  return `${name}.${ENDINGS[format]}`;
}
