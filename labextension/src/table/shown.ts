import type { Column, TableReply } from '../api/types';

/** A table as it is, or as it was at a version. */
export interface IShown {
  /** Null: now. */
  version: number | null;
  columns: Column[];
  rowCount: number | null;
  /** Known of now only. */
  sizeBytes: number | null;
  /** Known of now only. */
  files: number | null;
}

/** A table as it is. */
export function now(table: TableReply): IShown {
  return {
    version: null,
    columns: table.columns,
    rowCount: table.row_count,
    sizeBytes: table.size_bytes,
    files: table.files
  };
}
