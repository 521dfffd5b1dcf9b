/**
 * Made by `make openapi` from the server's models: do not edit.
 * Times are ISO 8601 strings; types are Spark DDL strings.
 */

/** Any value JSON can carry. */
export type Cell =
  string | number | boolean | null | Cell[] | { [key: string]: Cell };

export type Access = 'owner' | 'manage' | 'use' | 'browse';

export type NodeKind = 'catalog' | 'schema' | 'table' | 'view';

export type TableType = 'managed' | 'external';

export type ImportMode = 'error' | 'append' | 'overwrite' | 'upsert';

export type WriteMode =
  'overwrite' | 'error' | 'append' | 'upsert' | 'update' | 'delete';

export type ChartAggregate =
  'count' | 'sum' | 'avg' | 'min' | 'max' | 'median' | 'none';

export type ChartMark = 'bar' | 'line' | 'area' | 'point' | 'histogram';

export type ExportFormat =
  'csv' | 'tsv' | 'json' | 'ndjson' | 'parquet' | 'arrow' | 'xlsx' | 'markdown';

export type FilterOp =
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'contains'
  | 'starts_with'
  | 'is_null'
  | 'not_null'
  | 'is_nan'
  | 'in'
  | 'not_in';

export type RunState =
  | 'queued'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'timed_out'
  | 'cancelled'
  | 'lost';

/** Something in the catalog changed. */
export interface Change {
  seq: number;
  kind: string;
  object_id: number;
  object_kind: string;
  parent_id: number | null;
  name: string;
  at: string;
}

/** Changes after a sequence number; ``seq`` is where to go on from. */
export interface ChangesReply {
  seq: number;
  items: Change[];
  /** too far behind: reload everything */
  reset: boolean;
}

/** A column; ``type`` is a Spark DDL string. */
export interface Column {
  name: string;
  type: string;
  nullable: boolean;
  comment: string | null;
}

/** What every failed request answers. */
export interface ErrorReply {
  code: string;
  message: string;
  condition?: string | null;
  sqlstate?: string | null;
  /** 1-based line in the text that was sent */
  line?: number | null;
  /** 1-based column in that line */
  column?: number | null;
  hint?: string | null;
}

/** How the server's catalog is doing; answered even when it could not start. */
export interface StatusReply {
  state: 'starting' | 'upgrading' | 'ready' | 'failed';
  message: string | null;
  /** what whoever runs the server should know */
  notices: string[];
  version: string;
  protocol: number;
  session_timezone: string;
  default_catalog: string;
  default_schema: string;
  demo_loaded: boolean;
  demo_available: boolean;
  active_runs: number;
  seq: number;
  /** what SQL can run on here */
  engines: string[];
  /** what runs SQL where nobody says */
  default_engine: string;
  /** the size a result, or a frame sent, may have */
  result_max_bytes: number;
}

/** A catalog (no parent) or a schema (parent is a catalog's id). */
export interface NamespaceCreate {
  name: string;
  parent_id?: number | null;
  description?: string | null;
}

/** One row of the catalog tree. */
export interface Node {
  id: number;
  uuid: string;
  kind: NodeKind;
  name: string;
  full_name: string[];
  /** the name as SQL text, quoted where it must be */
  sql_name: string;
  description: string | null;
  /** null on an ancestor shown for its name only */
  access: Access | null;
  child_count: number | null;
  row_count: number | null;
  table_type: TableType | null;
  broken: string | null;
  data_version: number | null;
  updated_at: string;
}

/** A page of the tree; ``after`` is the cursor of the next page, null on the last. */
export interface NodeList {
  items: Node[];
  total: number;
  after: string | null;
}

/** What may change of a namespace; absent keys stay. */
export interface ObjectPatch {
  name?: string | null;
  description?: string | null;
  parent_id?: number | null;
}

/** A node that matched, why, and the columns of it that matched or whose comment did. */
export interface SearchHit {
  node: Node;
  columns: Column[];
  matched: SearchMatch[];
}

