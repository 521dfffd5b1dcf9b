import { UUID } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import type { ExplainReply, ResultStatus, SqlReply } from '../api/types';

import type { RunHistory } from './history';
import {
  failureOf,
  type IFailure,
  type IResult,
  type IStatementRun,
  waiting
} from './runs';
import { ResultSource } from './source';
import { type ISpan, statementsIn } from './text';

/** How many rows a query gives unless all are asked for. */
export const FIRST_ROWS = 10_000;

/** How often a run is asked how far it is. */
const STATUS_MS = 400;

/** What the editor needs of the client; tests pass a fake. */
export type IQueryClient = Pick<
  CatalogClient,
  | 'runSql'
  | 'sqlEnvelope'
  | 'sqlRows'
  | 'sqlStatus'
  | 'cancelSql'
  | 'explain'
  | 'json'
  | 'request'
>;

/** How the last run stands. */
export type QueryState = 'idle' | 'running' | 'done' | 'failed' | 'cancelled';

/** What to run. */
export interface IStatement {
  /** The whole text. */
  text: string;
  /** The part of it to run: one statement or several. */
  span: ISpan;
}

/** Where names resolve; null: the server's default. */
export interface INames {
  catalog: string | null;
  schema: string | null;
}

/** What runs of an editor depend on. */
export interface IQueryOptions {
  client: IQueryClient;
  history: Pick<RunHistory, 'add'>;
  /** The session's time zone. */
  zone(): string;
  names(): INames;
  /** Takes what a statement made current. */
  use(names: INames): void;
  /** The engine a person chose; null: the server's choice. */
  engine(): string | null;
}

/**
 * One editor's runs: one at a time, which can be cancelled while it waits or works. Each statement
 * of a run is a query of its own, so that every result stays within reach.
 */
export class QueryModel implements IDisposable {
  constructor(private readonly options: IQueryOptions) {}

  /** What the statements of this document share on the server: views, variables, settings. */
  readonly session: string = UUID.uuid4();

  get state(): QueryState {
    return this._state;
  }

  /** The statements of the last run that have begun, in order. */
  get runs(): readonly IStatementRun[] {
    return this._runs.filter(({ state }) => state !== 'waiting');
  }

  /** How many statements the last run has. */
  get count(): number {
    return this._runs.length;
  }

  /** The number of the statement that is shown. */
  get at(): number {
    return this._at;
  }

  /** The statement that is shown; null before the first run. */
  get shown(): IStatementRun | null {
    return this._runs[this._at] ?? null;
  }

  /** When the statement at work began, in milliseconds since 1970. */
  get since(): number {
    return this.shown?.since ?? 0;
  }

  /** How far the statement at work is; null until the server was asked. */
  get progress(): ResultStatus | null {
    return this._progress;
  }

  /** The result that is shown; null where there is none. */
  get result(): IResult | null {
    return this.shown?.result ?? null;
  }

  get failure(): IFailure | null {
    return this.shown?.failure ?? null;
  }

  /** The session's time zone. */
  get zone(): string {
    return this.options.zone();
  }

  /** What is shown the outcome of; null before the first run. */
  get statement(): string | null {
    return this.shown?.query ?? null;
  }

