import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import type { IFeed } from '../api/feed';
import type { Node } from '../api/types';

import type { INames } from './model';

const LISTED = 500;

/** What the choice of names needs of the client. */
export type IScopeClient = Pick<CatalogClient, 'tree'>;

/** Where an editor's names resolve and what runs it; null leaves it to the server. */
export interface IScope extends INames {
  engine: string | null;
}

/**
 * In which catalog and schema an editor's names resolve and which engine runs it, and what there
 * is to choose from.
 */
export class ScopeModel {
  constructor(
    private readonly client: IScopeClient,
    private readonly feed: Pick<IFeed, 'changed' | 'stateChanged' | 'status'>,
    scope: Partial<IScope> = {}
  ) {
    this._catalog = scope.catalog ?? null;
    this._schema = scope.schema ?? null;
    this._engine = scope.engine ?? null;
    feed.changed.connect(this.load, this);
    feed.stateChanged.connect(this.load, this);
  }

  /** The catalog; null while the server's default is unknown. */
  get catalog(): string | null {
    return this._catalog ?? this.feed.status?.default_catalog ?? null;
  }

  get schema(): string | null {
    const { status } = this.feed;
    const ofDefault = this.catalog === (status?.default_catalog ?? null);
    return (
      this._schema ?? (ofDefault ? (status?.default_schema ?? null) : null)
    );
  }

  /** What to send with a request. */
  get names(): INames {
    return { catalog: this.catalog, schema: this.schema };
  }

  /** The engine a person chose; null: the server's choice. */
  get engine(): string | null {
    return this._engine;
  }

  /** The engines there are. */
  get engines(): readonly string[] {
    return withChosen(this.feed.status?.engines ?? [], this._engine);
  }

  /** What runs a query unless a person chooses; null while it is unknown. */
  get defaultEngine(): string | null {
    return this.feed.status?.default_engine ?? null;
  }

  /** The catalogs' names, the chosen one among them. */
  get catalogs(): readonly string[] {
    return withChosen(this._catalogs, this.catalog);
  }

  /** The names of the chosen catalog's schemas, the chosen one among them. */
  get schemas(): readonly string[] {
    return withChosen(this._schemas, this.schema);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  dispose(): void {
    Signal.clearData(this);
  }

  /** Lists anew what there is. */
  async load(): Promise<void> {
    let schemas: Node[] = [];
    try {
      const { items } = await this.client.tree(null, { limit: LISTED });
      this._catalogs = items.map(({ name }) => name);
      const chosen = items.find(({ name }) => name === this.catalog);
      if (chosen) {
        schemas = (await this.client.tree(chosen.id, { limit: LISTED })).items;
      }
    } catch {
      // Not ready yet: what is chosen stays, and the next change lists again.
      return;
    }
    this._schemas = schemas.map(({ name }) => name);
    this._changed.emit();
  }

  /** Chooses a catalog and the schema in it that is likeliest meant. */
  async choose(catalog: string): Promise<void> {
    this._catalog = catalog;
    this._schema = null;
    await this.load();
    if (this.schema === null || !this._schemas.includes(this.schema)) {
      this._schema = this._schemas[0] ?? null;
    }
    this._changed.emit();
  }

  /** Takes what a statement made current; it is there, whether or not it is listed. */
  async use(catalog: string | null, schema: string | null): Promise<void> {
    this._catalog = catalog;
    this._schema = schema;
    this._changed.emit();
    await this.load();
  }

  chooseSchema(schema: string): void {
    this._catalog = this.catalog;
    this._schema = schema;
    this._changed.emit();
  }

  chooseEngine(engine: string | null): void {
    this._engine = engine;
    this._changed.emit();
  }

  private _engine: string | null;
  private _catalog: string | null;
  private _schema: string | null;
  private _catalogs: readonly string[] = [];
  private _schemas: readonly string[] = [];
  private readonly _changed = new Signal<this, void>(this);
}

function withChosen(
  names: readonly string[],
  chosen: string | null
): readonly string[] {
  return chosen === null || names.includes(chosen) ? names : [chosen, ...names];
}
