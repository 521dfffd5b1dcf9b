import type { CodeEditor } from '@jupyterlab/codeeditor';
import { EditorSearchProvider } from '@jupyterlab/codemirror';
import type {
  IFilters,
  ISearchProvider,
  ISearchProviderFactory
} from '@jupyterlab/documentsearch';
import type { Widget } from '@lumino/widgets';

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
      return new SqlSearch(panel);
    }
  };
}
