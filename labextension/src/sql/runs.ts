import { UUID } from '@lumino/coreutils';

import { CatalogError } from '../api/errors';
import type { ErrorReply, ExplainReply, SqlReply } from '../api/types';

import type { ResultSource } from './source';
import { type ISpan, offsetOf, wordAt } from './text';

/** Why a statement failed, and where in the editor's text. */
export interface IFailure extends ErrorReply {
  /** The part to underline; null where the server names no place. */
  span: ISpan | null;
  /** The line of the editor's text it is in, from 1: where the statement begins if no other is named. */
  row: number;
}

/** How a statement stands. */
export type RunState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

/** A finished query. */
export interface IResult {
  reply: SqlReply;
  /** Its rows; null for a statement that gives none. */
  source: ResultSource | null;
}

/** One statement of a run, and what came of it. */
export interface IStatementRun {
  /** The id it is known by while it runs and while its result is kept. */
  readonly id: string;
  readonly query: string;
  /** The text it is a part of, and which part. */
  readonly text: string;
  readonly span: ISpan;
  /** Whether every row was asked for, not only the first. */
  readonly all: boolean;
  /** Whether it is only asked what it would change. */
  readonly preview: boolean;
  readonly state: RunState;
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
  readonly result: IResult | null;
  readonly failure: IFailure | null;
  /** How it is run; null until it is asked for. */
  readonly plan: ExplainReply | null;
  /** How many statements after it were given up because of what became of it. */
  readonly unrun: number;
}

/** A statement that waits for its turn. */
export function waiting(
  text: string,
  span: ISpan,
  all: boolean,
  preview = false
): IStatementRun {
  return {
    id: UUID.uuid4(),
    query: text.slice(span.start, span.end),
    text,
    span,
    all,
    preview,
    state: 'waiting',
    since: 0,
    result: null,
    failure: null,
    plan: null,
    unrun: 0
  };
}

const NO_PLACE = {
  condition: null,
  sqlstate: null,
  line: null,
  column: null,
  hint: null
};

/** Why a statement failed, as its editor can show it. */
export function failureOf(
  reason: unknown,
  { text, span }: Pick<IStatementRun, 'text' | 'span'>
): IFailure {
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
  return {
    ...reply,
    span: at === null ? null : wordAt(text, at),
    row: text.slice(0, at ?? span.start).split('\n').length
  };
}
