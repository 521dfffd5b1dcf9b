import type { TranslationBundle } from '@jupyterlab/translation';

import type { CatalogClient } from '../api/client';
import { CatalogError, messageOf } from '../api/errors';
import type { DroppedTable } from '../api/types';

/** What was dropped last under a name; null where nothing is, that the person may bring back. */
export async function lastDropped(
  client: Pick<CatalogClient, 'dropped'>,
  name: readonly string[]
): Promise<DroppedTable | null> {
  try {
    const { items } = await client.dropped();
    const [last] = items
      .filter(({ full_name }) => full_name.join('.') === name.join('.'))
      .sort((a, b) => b.dropped_at.localeCompare(a.dropped_at));
    return last ?? null;
  } catch {
    // Nothing is offered; that the table is gone is said all the same.
    return null;
  }
}

/** Why a dropped table cannot come back, and what to do about it. */
export function whyNot(
  reason: unknown,
  name: readonly string[],
  trans: TranslationBundle
): string {
  const message = messageOf(reason);
  const advice =
    reason instanceof CatalogError && !reason.hint
      ? adviceOn(reason, name, trans)
      : null;
  return advice ? `${message} ${advice}` : message;
}

function adviceOn(
  { code, reply }: CatalogError,
  [catalog, schema]: readonly string[],
  trans: TranslationBundle
): string | null {
  if (code === 'AlreadyExists') {
    return trans.__(
      'Rename the one that has the name now; then this one can be restored.'
    );
  }
  switch (reply.condition) {
    case 'SCHEMA_NOT_FOUND':
      return trans.__(
        'Create the schema %1 first; then the table can be restored.',
        `${catalog}.${schema}`
      );
    case 'CATALOG_NOT_FOUND':
      return trans.__(
        'Create the catalog %1 with a schema %2 first; then the table can be restored.',
        catalog,
        schema
      );
    default:
      return null;
  }
}
