import { UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { CatalogError } from '../api/errors';
import type { ErrorReply, ExplainReply, SqlReply } from '../api/types';

import type { IPastRun, RunHistory } from './history';
import { ResultSource } from './source';
import { type ISpan, offsetOf, wordAt } from './text';

/** How many rows a query gives unless all are asked for. */
export const FIRST_ROWS = 10_000;

/** What the editor needs of the client; tests pass a fake. */
export type IQueryClient = Pick<
  CatalogClient,
  'runSql' | 'sqlEnvelope' | 'sqlRows' | 'cancelSql' | 'explain' | 'json'
>;

/** How the last run stands. */
export type QueryState = 'idle' | 'running' | 'done' | 'failed' | 'cancelled';

/** A finished query. */
export interface IResult {
  reply: SqlReply;
  /** Its rows; null for a statement that gives none. */
  source: ResultSource | null;
}

/** Why a run failed, and where in the editor's text. */
export interface IFailure extends ErrorReply {
  /** The part to underline; null where the server names no place. */
  span: ISpan | null;
}

/** What to run. */
export interface IStatement {
  /** The whole text. */
  text: string;
  /** The part of it to run. */
  span: ISpan;
  /** Every row, not only the first {@link FIRST_ROWS}. */
  all?: boolean;
}

/** Where names resolve; null: the server's default. */
export interface INames {
  catalog: string | null;
  schema: string | null;
}

/** One editor's runs: one at a time, which can be cancelled while it waits or works. */
export class QueryModel implements IDisposable {
  constructor(
    private readonly client: IQueryClient,
    private readonly history: Pick<RunHistory, 'add'>,
    private readonly sessionZone: () => string,
    private readonly names: () => INames
  ) {}

  get state(): QueryState {
    return this._state;
  }

  /** When the current run began, in milliseconds since 1970. */
  get since(): number {
    return this._since;
  }

  /** The result of the last run; null when it gave none. */
  get result(): IResult | null {
    return this._result;
  }

  get failure(): IFailure | null {
    return this._failure;
  }

  /** The session's time zone. */
  get zone(): string {
    return this.sessionZone();
  }

  /** What was run last; null before the first run. */
  get statement(): string | null {
    return this._statement && queryOf(this._statement);
  }

  /** The plan of the last statement; null until it is asked for. */
  get plan(): ExplainReply | null {
    return this._plan;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Stops what runs: nobody waits for it any more. */
  dispose(): void {
    if (this._disposed) {
      return;
    }
    void this.cancel();
    this._disposed = true;
    Signal.clearData(this);
  }

  /** Runs a part of the text; what ran before is given up. */
  async run(statement: IStatement): Promise<void> {
    await this.cancel();
    const queryId = UUID.uuid4();
    this._queryId = queryId;
    this._statement = statement;
    this._since = Date.now();
    this._result = null;
    this._failure = null;
    this._plan = null;
    this.enter('running');
    try {
      const reply = await this.client.runSql({
        query: queryOf(statement),
        query_id: queryId,
        max_rows: statement.all ? null : FIRST_ROWS,
        ...this.names()
      });
      if (this._queryId === queryId) {
        this.finish(reply);
      }
    } catch (reason) {
      if (this._queryId === queryId) {
        this.fail(reason, statement);
      }
    }
  }

  /** Runs the last statement again, for all its rows. */
  async runForAll(): Promise<void> {
    if (this._statement) {
      await this.run({ ...this._statement, all: true });
    }
  }

  /** Stops the run, queued or at work. */
  async cancel(): Promise<void> {
    const queryId = this._queryId;
    if (this._state !== 'running' || queryId === null) {
      return;
    }
    this._queryId = null;
    this.remember('cancelled', null, null);
    this.enter('cancelled');
    try {
      await this.client.cancelSql(queryId);
    } catch {
      // The server stops a query of its own accord when its client goes away.
    }
  }

  /** Asks how the last statement is run. */
  async explain(): Promise<void> {
    const statement = this._statement;
    if (!statement || this._plan) {
      return;
    }
    try {
      const query = queryOf(statement);
      this._plan = await this.client.explain({ query, ...this.names() });
    } catch (reason) {
      const message = reason instanceof Error ? reason.message : String(reason);
      this._plan = { engine: '', lines: [message], used_tables: [] };
    }
    this.emit();
  }

  /** Forgets where the error was: the text is another now. */
  edited(): void {
    if (this._failure?.span) {
      this._failure = { ...this._failure, span: null };
      this.emit();
    }
  }

  private finish(reply: SqlReply): void {
    const { columns, query_id } = reply;
    const source = columns.length
      ? new ResultSource(this.client, query_id, columns, this.zone)
      : null;
    this._result = { reply, source };
    this.remember('done', source ? reply.row_count : null, null);
    this.enter('done');
  }

  private fail(reason: unknown, { text, span }: IStatement): void {
    const message = reason instanceof Error ? reason.message : String(reason);
    const reply: ErrorReply =
      reason instanceof CatalogError
        ? reason.reply
        : { ...NO_PLACE, code: 'Unexpected', message };
    const { line, column } = reply;
    const at =
      typeof line === 'number' && typeof column === 'number'
        ? offsetOf(text, span.start, { line, column })
        : null;
    this._failure = { ...reply, span: at === null ? null : wordAt(text, at) };
    this.remember('failed', null, message);
    this.enter('failed');
  }

  private remember(
    state: IPastRun['state'],
    rows: number | null,
    message: string | null
  ): void {
    if (this._statement) {
      this.history.add({
        query: queryOf(this._statement),
        ...this.names(),
        at: new Date(this._since).toISOString(),
        state,
        rows,
        milliseconds: this._result?.reply.execution_time_ms ?? null,
        message
      });
    }
  }

  private enter(state: QueryState): void {
    this._state = state;
    this.emit();
  }

  private emit(): void {
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private _state: QueryState = 'idle';
  private _since = 0;
  private _queryId: string | null = null;
  private _statement: IStatement | null = null;
  private _result: IResult | null = null;
  private _failure: IFailure | null = null;
  private _plan: ExplainReply | null = null;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}

const NO_PLACE = {
  condition: null,
  sqlstate: null,
  line: null,
  column: null,
  hint: null
};

function queryOf({ text, span }: IStatement): string {
  return text.slice(span.start, span.end);
}