/** Why something was found. */
export interface SearchMatch {
  field: 'name' | 'column' | 'comment' | 'tag';
  /** what matched; of a long comment the part that did */
  text: string;
  /** the column it is of; null on the object's own */
  column: string | null;
}

/** The best matches, and how many there are in all. */
export interface SearchReply {
  items: SearchHit[];
  total: number;
}

/** Everything by kind and name. */
export interface ExtensionList {
  items: ExtensionReply[];
  total: number;
}

/** One thing that goes by a name, and where it comes from. */
export interface ExtensionReply {
  kind: 'engine' | 'format' | 'data source';
  name: string;
  /** module:attribute */
  target: string;
  /** the package it comes from */
  distribution: string;
  /** that package's version */
  version: string;
  /** installed: no worker could say whether it can be loaded */
  state: 'built in' | 'installed' | 'loaded' | 'failed';
  /** why it has failed */
  reason: string | null;
}

/** How the files were found to be written: an option's value, and why. */
export interface Detected {
  option: string;
  value: string;
  reason: string;
}

/** How the columns of files and table differ. */
export interface Drift {
  added: DriftColumn[];
  missing: DriftColumn[];
  changed: DriftChange[];
}

/** A column whose type differs: ``from`` the table's ``to`` the files'. */
export interface DriftChange {
  name: string;
  from: string;
  to: string;
}

/** A column that only the files, or only the table, have. */
export interface DriftColumn {
  name: string;
  type: string;
}

/** How SQL reads a file or folder where it is; null where it cannot. */
export interface FileSqlReply {
  sql: string | null;
}

/** How many sources were forgotten. */
export interface ForgottenReply {
  forgotten: number;
}

/** A file that an import reads. */
export interface ImportFile {
  name: string;
  size_bytes: number;
}

/** What an import would make of its files. ``notes`` are those ``warnings`` that ``rejects`` do not tell already. ``choices`` has what a person may pick for each option, nothing for free text. ``remembered``: the source's last import was the starting point. */
export interface ImportPreview {
  format: string;
  options: Record<string, string>;
  columns: ProposedColumn[];
  rows: Cell[][];
  rows_read: number;
  warnings: string[];
  notes: string[];
  files: ImportFile[];
  rejected: number;
  rejects: Reject[];
  detected: Detected[];
  choices: Record<string, string[]>;
  drift: Drift | null;
  remembered: boolean;
}

/** What to look at before an import; ``table`` to see how its columns differ. */
export interface ImportPreviewRequest {
  /** a file, folder or pattern */
  path?: string | null;
  /** files, folders or patterns: one table */
  paths?: string[] | null;
  upload_id?: string | null;
  /** several uploads: one table */
  upload_ids?: string[] | null;
  format?: string | null;
  options?: Record<string, string>;
  /** column name to Spark DDL type, overriding */
  types?: Record<string, string>;
  /** begin with the options and types of the source's last import */
  use_remembered?: boolean;
  table?: string | null;
  mode?: ImportMode | null;
}

/** Files to ingest: paths under the Jupyter root, or uploads. */
export interface ImportRequest {
  /** a file, folder or pattern */
  path?: string | null;
  /** files, folders or patterns: one table */
  paths?: string[] | null;
  upload_id?: string | null;
  /** several uploads: one table */
  upload_ids?: string[] | null;
  format?: string | null;
  options?: Record<string, string>;
  /** column name to Spark DDL type, overriding */
  types?: Record<string, string>;
  /** begin with the options and types of the source's last import */
  use_remembered?: boolean;
  table: string;
  mode?: ImportMode;
  /** of upsert: the columns that match rows */
  merge_keys?: string[];
  /** append or upsert although columns differ from the table's */
  accept_drift?: boolean;
  /** keep format, options and types for the source's next import */
  remember?: boolean;
}

/** A proposed type and why. */
export interface ProposedColumn {
  name: string;
  type: string;
  reason: string;
  examples: string[];
}

/** A line that would become no row. */
export interface Reject {
  file: string;
  line: number;
  reason: string;
  text: string;
}

/** The Delta version the kernel committed. */
export interface CommitRequest {
  version: number;
}

