import type { INotebookModel } from '@jupyterlab/notebook';

/** Why a notebook's file cannot be read, as the server found. */
export interface IDamage {
  reason: string;
  hint: string | null;
  line: number | null;
}

/** The damage of a notebook; null if it is whole. */
export function damageOf(
  model: Pick<INotebookModel, 'getMetadata'> | null
): IDamage | null {
  const flowcat: unknown = model?.getMetadata('flowcat');
  const { damaged } = record(flowcat);
  const { reason, hint, line } = record(damaged);
  if (typeof reason !== 'string') {
    return null;
  }
  return {
    reason,
    hint: typeof hint === 'string' ? hint : null,
    line: typeof line === 'number' ? line : null
  };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)
    : {};
}
