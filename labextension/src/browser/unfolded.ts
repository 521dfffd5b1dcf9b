import type { IStateDB } from '@jupyterlab/statedb';
import { Signal } from '@lumino/signaling';

import type { IItem } from './items';
import type { TreeModel } from './model';

/** As many lists are asked for at a start. */
const MAX_KEPT = 100;

/** Keeps which rows of the tree are unfolded with the workspace, and unfolds them at a start. */
export class UnfoldedRows {
  constructor(
    private readonly state: Pick<IStateDB, 'fetch' | 'save'> | null,
    private readonly key: string,
    private readonly model: TreeModel
  ) {}

  /** Unfolds what was kept once the catalogs are there, then keeps what a person unfolds. */
  async restore(): Promise<void> {
    const kept = await this.state?.fetch(this.key);
    if (this.model.catalogs === null) {
      await new Promise<void>(resolve => {
        const look = () => {
          if (this.model.catalogs !== null) {
            this.model.changed.disconnect(look);
            resolve();
          }
        };
        this.model.changed.connect(look);
      });
    }
    if (Array.isArray(kept)) {
      await this.model.unfold(new Set(kept.slice(0, MAX_KEPT).map(String)));
    }
    this._saved = this.unfolded().join();
    this.model.changed.connect(this.onChanged, this);
  }

  dispose(): void {
    Signal.clearData(this);
  }

  private onChanged(): void {
    const keys = this.unfolded();
    if (keys.join() !== this._saved) {
      this._saved = keys.join();
      void this.state?.save(this.key, keys);
    }
  }

  /** The keys of what is unfolded and to be seen, from the top. */
  private unfolded(): string[] {
    const within = (items: readonly IItem[]): string[] =>
      items.flatMap(({ key, expanded, children }) =>
        expanded ? [key, ...within(children ?? [])] : []
      );
    return within(this.model.catalogs ?? []).slice(0, MAX_KEPT);
  }

  private _saved = '';
}