/** A Delta folder a kernel wrote under the shared root, to be taken into the catalog. */
export interface FromDataRequest {
  table: string;
  location: string;
  catalog?: string | null;
  schema?: string | null;
  description?: string | null;
}

/** A ``path`` the kernel may scan at ``version``, or a ``stream`` to fetch (``href``). */
export interface ReadReply {
  kind: 'path' | 'stream';
  table: TableReply;
  location: string | null;
  href: string | null;
  format: string;
  version: number | null;
}

/** A table a kernel wants to read, at a version or the latest. */
export interface ReadRequest {
  table: string;
  catalog?: string | null;
  schema?: string | null;
  version?: number | null;
  timestamp?: string | null;
}

/** A kernel's wish to write; ``columns`` is the frame's schema. */
export interface WriteRequest {
  table: string;
  mode: WriteMode;
  columns: Record<string, Cell>[];
  catalog?: string | null;
  schema?: string | null;
  merge_keys?: string[];
  partition_by?: string[];
  description?: string | null;
  origin?: Record<string, string>;
}

/** Where, from which version and how the kernel may commit. */
export interface WriteTicket {
  write_id: string;
  table: string[];
  sql_name: string;
  location: string;
  /** null: the table is to be created */
  base_version: number | null;
  mode: WriteMode;
  columns: Column[] | null;
  partition_by: string[];
  merge_keys: string[];
  expires_at: string;
}

/** A column that is not the same in both; null where a version has it not. */
export interface DiffColumn {
  before: Column | null;
  after: Column | null;
}

/** In what two versions of a table differ. */
export interface DiffReply {
  before: DiffSide;
  after: DiffSide;
  columns: DiffColumn[];
  settings: DiffSetting[];
  /** the columns that rows are compared by */
  compared: Column[];
  /** columns of both whose types cannot be compared */
  left_out: string[];
  /** rows only after; null: no column can be compared */
  added: number | null;
  removed: number | null;
  /** some of these rows, a hundred at most */
  sample: DiffRow[];
}

/** A row that one version has ``count`` times more than the other. */
export interface DiffRow {
  change: 'added' | 'removed';
  count: number;
  /** as the grid shows them; null is NULL */
  values: (string | null)[];
  /** it may be what became of the row that is listed before it */
  beside: boolean;
}

/** A property that is not the same in both; null where a version has it not. */
export interface DiffSetting {
  name: string;
  before: string | null;
  after: string | null;
}

/** One of the two versions, and how much it holds. */
export interface DiffSide {
  version: number;
  row_count: number | null;
  files: number;
}

/** How files are put together. */
export interface OptimizeRequest {
  /** columns to sort along, if any */
  order_by?: string[];
}

/** The version to go back to. */
export interface RestoreRequest {
  version: number;
}

/** What was done to a table, or in a dry run would be. */
export interface UpkeepReply {
  action: 'restore' | 'optimize' | 'vacuum';
  changed: boolean;
  dry_run: boolean;
  /** what was done, in words */
  note: string | null;
  /** restoring it undoes a restore */
  version_before: number | null;
  version: number | null;
  files_removed: number;
  files_added: number;
  bytes_freed: number;
  table: TableReply;
}

/** Which files are removed. */
export interface VacuumRequest {
  /** how old a version must be to lose its files; null: a week */
  retain_hours?: number | null;
  /** only tell what would go */
  dry_run?: boolean;
}

/** A query to keep; it is not run. */
export interface SavedQueryCreate {
  name: string;
  text: string;
  catalog?: string | null;
  schema?: string | null;
  dialect?: string | null;
  /** how its result is drawn */
  chart?: Record<string, Cell> | null;
}

/** A page of saved queries, by name. */
export interface SavedQueryList {
  items: SavedQueryReply[];
  total: number;
  after: string | null;
}

/** What may change of a saved query; absent keys stay. */
export interface SavedQueryPatch {
  name?: string | null;
  text?: string | null;
  catalog?: string | null;
  schema?: string | null;
  dialect?: string | null;
  chart?: Record<string, Cell> | null;
}

