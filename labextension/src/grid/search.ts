import type {
  IReplaceOptionsSupport,
  ISearchProvider
} from '@jupyterlab/documentsearch';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

import type { IFound } from './rows';

/** Rows in which a text can be found. */
export interface IFindable {
  /** What stands under the cursor, to begin with. */
  readonly cursorText: string;
  /** The next place of a text after the cursor, or from the first row on. */
  find(search: IGridSearch, from: 'start' | 'cursor'): Promise<IFound>;
  /** Brings a place into sight, with the cursor on it. */
  reveal(found: IFound): void;
}

/** What to look for. */
export interface IGridSearch {
  text: string;
  matchCase: boolean;
  backwards: boolean;
}

/** The grids there are, by their nodes. */
const grids = new WeakMap<Element, IFindable>();

/** Lets a grid's rows be found through the node it is in. */
export function makeFindable(node: HTMLElement, rows: IFindable): void {
  grids.set(node, rows);
}

/** The grid in a widget that a person sees; null where there is none. */
export function findableIn(widget: Widget): IFindable | null {
  for (const node of widget.node.querySelectorAll('.fc-Grid')) {
    const rows = grids.get(node);
    if (rows && !node.closest('.lm-mod-hidden')) {
      return rows;
    }
  }
  return null;
}

/** Lab's Find over all rows of a grid, those not loaded included. */
export class GridSearch implements ISearchProvider {
  constructor(private readonly widget: Widget) {}

  readonly isReadOnly = true;
  readonly replaceOptionsSupport: IReplaceOptionsSupport = {};

  get stateChanged(): ISignal<this, void> {
    return this._stateChanged;
  }

  get currentMatchIndex(): number | null {
    return this._at;
  }

  get matchesCount(): number | null {
    return this._matches;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    this._search = null;
    Signal.clearData(this);
  }

  getInitialQuery(): string {
    return findableIn(this.widget)?.cursorText ?? '';
  }

  async startQuery(query: RegExp | null): Promise<void> {
    const text = query && literalOf(query);
    this._search =
      query && text
        ? { text, matchCase: !query.flags.includes('i'), backwards: false }
        : null;
    this._at = null;
    this._matches = this._search ? null : 0;
    if (this._search) {
      await this.go(false, 'start');
    } else {
      this._stateChanged.emit();
    }
  }

  async endQuery(): Promise<void> {
    this._search = null;
    this._at = null;
    this._matches = null;
  }

  async clearHighlight(): Promise<void> {
    return undefined;
  }

  async highlightNext(): Promise<undefined> {
    await this.go(false, 'cursor');
  }

  async highlightPrevious(): Promise<undefined> {
    await this.go(true, 'cursor');
  }

  async replaceCurrentMatch(): Promise<boolean> {
    return false;
  }

  async replaceAllMatches(): Promise<boolean> {
    return false;
  }

  private async go(
    backwards: boolean,
    from: 'start' | 'cursor'
  ): Promise<void> {
    const search = this._search;
    const rows = findableIn(this.widget);
    if (!search || !rows) {
      return;
    }
    const found = await rows.find({ ...search, backwards }, from);
    if (search !== this._search) {
      return;
    }
    this._matches = found.matches;
    this._at = this.numberOf(found, backwards, from);
    if (found.row !== null) {
      rows.reveal(found);
    }
    this._stateChanged.emit();
  }

  /** Which of the matches a place is, counted along the way from the first. */
  private numberOf(
    { row, matches }: IFound,
    backwards: boolean,
    from: 'start' | 'cursor'
  ): number | null {
    if (row === null || !matches) {
      return null;
    }
    if (from === 'start') {
      return 0;
    }
    const step = backwards ? -1 : 1;
    return this._at === null ? null : (this._at + step + matches) % matches;
  }

  private _search: IGridSearch | null = null;
  private _at: number | null = null;
  private _matches: number | null = null;
  private _disposed = false;
  private readonly _stateChanged = new Signal<this, void>(this);
}

/**
 * The text Lab made a pattern of; null for a pattern a person wrote, for rows are searched for
 * text.
 */
export function literalOf({ source }: RegExp): string | null {
  const escaped = /\\([-[\]/{}()*+?.\\^$|])/g;
  const rest = source.replace(escaped, '');
  return /[-[\]{}()*+?.\\^$|]/.test(rest)
    ? null
    : source.replace(escaped, '$1').replace(/\\\//g, '/');
}
