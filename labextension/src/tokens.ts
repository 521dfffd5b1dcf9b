import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';

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
  kind: 'catalog' | 'schema' | 'table' | 'view' | 'column' | 'frame';
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

/** A frame in a kernel. */
export interface IFrame {
  /** The variable. */
  name: string;
  kind: 'polars' | 'lazy' | 'pandas' | 'arrow';
  /** Null where only computing would tell. */
  rows: number | null;
  /** The first of its columns; null where only computing would tell. */
  columns: readonly IFrameColumn[] | null;
  /** How many columns there are in all. */
  columns_total: number | null;
  bytes: number | null;
}

/** A column of a frame. */
export interface IFrameColumn {
  name: string;
  type: string;
}

/** A line of what is in a kernel: a frame, or a column of one. */
export interface IFrameRow {
  key: string;
  frame: IFrame;
  column: IFrameColumn | null;
  expanded: boolean;
  /** From 1, and of how many on its level. */
  position: number;
  size: number;
}

/** The frames in the kernel of the notebook or console that was used last. */
export interface IKernelFrames {
  /** Null without a kernel that tells of them. */
  readonly frames: readonly IFrame[] | null;
  /** What is shown, line by line. */
  readonly rows: readonly IFrameRow[];
  /** The line a person is at. */
  readonly selected: IFrameRow | null;
  /** Something of it has changed. */
  readonly changed: ISignal<IKernelFrames, void>;
  /** Whether anybody looks; the kernel is not asked for nobody. */
  watched: boolean;
  select(key: string | null): void;
  setExpanded(name: string, expanded: boolean): void;
  /** The frames as they are now, as far as an idle kernel can tell. */
  fresh(): Promise<readonly IFrame[]>;
}

/** The frames in the kernel of the notebook or console that was used last. */
export const IKernelFrames = new Token<IKernelFrames>(
  `${PACKAGE}:IKernelFrames`,
  'The frames in the kernel of the notebook or console that was used last.'
);