/** A saved query. */
export interface SavedQueryReply {
  id: number;
  name: string;
  text: string;
  catalog: string | null;
  schema: string | null;
  dialect: string | null;
  chart: Record<string, Cell> | null;
  created_at: string;
  updated_at: string;
}

/** The whole of one value as text; null is NULL. */
export interface CellReply {
  value: string | null;
  type: string;
  bytes: number;
}

/** What is drawn. */
export interface ChartChoice {
  mark: ChartMark;
  x: string | null;
  y: string | null;
  colour: string | null;
  aggregate: ChartAggregate;
}

/** A Vega-Lite 5 specification with its data, of bounded size. */
export interface ChartReply {
  chosen: ChartChoice;
  spec: Record<string, Cell>;
  /** rows that were looked at */
  rows: number;
  /** not all of them are drawn; the warnings say why */
  cut: boolean;
  warnings: string[];
}

/** What to draw; what is null the server chooses by the columns' types. */
export interface ChartRequest {
  mark?: ChartMark | null;
  /** a result's column by index, a table's by name */
  x?: string | null;
  y?: string | null;
  colour?: string | null;
  aggregate?: ChartAggregate | null;
}

/** What a column holds. Values are exact texts as the grid shows them. */
export interface ColumnSummary {
  name: string;
  type: string;
  rows: number;
  nulls: number;
  nans: number;
  /** how often the empty text is there */
  empty: number;
  /** values other than NULL */
  distinct: number | null;
  /** false: distinct is an estimate */
  distinct_exact: boolean;
  min: string | null;
  max: string | null;
  mean: string | null;
  std: string | null;
  /** by 0.05, 0.25, 0.5, 0.75 and 0.95 */
  quantiles: Record<string, string> | null;
  histogram: HistogramBin[];
  /** the most frequent, at most 20 */
  top: TopValue[];
  /** of a boolean column */
  true_count: number | null;
}

/** A condition of the argument ``filter``, which is a JSON list of these: all must hold. */
export interface FilterTerm {
  /** a result's column by index, a table's by name */
  column: number | string;
  op: FilterOp;
  /** text, read as the column's type */
  value?: string | null;
  /** of in and not_in */
  values?: (string | null)[] | null;
}

/** Where a text is shown next; row and column are null when it is nowhere. */
export interface FindReply {
  /** counted from 0 in the filtered and sorted rows */
  row: number | null;
  column: number | null;
  /** how many rows show it */
  matches: number;
}

/** Values from ``from`` up to, but not including, ``to``; the last bin includes it. */
export interface HistogramBin {
  from: string;
  to: string;
  count: number;
}

/** How far a query is. */
export interface ResultStatus {
  state: 'queued' | 'running' | 'done';
  /** place in the queue, 1 being next */
  position: number | null;
  elapsed_ms: number;
  rows: number | null;
  message: string | null;
}

/** A value and how often it is there; null is NULL. */
export interface TopValue {
  value: string | null;
  count: number;
}

/** How far a run is. */
export interface Progress {
  done: number;
  total: number | null;
  unit: string;
  message: string | null;
}

/** A page of runs, newest first. */
export interface RunList {
  items: RunReply[];
  total: number;
  after: string | null;
}

/** A background run. */
export interface RunReply {
  id: number;
  kind: string;
  title: string;
  state: RunState;
  progress: Progress | null;
  attempt: number;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  result: Record<string, Cell> | null;
  error: ErrorReply | null;
  origin: Record<string, string>;
}

/** An upload in progress; chunks go to ``PUT uploads/{upload_id}?offset=``. */
export interface UploadReply {
  upload_id: string;
  received: number;
}

/** Proposals for the text between ``start`` and ``end``. */
export interface CompleteReply {
  start: number;
  end: number;
  items: Completion[];
}

/** Text and a cursor (offset in UTF-16 units, as editors count). */
export interface CompleteRequest {
  text: string;
  position: number;
  session?: string | null;
  catalog?: string | null;
  schema?: string | null;
}

