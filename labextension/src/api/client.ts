import {
  ARROW,
  Connection,
  type IArrowPage,
  type IRowsQuery
} from './connection';
import type {
  ChangesReply,
  CompleteReply,
  CompleteRequest,
  DiffReply,
  DroppedList,
  DropReply,
  EditList,
  ExplainReply,
  ExplainRequest,
  FileSqlReply,
  ForgottenReply,
  HistoryReply,
  ImportPreview,
  ImportPreviewRequest,
  ImportRequest,
  NamespaceCreate,
  Node,
  NodeList,
  ObjectPatch,
  PageReply,
  RegisterTable,
  ResultStatus,
  RunList,
  RunReply,
  SavedQueryCreate,
  SavedQueryList,
  SavedQueryPatch,
  SavedQueryReply,
  SearchReply,
  SqlReply,
  SqlRequest,
  StatusReply,
  TablePatch,
  TableReply,
  UpkeepReply,
  UploadReply,
  ViewReply
} from './types';

/** The largest part of a file sent at once. */
export const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * The HTTP interface of the catalog. Every method rejects with {@link CatalogError}.
 */
export class CatalogClient extends Connection {
  status(): Promise<StatusReply> {
    return this.json('catalog/status');
  }

  /** Catalogs (no parent), schemas of a catalog, or tables and views of a schema. */
  tree(
    parent: number | null,
    options: { limit?: number; after?: string | null; q?: string } = {}
  ): Promise<NodeList> {
    return this.json('catalog/namespaces/tree', {
      query: { parent, ...options }
    });
  }

  search(
    q: string,
    options: { limit?: number; signal?: AbortSignal } = {}
  ): Promise<SearchReply> {
    const { limit, signal } = options;
    return this.json('catalog/search', { query: { q, limit }, signal });
  }

  createNamespace(json: NamespaceCreate): Promise<Node> {
    return this.json('catalog/namespaces', { method: 'POST', json });
  }

  patchNamespace(id: number, json: ObjectPatch): Promise<Node> {
    return this.json(`catalog/namespaces/${id}`, { method: 'PATCH', json });
  }

  async dropNamespace(id: number, cascade: boolean): Promise<void> {
    await this.request(`catalog/namespaces/${id}`, {
      method: 'DELETE',
      query: { cascade }
    });
  }

  table(id: number): Promise<TableReply> {
    return this.json(`catalog/tables/${id}`);
  }

  resolve(name: string): Promise<TableReply> {
    return this.json('catalog/tables/resolve', { query: { name } });
  }

  patchTable(id: number, json: TablePatch): Promise<TableReply> {
    return this.json(`catalog/tables/${id}`, { method: 'PATCH', json });
  }

  dropTable(id: number): Promise<DropReply> {
    return this.json(`catalog/tables/${id}`, { method: 'DELETE' });
  }

  view(id: number): Promise<ViewReply> {
    return this.json(`catalog/views/${id}`);
  }

  patchView(id: number, json: ObjectPatch): Promise<ViewReply> {
    return this.json(`catalog/views/${id}`, { method: 'PATCH', json });
  }

  async dropView(id: number): Promise<void> {
    await this.request(`catalog/views/${id}`, { method: 'DELETE' });
  }

  dropped(): Promise<DroppedList> {
    return this.json('catalog/tables/dropped');
  }

  undrop(droppedId: number): Promise<TableReply> {
    return this.json(`catalog/tables/dropped/${droppedId}/undrop`, {
      method: 'POST',
      json: {}
    });
  }

  register(json: RegisterTable): Promise<TableReply> {
    return this.json('catalog/tables/register', { method: 'POST', json });
  }

  history(id: number, limit = 200): Promise<HistoryReply> {
    return this.json(`catalog/tables/${id}/history`, { query: { limit } });
  }

  /** Who changed what is said of a table, newest first. */
  tableEdits(id: number): Promise<EditList> {
    return this.json(`catalog/tables/${id}/edits`);
  }

  /** In what a version of a table differs from another. */
  tableDiff(
    id: number,
    versions: { from: number; to: number },
    signal?: AbortSignal
  ): Promise<DiffReply> {
    return this.json(`catalog/tables/${id}/diff`, { query: versions, signal });
  }

  /** Makes a version of a table the newest again. */
  restoreTable(
    id: number,
    version: number,
    signal?: AbortSignal
  ): Promise<UpkeepReply> {
    return this.json(`catalog/tables/${id}/restore`, {
      method: 'POST',
      json: { version },
      signal
    });
  }

  /** Puts small files of a table together. */
  optimizeTable(id: number, signal?: AbortSignal): Promise<UpkeepReply> {
    return this.json(`catalog/tables/${id}/optimize`, {
      method: 'POST',
      json: {},
      signal
    });
  }

  /** Removes a table's files that only old versions need, or tells which. */
  vacuumTable(
    id: number,
    json: { dry_run: boolean },
    signal?: AbortSignal
  ): Promise<UpkeepReply> {
    return this.json(`catalog/tables/${id}/vacuum`, {
      method: 'POST',
      json,
      signal
    });
  }

  /** Rows of a table for a grid: what a browser cannot hold exactly comes as text. */
  tableRows(id: number, rows: IRowsQuery): Promise<IArrowPage> {
    return this.arrow(`catalog/tables/${id}/preview`, rows);
  }

