import type { IStateDB } from '@jupyterlab/statedb';

import type { ISeen } from './model';

const MAX_KEPT = 2000;

/** What a person has seen, kept with the workspace. */
export class SeenVersions implements ISeen {
  constructor(
    private readonly state: IStateDB | null,
    private readonly key: string
  ) {}

  /** Reads what was kept. */
  async load(): Promise<void> {
    const kept = await this.state?.fetch(this.key);
    if (kept && typeof kept === 'object' && !Array.isArray(kept)) {
      for (const [uuid, version] of Object.entries(kept)) {
        if (typeof version === 'number' && !this._versions.has(uuid)) {
          this._versions.set(uuid, version);
        }
      }
    }
  }

  get(uuid: string): number | undefined {
    return this._versions.get(uuid);
  }

  set(uuid: string, version: number): void {
    this._versions.delete(uuid);
    this._versions.set(uuid, version);
    for (const old of this._versions.keys()) {
      if (this._versions.size <= MAX_KEPT) {
        break;
      }
      this._versions.delete(old);
    }
    void this.state?.save(this.key, Object.fromEntries(this._versions));
  }

  private readonly _versions = new Map<string, number>();
}