/** One proposal; ``insert`` is already quoted. */
export interface Completion {
  label: string;
  insert: string;
  kind: 'column' | 'table' | 'schema' | 'catalog' | 'function' | 'keyword';
  detail: string | null;
}

/** Where names of fewer parts are looked for from now on. */
export interface CurrentSchema {
  catalog: string;
  schema: string;
}

/** How a query would run: as lines of text, and the same in parts. */
export interface ExplainReply {
  engine: string;
  /** Why this engine. */
  reason: string;
  lines: string[];
  used_tables: UsedTable[];
  sources: ExplainSource[];
  steps: ExplainStep[];
}

/** A query to explain, not to run. */
export interface ExplainRequest {
  query: string;
  session?: string | null;
  catalog?: string | null;
  schema?: string | null;
  dialect?: string | null;
  engine?: string | null;
  params?: Record<string, Cell>;
  /** frame ids by name, for FROM :name */
  frames?: Record<string, string>;
}

/** How a source is read, and how much of it; what was skipped cannot hold a wanted row. */
export interface ExplainSource {
  name: string;
  format: string;
  version: number | null;
  /** By which way it is read, in plain words. */
  route: string;
  files: number | null;
  files_skipped: number;
  rows: number | null;
  rows_skipped: number | null;
  /** The columns that are named, or taken by a star. */
  columns: string[];
  columns_total: number;
}

/** A step; deeper ones are done before it. */
export interface ExplainStep {
  depth: number;
  text: string;
}

/** A frame that was sent; it is its sender's alone and expires as results do. */
export interface FrameReply {
  frame_id: string;
  columns: Column[];
  row_count: number;
}

/** Where the rows of a result lie, for who is asking from the server's own machine. The file is an Arrow IPC file, is gone when the result expires, and is not to be changed. */
export interface ResultFile {
  path: string;
  /** the file's device, number, size and time of change */
  identity: string;
  result: SqlReply;
}

/** The envelope of a result; ``rows`` only in the JSON answer. */
export interface SqlReply {
  query_id: string;
  /** SELECT, SHOW, DESCRIBE, EXPLAIN … */
  statement: string;
  columns: Column[];
  rows: Cell[][] | null;
  row_count: number;
  truncated: boolean;
  /** how many rows were written in all */
  affected_rows: number | null;
  written: WrittenRows | null;
  /** what USE made so: to be sent with what is asked next */
  current: CurrentSchema | null;
  /** what was done, where rows do not tell it */
  note: string | null;
  /** false: what was asked for was there already */
  changed: boolean;
  /** true: `written` is what would be written */
  dry_run: boolean;
  /** in which instants are to be shown */
  time_zone: string;
  execution_time_ms: number;
  engine: string | null;
  used_tables: UsedTable[];
  warnings: string[];
}

/** Statements to run; see docs/reference/http.md. */
export interface SqlRequest {
  query: string;
  /** a UUID of the client's making */
  query_id: string;
  /** an id of the client's making, shared by texts of one session */
  session?: string | null;
  origin?: Record<string, string>;
  max_rows?: number | null;
  catalog?: string | null;
  schema?: string | null;
  dialect?: string | null;
  engine?: string | null;
  params?: Record<string, Cell>;
  /** frame ids by name, for FROM :name */
  frames?: Record<string, string>;
  /** count what one INSERT, UPDATE, DELETE or MERGE would do, and do nothing */
  dry_run?: boolean;
}

/** A table a statement read, and the version it was pinned to. */
export interface UsedTable {
  name: string;
  version: number | null;
}

/** How many rows a statement wrote. */
export interface WrittenRows {
  inserted: number;
  updated: number;
  deleted: number;
}

/** All dropped tables the caller may bring back. */
export interface DroppedList {
  items: DroppedTable[];
  total: number;
}

/** A dropped table that can still come back. */
export interface DroppedTable {
  dropped_id: number;
  full_name: string[];
  dropped_at: string;
  dropped_by: string;
  purge_at: string | null;
}

