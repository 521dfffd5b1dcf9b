import type {
  ExplainReply,
  ResultStatus,
  SqlReply,
  SqlRequest
} from '../../src/api/types';
import type { IQueryClient } from '../../src/sql/model';
import { column } from '../helpers';

/** A result of three rows, unless told otherwise. */
export function reply(rest: Partial<SqlReply> = {}): SqlReply {
  return {
    query_id: 'q',
    statement: 'SELECT',
    columns: [column('n', 'bigint')],
    rows: null,
    row_count: 3,
    truncated: false,
    affected_rows: null,
    written: null,
    changed: true,
    dry_run: false,
    time_zone: 'UTC',
    current: null,
    note: null,
    execution_time_ms: 12,
    engine: 'polars',
    used_tables: [],
    warnings: [],
    ...rest
  };
}

/** A client whose answers the test gives. */
export class FakeClient implements IQueryClient {
  readonly sent: SqlRequest[] = [];
  readonly cancelled: string[] = [];
  answer: (reply: SqlReply) => void = () => undefined;
  refuse: (reason: unknown) => void = () => undefined;

  runSql(request: SqlRequest): Promise<SqlReply> {
    this.sent.push(request);
    return new Promise((resolve, reject) => {
      this.answer = resolve;
      this.refuse = reject;
    });
  }

  async cancelSql(id: string): Promise<void> {
    this.cancelled.push(id);
  }

  async explain(): Promise<ExplainReply> {
    return {
      engine: 'polars',
      lines: ['reads t'],
      used_tables: [],
      reason: '',
      sources: [],
      steps: []
    };
  }

  sqlStatus(): Promise<ResultStatus> {
    return Promise.resolve({
      state: 'queued',
      position: 2,
      elapsed_ms: 400,
      rows: null,
      message: null
    });
  }

  json = () => Promise.reject(new Error('not asked for'));
  request = () => Promise.reject(new Error('not asked for'));
  sqlEnvelope = () => Promise.reject(new Error('not asked for'));
  sqlRows = () => Promise.reject(new Error('not asked for'));
}