  /** Rows of a table as JSON, which names the columns of a version by their own types. */
  tablePage(id: number, rows: IRowsQuery): Promise<PageReply> {
    return this.json(`catalog/tables/${id}/preview`, {
      query: { ...rows, desc: null }
    });
  }

  upload(name: string): Promise<UploadReply> {
    return this.json('catalog/uploads', {
      method: 'POST',
      query: { name },
      json: {}
    });
  }

  uploadChunk(
    id: string,
    offset: number,
    body: Blob,
    signal?: AbortSignal
  ): Promise<UploadReply> {
    return this.json(`catalog/uploads/${id}`, {
      method: 'PUT',
      query: { offset },
      body,
      signal
    });
  }

  async dropUpload(id: string): Promise<void> {
    await this.request(`catalog/uploads/${id}`, { method: 'DELETE' });
  }

  importPreview(
    json: ImportPreviewRequest,
    signal?: AbortSignal
  ): Promise<ImportPreview> {
    return this.json('catalog/tables/import/preview', {
      method: 'POST',
      json,
      signal
    });
  }

  startImport(json: ImportRequest): Promise<RunReply> {
    return this.json('catalog/tables/import', { method: 'POST', json });
  }

  /** Forgets how files of these paths, or uploads of these names, were read. */
  forgetImport(source: {
    path?: readonly string[];
    name?: readonly string[];
  }): Promise<ForgottenReply> {
    return this.json('catalog/tables/import/remembered', {
      method: 'DELETE',
      query: source
    });
  }

  /** The lines that a run rejected: file, line, reason and text. */
  rejects(runId: number, rows: IRowsQuery): Promise<IArrowPage> {
    return this.arrow(`catalog/runs/${runId}/rejects`, rows);
  }

  /** How SQL reads a file or folder where it is; null where it cannot. */
  async fileSql(path: string): Promise<string | null> {
    const reply = await this.json<FileSqlReply>('catalog/files/sql', {
      query: { path }
    });
    return reply.sql;
  }

  runs(options: { limit?: number; active?: boolean } = {}): Promise<RunList> {
    const { limit, active } = options;
    return this.json('catalog/runs', {
      query: { limit, active: active ? 1 : null }
    });
  }

  run(id: number): Promise<RunReply> {
    return this.json(`catalog/runs/${id}`);
  }

  cancelRun(id: number): Promise<RunReply> {
    return this.json(`catalog/runs/${id}/cancel`, { method: 'POST', json: {} });
  }

  /** Begins to import the demo's tables that are not there; the runs it takes. */
  loadDemo(): Promise<RunList> {
    return this.json('catalog/demo', { method: 'POST', json: {} });
  }

  async removeDemo(): Promise<void> {
    await this.request('catalog/demo', { method: 'DELETE' });
  }

  /**
   * Runs statements whose result is to be paged through with {@link sqlRows} while it is kept: the
   * rows sent along are not waited for.
   */
  async runSql(json: SqlRequest, signal?: AbortSignal): Promise<SqlReply> {
    const response = await this.request('catalog/sql/execute', {
      method: 'POST',
      json,
      accept: ARROW,
      signal
    });
    await response.body?.cancel();
    return this.sqlEnvelope(json.query_id);
  }

  sqlEnvelope(queryId: string): Promise<SqlReply> {
    return this.json(`catalog/sql/${queryId}`);
  }

  /** How far a query is that was sent and has not answered yet. */
  sqlStatus(queryId: string): Promise<ResultStatus> {
    return this.json(`catalog/sql/${queryId}/status`);
  }

  sqlRows(queryId: string, rows: IRowsQuery): Promise<IArrowPage> {
    return this.arrow(`catalog/sql/${queryId}/rows`, rows);
  }

  /** Cancels a query, queued or running; doing it twice is harmless. */
  async cancelSql(queryId: string): Promise<void> {
    await this.request(`catalog/sql/${queryId}`, { method: 'DELETE' });
  }

  /** A page of the person's saved queries, by name. */
  savedQueries(after: string | null): Promise<SavedQueryList> {
    return this.json('catalog/queries', { query: { after } });
  }

  saveQuery(json: SavedQueryCreate): Promise<SavedQueryReply> {
    return this.json('catalog/queries', { method: 'POST', json });
  }

  changeQuery(id: number, json: SavedQueryPatch): Promise<SavedQueryReply> {
    return this.json(`catalog/queries/${id}`, { method: 'PATCH', json });
  }

  async dropQuery(id: number): Promise<void> {
    await this.request(`catalog/queries/${id}`, { method: 'DELETE' });
  }

  explain(json: ExplainRequest): Promise<ExplainReply> {
    return this.json('catalog/sql/explain', { method: 'POST', json });
  }

  complete(
    json: CompleteRequest,
    signal?: AbortSignal
  ): Promise<CompleteReply> {
    return this.json('catalog/sql/complete', { method: 'POST', json, signal });
  }

  /** Waits up to `wait` seconds for changes after `after`. */
  changes(
    after: number,
    wait: number,
    signal?: AbortSignal
  ): Promise<ChangesReply> {
    return this.json('catalog/changes', { query: { after, wait }, signal });
  }
}
