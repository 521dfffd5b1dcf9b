import { CatalogError } from '../../src/api/errors';
import type { SqlRequest } from '../../src/api/types';
import { FileModel, FIRST_ROWS, type IFileClient } from '../../src/files/model';
import { column } from '../helpers';
import { FakeServer } from '../imports/server';

/** A server with one file. */
class Files extends FakeServer {
  readonly asked: SqlRequest[] = [];
  sql: string | null = 'parquet.`/data/a.parquet`';
  refused: CatalogError | null = null;

  fileSql = async () => this.sql;
  runSql = async (request: SqlRequest) => {
    this.asked.push(request);
    if (this.refused) {
      throw this.refused;
    }
    const row_count = request.max_rows ?? 250_000;
    return {
      query_id: request.query_id,
      statement: 'SELECT',
      columns: [column('a')],
      rows: null,
      row_count,
      truncated: request.max_rows !== null,
      affected_rows: null,
      written: null,
      changed: true,
      current: null,
      note: null,
      execution_time_ms: 1,
      engine: 'polars',
      used_tables: [],
      warnings: []
    };
  };
}

async function loaded(files: Files) {
  const client = files as unknown as IFileClient;
  const model = new FileModel(client, 'a.parquet', 'UTC');
  await model.load();
  return model;
}

const refusal = (condition: string) =>
  new CatalogError(400, { code: 'SqlError', message: 'No.', condition });

describe('a file that is looked at', () => {
  it('is read by SQL where SQL can, the first rows of it', async () => {
    const files = new Files();
    const model = await loaded(files);
    expect(files.asked[0]).toMatchObject({
      query: 'SELECT * FROM parquet.`/data/a.parquet`',
      max_rows: FIRST_ROWS
    });
    expect(model.shown).toMatchObject({ rows: FIRST_ROWS, more: true });
    await model.load(true);
    expect(model.shown).toMatchObject({ rows: 250_000, more: false });
  });

  it('is read as an import would, where SQL cannot', async () => {
    const files = new Files();
    files.sql = null;
    files.seen = { rows_read: 80 };
    const model = await loaded(files);
    expect(model.shown).toMatchObject({ rows: 1, more: true, sql: null });
    expect(files.looked).toEqual([{ paths: ['a.parquet'] }]);
  });

  it('is read as an import would, for whom SQL may not read it', async () => {
    const files = new Files();
    files.refused = refusal('INSUFFICIENT_PERMISSIONS');
    expect((await loaded(files)).shown?.sql).toBeNull();
  });

  it('says why it cannot be read', async () => {
    const files = new Files();
    files.refused = refusal('FILE_READ_FAILED');
    const model = await loaded(files);
    expect(model.error).toBe('No.');
    expect(model.shown).toBeNull();
  });
});
