import type { ErrorReply } from './types';

/** A request the server refused, or that did not reach it (`status` 0, code `Unreachable`). */
export class CatalogError extends Error {
  constructor(
    readonly status: number,
    readonly reply: ErrorReply
  ) {
    super(reply.message);
    this.name = 'CatalogError';
  }

  /** The kind of error, such as `NotFound` or `Conflict`. */
  get code(): string {
    return this.reply.code;
  }

  /** What to do about it, where the server knows. */
  get hint(): string | null {
    return this.reply.hint ?? null;
  }
}

/** The error of a request that got no answer, or that was given up. */
export function unreachable(
  reason: unknown,
  signal?: AbortSignal
): CatalogError {
  const code = signal?.aborted ? 'Cancelled' : 'Unreachable';
  const message =
    reason instanceof Error ? reason.message : 'The server did not answer.';
  return new CatalogError(0, bare(code, message));
}

/** The error a response carries, whatever shape it has. */
export async function readError(response: Response): Promise<ErrorReply> {
  try {
    const reply = (await response.json()) as Partial<ErrorReply>;
    if (typeof reply.code === 'string' && typeof reply.message === 'string') {
      return { ...bare(reply.code, reply.message), ...reply };
    }
    const message = typeof reply.message === 'string' ? reply.message : '';
    return bare('Unexpected', message || response.statusText);
  } catch {
    return bare('Unexpected', response.statusText || String(response.status));
  }
}

function bare(code: string, message: string): ErrorReply {
  return {
    code,
    message,
    condition: null,
    sqlstate: null,
    line: null,
    column: null,
    hint: null
  };
}

/** What went wrong and what to do about it, for a person. */
export function messageOf(reason: unknown): string {
  if (reason instanceof CatalogError && reason.hint) {
    return `${reason.message} ${reason.hint}`;
  }
  return reason instanceof Error ? reason.message : String(reason);
}

/** Whether the same request may be answered another time: what was refused is refused again. */
export function isPassing(reason: unknown): boolean {
  const refused = reason instanceof CatalogError && reason.status >= 400;
  return !refused || reason.status >= 500;
}
