import type { IDisposable } from '@lumino/disposable';
import { UUID } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { CatalogError, messageOf } from '../api/errors';
import type { ImportPreview } from '../api/types';
import type { IPageSource } from '../grid/rows';
import { PreviewRows } from '../imports/rows';
import { type IResultClient, ResultSource } from '../sql/source';

/** What the preview of a file needs of the client; tests pass a fake. */
export type IFileClient = IResultClient &
  Pick<CatalogClient, 'fileSql' | 'runSql' | 'importPreview'>;

/** How many rows of a file are sorted, filtered and searched before all are asked for. */
export const FIRST_ROWS = 100_000;

/** The rows of a file, and how much of the file they are. */
export interface IFileRows {
  source: IPageSource;
  /** How many rows there are to look at. */
  rows: number;
  /** Whether the file has more of them. */
  more: boolean;
  /** How SQL reads the file; null where the rows are a preview's. */
  sql: string | null;
  /** What a preview found out; null where SQL reads the file. */
  preview: ImportPreview | null;
}

/** A file or folder that is looked at where it is, without being imported. */
export class FileModel implements IDisposable {
  constructor(
    private readonly client: IFileClient,
    readonly path: string,
    private readonly zone: string
  ) {}

  /** What is shown; null until it is there. */
  get shown(): IFileRows | null {
    return this._shown;
  }

  get loading(): boolean {
    return this._loading;
  }

  /** Why it cannot be shown. */
  get error(): string | null {
    return this._error;
  }

  /** Something to show has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    Signal.clearData(this);
  }

  /** Reads it anew; with `all`, every row of it can be sorted and searched. */
  async load(all = false): Promise<void> {
    const turn = (this._turn += 1);
    this._loading = true;
    this.emit();
    let shown: IFileRows | null = null;
    let error: string | null = null;
    try {
      const sql = await this.client.fileSql(this.path);
      shown = (sql && (await this.query(sql, all))) || (await this.peek());
    } catch (reason) {
      error = messageOf(reason);
    }
    if (turn === this._turn) {
      this._loading = false;
      this._shown = shown;
      this._error = error;
      this.emit();
    }
  }

  /** The rows by SQL; null for a person who may not read files with it. */
  private async query(sql: string, all: boolean): Promise<IFileRows | null> {
    const query_id = UUID.uuid4();
    try {
      const reply = await this.client.runSql({
        query: `SELECT * FROM ${sql}`,
        query_id,
        max_rows: all ? null : FIRST_ROWS
      });
      const { columns, row_count, truncated } = reply;
      return {
        source: new ResultSource(this.client, query_id, columns, this.zone),
        rows: row_count,
        more: truncated,
        sql,
        preview: null
      };
    } catch (reason) {
      const forbidden =
        reason instanceof CatalogError &&
        reason.reply.condition === 'INSUFFICIENT_PERMISSIONS';
      if (forbidden) {
        return null;
      }
      throw reason;
    }
  }

  /** The first rows, as an import would read them. */
  private async peek(): Promise<IFileRows> {
    const preview = await this.client.importPreview({ paths: [this.path] });
    const source = new PreviewRows(this.zone);
    source.show(preview);
    const rows = preview.rows.length;
    return {
      source,
      rows,
      more: rows < preview.rows_read,
      sql: null,
      preview
    };
  }

  private emit(): void {
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private _shown: IFileRows | null = null;
  private _loading = false;
  private _error: string | null = null;
  private _turn = 0;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}
