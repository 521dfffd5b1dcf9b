import { Signal } from '@lumino/signaling';

import type { IChanges, IFeed, ServerState } from '../src/api/feed';
import type {
  Column,
  Node,
  NodeKind,
  RunReply,
  StatusReply,
  TableReply,
  ViewReply
} from '../src/api/types';

/** A moment all fakes share. */
export const NOW = '2026-01-02T03:04:05Z';

/** Lets everything that is ready to run do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await Promise.resolve();
  }
}

/** What answers wait for, each time `hold` is called for the next one alone. */
export class Held {
  /** Keeps the next answer back; what is returned lets it go. */
  hold(): () => void {
    let release = (): void => undefined;
    this._next = new Promise(resolve => {
      release = resolve;
    });
    return release;
  }

  /** Waits if this answer is held. */
  async wait(): Promise<void> {
    const next = this._next;
    this._next = null;
    await next;
  }

  private _next: Promise<void> | null = null;
}

export function node(
  id: number,
  kind: NodeKind,
  path: string[],
  rest: Partial<Node> = {}
): Node {
  return {
    id,
    uuid: `uuid-${id}`,
    kind,
    name: path[path.length - 1],
    full_name: path,
    sql_name: path.join('.'),
    description: null,
    access: 'owner',
    child_count: null,
    row_count: kind === 'table' ? 10 : null,
    table_type: kind === 'table' ? 'managed' : null,
    broken: null,
    data_version: kind === 'table' ? 1 : null,
    updated_at: NOW,
    ...rest
  };
}

export function column(name: string, type = 'int'): Column {
  return { name, type, nullable: true, comment: null };
}

export function table(id: number, rest: Partial<TableReply> = {}): TableReply {
  return {
    id,
    uuid: `uuid-${id}`,
    name: 'flights',
    full_name: ['demo', 'nyc', 'flights'],
    sql_name: 'demo.nyc.flights',
    description: null,
    access: 'owner',
    table_type: 'managed',
    format: 'delta',
    location: null,
    columns: [column('year'), column('carrier', 'string')],
    partition_columns: [],
    tags: [],
    files: 1,
    constraints: {},
    properties: {},
    options: {},
    freshness: null,
    row_count: 10,
    size_bytes: 1000,
    delta_version: 3,
    data_version: 3,
    owner: 'local',
    created_at: NOW,
    updated_at: NOW,
    updated_by: 'local',
    ...rest
  };
}

export function view(id: number, rest: Partial<ViewReply> = {}): ViewReply {
  return {
    id,
    uuid: `uuid-${id}`,
    name: 'late',
    full_name: ['demo', 'nyc', 'late'],
    sql_name: 'demo.nyc.late',
    description: null,
    access: 'owner',
    columns: [column('n', 'bigint')],
    text: 'SELECT count(*) AS n FROM flights',
    dialect: 'house',
    catalog: 'demo',
    schema: 'nyc',
    properties: {},
    owner: 'local',
    created_at: NOW,
    updated_at: NOW,
    updated_by: 'local',
    ...rest
  };
}

export function run(id: number, rest: Partial<RunReply> = {}): RunReply {
  return {
    id,
    kind: 'import',
    title: 'Import a.csv into main.default.a',
    state: 'running',
    progress: null,
    attempt: 1,
    created_at: NOW,
    started_at: NOW,
    ended_at: null,
    result: null,
    error: null,
    origin: {},
    ...rest
  };
}

export function status(rest: Partial<StatusReply> = {}): StatusReply {
  return {
    state: 'ready',
    message: null,
    version: '0.1.0',
    protocol: 1,
    session_timezone: 'UTC',
    default_catalog: 'main',
    default_schema: 'default',
    demo_loaded: false,
    demo_available: true,
    active_runs: 0,
    seq: 1,
    engines: ['duckdb', 'polars'],
    default_engine: 'polars',
    notices: [],
    result_max_bytes: 1_000_000_000,
    ...rest
  };
}

/** A feed that says what the test wants. */
export class FakeFeed implements IFeed {
  readonly changed: Signal<unknown, IChanges> = new Signal<unknown, IChanges>(
    this
  );
  readonly stateChanged: Signal<unknown, ServerState> = new Signal<
    unknown,
    ServerState
  >(this);
  state: ServerState = 'ready';
  status: StatusReply | null = status();

  /** Something happened to objects; each is `[id, parent, kind]`. */
  tell(...objects: [number, number | null, string?][]): void {
    this.changed.emit({
      reset: false,
      items: objects.map(
        ([object_id, parent_id, object_kind = 'table'], at) => ({
          seq: at,
          kind: 'written',
          object_id,
          object_kind,
          parent_id,
          name: 'x',
          at: NOW
        })
      )
    });
  }

  /** The server is otherwise now. */
  become(state: ServerState): void {
    this.state = state;
    this.stateChanged.emit(state);
  }
}
