import { Token } from '@lumino/coreutils';

import type { CatalogClient } from './api/client';
import type { CatalogFeed } from './api/feed';
import type { RunWatcher } from './api/runs';

/** The start of every plugin id, and the folder the built extension lives in. */
export const PACKAGE = 'flowcat-jupyter';

/** What a dragged or copied node of the tree carries, as JSON: {@link INodeDrag}. */
export const NODE_MIME = 'application/vnd.flowcat.node+json';

/** A node on its way to a cell or an editor. */
export interface INodeDrag {
  /** What was dragged. */
  kind: 'catalog' | 'schema' | 'table' | 'view' | 'column';
  /** Its parts, outermost first, as stored. */
  path: string[];
  /** Its name as SQL text, quoted where it must be. */
  sqlName: string;
}

/** The catalog behind this Jupyter server: how to ask it, and what it tells unasked. */
export interface ICatalog {
  /** Requests and replies. */
  readonly client: CatalogClient;
  /** The server's state and the changes of the catalog, as they happen. */
  readonly feed: CatalogFeed;
  /** The background runs at work. */
  readonly runs: RunWatcher;
}

/** The catalog behind this Jupyter server. */
export const ICatalog = new Token<ICatalog>(
  `${PACKAGE}:ICatalog`,
  'The data catalog behind this Jupyter server.'
);

/** Remembers which versions of tables a person has seen. */
export interface ISeenTables {
  /** A table was opened; `version` is its data version. */
  opened(uuid: string, version: number | null): void;
}

/** Remembers which versions of tables a person has seen. */
export const ISeenTables = new Token<ISeenTables>(
  `${PACKAGE}:ISeenTables`,
  'Remembers which versions of tables a person has seen.'
);
