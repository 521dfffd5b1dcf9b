import type { CodeEditor } from '@jupyterlab/codeeditor';
import { EditorSearchProvider } from '@jupyterlab/codemirror';
import type {
  IFilters,
  IReplaceOptions,
  IReplaceOptionsSupport,
  ISearchMatch,
  ISearchProvider,
  ISearchProviderFactory
} from '@jupyterlab/documentsearch';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

import { GridSearch } from '../grid/search';

/** An editor that can be searched. */
export interface ISearchable {
  readonly editor: CodeEditor.IEditor;
}

/** Lab's Find and Replace in a SQL editor. */
class SqlSearch extends EditorSearchProvider implements ISearchProvider {
  constructor(private readonly panel: ISearchable) {
    super();
  }

  readonly isReadOnly = false;
  readonly replaceOptionsSupport = { preserveCase: true };

  override async startQuery(
    query: RegExp | null,
    filters?: IFilters
  ): Promise<void> {
    await super.startQuery(query, filters);
    await this.highlightNext(true, {
      from: 'selection-start',
      scroll: false,
      select: false
    });
  }

  getInitialQuery(): string {
    const { editor } = this.panel;
    const { start, end } = editor.getSelection();
    const source = editor.model.sharedModel.getSource();
    const chosen = source.slice(
      editor.getOffsetAt(start),
      editor.getOffsetAt(end)
    );
    return chosen.includes('\n') ? '' : chosen;
  }

  protected get editor(): CodeEditor.IEditor {
    return this.panel.editor;
  }

  protected get model(): CodeEditor.IModel {
    return this.panel.editor.model;
  }
}

/** An editor over its results: Find goes through the one that a person is in. */
class QuerySearch implements ISearchProvider {
  constructor(
    private readonly widget: Widget,
    panel: ISearchable
  ) {
    this._editor = new SqlSearch(panel);
    this._rows = new GridSearch(widget);
    this._chosen = this._editor;
    for (const provider of [this._editor, this._rows]) {
      provider.stateChanged.connect(() => this._stateChanged.emit());
    }
  }

  get stateChanged(): ISignal<this, void> {
    return this._stateChanged;
  }

  get currentMatchIndex(): number | null {
    return this._chosen.currentMatchIndex;
  }

  get matchesCount(): number | null {
    return this._chosen.matchesCount;
  }

  get isReadOnly(): boolean {
    return this._chosen.isReadOnly;
  }

  get replaceOptionsSupport(): IReplaceOptionsSupport | undefined {
    return this._chosen.replaceOptionsSupport;
  }

  get isDisposed(): boolean {
    return this._editor.isDisposed;
  }

  dispose(): void {
    this._editor.dispose();
    this._rows.dispose();
    Signal.clearData(this);
  }

  /** Lab asks for this when Find is called, and the focus is where a person is at work. */
  getInitialQuery(): string {
    const at = document.activeElement;
    if (at && this.widget.node.contains(at)) {
      const chosen = at.closest('.fc-Grid') ? this._rows : this._editor;
      if (chosen !== this._chosen) {
        void this._chosen.endQuery();
        this._chosen = chosen;
      }
    }
    return this._chosen.getInitialQuery();
  }

  startQuery(query: RegExp, filters: IFilters): Promise<void> {
    return this._chosen.startQuery(query, filters);
  }

  endQuery(): Promise<void> {
    return this._chosen.endQuery();
  }

  clearHighlight(): Promise<void> {
    return this._chosen.clearHighlight();
  }

  highlightNext(loop?: boolean): Promise<ISearchMatch | undefined> {
    return this._chosen.highlightNext(loop);
  }

  highlightPrevious(loop?: boolean): Promise<ISearchMatch | undefined> {
    return this._chosen.highlightPrevious(loop);
  }

  replaceCurrentMatch(
    text: string,
    loop?: boolean,
    options?: IReplaceOptions
  ): Promise<boolean> {
    return this._chosen.replaceCurrentMatch(text, loop, options);
  }

  replaceAllMatches(text: string, options?: IReplaceOptions): Promise<boolean> {
    return this._chosen.replaceAllMatches(text, options);
  }

  private _chosen: SqlSearch | GridSearch;
  private readonly _editor: SqlSearch;
  private readonly _rows: GridSearch;
  private readonly _stateChanged = new Signal<this, void>(this);
}

/** Where SQL editors are. */
export interface ISearchPlaces {
  /** Whether a widget has an editor, or will have when it is loaded. */
  has(widget: Widget): boolean;
  /** Its editor; null until it is loaded. */
  find(widget: Widget): ISearchable | null;
}

/** Makes Lab's Find for widgets that have a SQL editor. */
export function sqlSearch(places: ISearchPlaces): ISearchProviderFactory {
  return {
    isApplicable: (widget): widget is Widget => places.has(widget),
    createNew: widget => {
      const panel = places.find(widget);
      if (!panel) {
        throw new Error('The SQL editor is not loaded yet.');
      }
      return new QuerySearch(widget, panel);
    }
  };
}