  /** The plan of the statement that is shown; null until it is asked for. */
  get plan(): ExplainReply | null {
    return this.shown?.plan ?? null;
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

  /** Runs the statements in a part of the text; what ran before is given up. */
  async run({ text, span }: IStatement): Promise<void> {
    await this.cancel();
    const spans = statementsIn(text, span);
    const runs = (spans.length ? spans : [span]).map(part =>
      waiting(text, part, false)
    );
    this._runs = runs;
    await this.work(0, runs.length);
  }

  /** Asks what a statement would change, without changing it; what ran before is given up. */
  async preview({ text, span }: IStatement): Promise<void> {
    await this.cancel();
    this._runs = [waiting(text, span, false, true)];
    await this.work(0, 1);
  }

  /** Shows the outcome of another statement of the run. */
  show(at: number): void {
    if (at >= 0 && at < this.runs.length) {
      this._at = at;
      this.emit();
    }
  }

  /** Runs the statement that is shown again, for all its rows. */
  async runForAll(): Promise<void> {
    await this.cancel();
    const { shown } = this;
    if (shown) {
      this.become(this._at, waiting(shown.text, shown.span, true));
      await this.work(this._at, this._at + 1);
    }
  }

  /** Stops the run, queued or at work. */
  async cancel(): Promise<void> {
    const at = this._working;
    if (this._state !== 'running' || at === null) {
      return;
    }
    const run = this.stop(at, { state: 'cancelled' });
    this.remember(run, null);
    this.enter('cancelled');
    try {
      await this.options.client.cancelSql(run.id);
    } catch {
      // The server stops a query of its own accord when its client goes away.
    }
  }

  /** Asks how the statement that is shown is run. */
  async explain(): Promise<void> {
    const { shown, options } = this;
    if (!shown || shown.plan) {
      return;
    }
    let plan: ExplainReply;
    try {
      plan = await options.client.explain({
        query: shown.query,
        session: this.session,
        engine: options.engine(),
        ...options.names()
      });
    } catch (reason) {
      const message = reason instanceof Error ? reason.message : String(reason);
      plan = noPlan(message);
    }
    const at = this._runs.findIndex(({ id }) => id === shown.id);
    if (at >= 0) {
      this.become(at, { plan });
      this.emit();
    }
  }

  /** Forgets where the error was: the text is another now. */
  edited(): void {
    const { failure } = this;
    if (failure?.span) {
      this.become(this._at, { failure: { ...failure, span: null } });
      this.emit();
    }
  }

  /** Works through statements, until one fails or somebody cancels. */
  private async work(first: number, end: number): Promise<void> {
    for (let at = first; at < end; at += 1) {
      const run = this.become(at, { state: 'running', since: Date.now() });
      this._working = at;
      this._at = at;
      this._progress = null;
      this.enter('running');
      void this.follow(run);
      try {
        const reply = await this.send(run);
        if (!this.isAtWork(run)) {
          return;
        }
        this.finish(at, reply);
      } catch (reason) {
        if (this.isAtWork(run)) {
          this.fail(at, reason);
        }
        return;
      }
    }
    this._working = null;
    this.enter('done');
  }

  private send(run: IStatementRun): Promise<SqlReply> {
    const { client, names, engine } = this.options;
    return client.runSql({
      query: run.query,
      query_id: run.id,
      session: this.session,
      max_rows: run.all ? null : FIRST_ROWS,
      engine: engine(),
      ...(run.preview ? { dry_run: true } : {}),
      ...names()
    });
  }

  /** Asks the server how far a statement is, until it is done. */
  private async follow(run: IStatementRun): Promise<void> {
    for (;;) {
      await new Promise(resolve => setTimeout(resolve, STATUS_MS));
      if (!this.isAtWork(run)) {
        return;
      }
      try {
        const progress = await this.options.client.sqlStatus(run.id);
        if (!this.isAtWork(run)) {
          return;
        }
        this._progress = progress;
        this.emit();
      } catch {
        // Not begun yet, or done just now: the run itself tells what is wrong.
      }
    }
  }

  private isAtWork({ id }: IStatementRun): boolean {
    const at = this._working;
    return at !== null && this._runs[at]?.id === id && !this._disposed;
  }

  private finish(at: number, reply: SqlReply): void {
    const { columns, query_id, time_zone } = reply;
    const source = columns.length
      ? new ResultSource(this.options.client, query_id, columns, time_zone)
      : null;
    const run = this.become(at, { state: 'done', result: { reply, source } });
    this.remember(run, null);
    if (reply.current) {
      this.options.use(reply.current);
    }
    this.emit();
  }

  private fail(at: number, reason: unknown): void {
    const failure = failureOf(reason, this._runs[at]);
    const run = this.stop(at, { state: 'failed', failure });
    this.remember(run, failure.message);
    this.enter('failed');
  }

  /** Ends the run at a statement: what has not begun is not part of it any more. */
  private stop(at: number, part: Partial<IStatementRun>): IStatementRun {
    this._working = null;
    const begun = this._runs.filter(({ state }) => state !== 'waiting');
    const unrun = this._runs.length - begun.length;
    this._runs = begun;
    return this.become(at, { ...part, unrun });
  }

  private become(at: number, part: Partial<IStatementRun>): IStatementRun {
    const run = { ...this._runs[at], ...part };
    this._runs = this._runs.map((other, index) => (index === at ? run : other));
    return run;
  }

  private remember(run: IStatementRun, message: string | null): void {
    const { state, result } = run;
    if (state === 'waiting' || state === 'running') {
      return;
    }
    this.options.history.add({
      query: run.query,
      ...this.options.names(),
      at: new Date(run.since).toISOString(),
      state,
      rows: result && rowsOf(result),
      milliseconds: result?.reply.execution_time_ms ?? null,
      message
    });
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
  private _runs: readonly IStatementRun[] = [];
  private _at = 0;
  /** The number of the statement at work. */
  private _working: number | null = null;
  private _progress: ResultStatus | null = null;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}

/** The rows a statement gave, or wrote; null if it did neither, or was only tried. */
function rowsOf({ source, reply }: IResult): number | null {
  if (reply.dry_run) {
    return null;
  }
  return source ? reply.row_count : reply.affected_rows;
}

function noPlan(message: string): ExplainReply {
  return {
    engine: '',
    lines: [message],
    used_tables: [],
    reason: '',
    sources: [],
    steps: []
  };
}