/** What a drop leaves behind; ``dropped_id`` undoes it until ``purge_at``. */
export interface DropReply {
  dropped_id: number | null;
  purge_at: string | null;
}

/** Which part of a table an edit was about. */
export interface EditDetail {
  columns: string[] | null;
  added: string[] | null;
  removed: string[] | null;
  from: string | null;
  to: string | null;
}

/** Changes to what the catalog says of a table, newest first, as far as they are kept. */
export interface EditList {
  items: TableEdit[];
}

/** When a table's rows last changed, and their version since; upkeep does not count. */
export interface Freshness {
  last_write_at: string;
  data_version: number;
}

/** One commit of a table. */
export interface HistoryEntry {
  version: number;
  timestamp: string;
  operation: string;
  user: string | null;
  rows_added: number | null;
  rows_removed: number | null;
  maintenance: boolean;
  /** the import that made it, if it was one */
  run_id: number | null;
  /** what a write of whole rows did; null for every other commit */
  mode: 'create' | 'append' | 'overwrite' | 'replace' | null;
}

/** A table's commits, newest first. */
export interface HistoryReply {
  items: HistoryEntry[];
  total: number;
}

/** Rows as strict JSON: integers past 2^53, decimals and non-finite floats are strings. */
export interface PageReply {
  columns: Column[];
  rows: Cell[][];
  offset: number;
  total: number;
  version: number | null;
}

/** An existing Delta folder, file, or folder of files, left where it is and never deleted. Without a ``format`` it is Parquet, JSON, Avro or Arrow where the name ends so, else Delta. ``options`` are those of ``CREATE TABLE … USING format OPTIONS (…)``, for formats of files. */
export interface RegisterTable {
  /** catalog.schema.table */
  table: string;
  location: string;
  format?:
    'delta' | 'parquet' | 'csv' | 'json' | 'text' | 'avro' | 'arrow' | null;
  options?: Record<string, string>;
  description?: string | null;
}

/** A change to what the catalog says of a table. */
export interface TableEdit {
  seq: number;
  kind: string;
  at: string;
  by: string | null;
  detail: EditDetail | null;
}

/** A page of tables. */
export interface TableList {
  items: TableReply[];
  total: number;
  after: string | null;
}

/** What may change of a table; absent keys stay. */
export interface TablePatch {
  name?: string | null;
  description?: string | null;
  parent_id?: number | null;
  /** all tags, in place of those it has */
  tags?: string[] | null;
  /** by column; null brings the comment in the data's own log back */
  column_comments?: Record<string, string | null> | null;
  /** only its owner may give a table away */
  owner?: string | null;
}

/** One table, whole. */
export interface TableReply {
  id: number;
  uuid: string;
  name: string;
  full_name: string[];
  sql_name: string;
  description: string | null;
  access: Access;
  table_type: TableType;
  format: string;
  /** where the data is; only for those who manage it */
  location: string | null;
  columns: Column[];
  partition_columns: string[];
  tags: string[];
  row_count: number | null;
  size_bytes: number | null;
  /** how many files hold the rows */
  files: number | null;
  /** conditions by name, which every row meets */
  constraints: Record<string, string>;
  /** the table's own */
  properties: Record<string, string>;
  /** how its files are read, where that is not by a log */
  options: Record<string, string>;
  /** null until a write was seen */
  freshness: Freshness | null;
  delta_version: number | null;
  data_version: number;
  owner: string;
  created_at: string;
  updated_at: string;
  updated_by: string;
}

/** A view, whole. */
export interface ViewReply {
  id: number;
  uuid: string;
  name: string;
  full_name: string[];
  sql_name: string;
  description: string | null;
  access: Access | null;
  /** as they were when the view was made or changed */
  columns: Column[];
  /** its query as it was written; null for those who do not manage it */
  text: string | null;
  /** what the query is written in */
  dialect: string;
  /** where names of fewer parts in it are looked for; null as its query is */
  catalog: string | null;
  schema: string | null;
  properties: Record<string, string>;
  owner: string;
  created_at: string;
  updated_at: string;
  updated_by: string;
}
