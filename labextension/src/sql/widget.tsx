import {
  CodeEditorWrapper,
  type IEditorServices
} from '@jupyterlab/codeeditor';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { CompletionHandler } from '@jupyterlab/completer';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { type ISignal, Signal } from '@lumino/signaling';
import { BoxLayout, SplitPanel, Widget } from '@lumino/widgets';

import type { ChartMemory } from '../chart/memory';
import type { ExportFormat, SavedQueryReply } from '../api/types';
import type { IView } from '../grid/rows';

import type { RunHistory } from './history';
import { SQL_MIME } from './language';
import { markError, sqlEditing } from './marks';
import type { QueryModel } from './model';
import { ResultsPane, type SaveForm } from './results';
import type { SavedQueries } from './saved';
import type { ScopeModel } from './scope';
import { type ISpan, statementAt, trimmed } from './text';

/** Escape has just been pressed: the next Tab leaves the text instead of completing it. */
const LEAVING = 'fc-mod-leaving';
/** As long as CodeMirror itself lets Tab go after an Escape. */
const LEAVING_MS = 2000;

/** What a SQL editor is made of. */
export interface IQueryPanelOptions {
  /** Its text. */
  text: CodeEditor.IModel;
  model: QueryModel;
  scope: ScopeModel;
  history: RunHistory;
  saved: SavedQueries;
  charts: ChartMemory;
  /** Draws charts; null where nothing does. */
  rendermime: IRenderMimeRegistry | null;
  editors: IEditorServices;
  trans: TranslationBundle;
  /** Keeps the result in one of the forms it can have. */
  save(form: SaveForm, panel: QueryPanel): void;
  /** Exports the result that is shown. */
  export(format: ExportFormat, view: IView, panel: QueryPanel): void;
  openSaved(query: SavedQueryReply): void;
  removeSaved(query: SavedQueryReply): void;
}

/** An editor of SQL over the results of what it ran. */
export class QueryPanel extends Widget {
  constructor(private readonly options: IQueryPanelOptions) {
    super();
    const { text, model, editors, trans } = options;
    this.addClass('fc-Query');
    // Lab's Run menu and its shortcuts work here.
    this.node.dataset.jpCodeRunner = 'true';
    text.mimeType = SQL_MIME;
    this._wrapper = new CodeEditorWrapper({
      model: text,
      factory: editors.factoryService.newDocumentEditor,
      editorOptions: {
        config: { lineWrap: true, lineNumbers: true },
        extensions: sqlEditing(trans.__('SQL'))
      }
    });
    this._wrapper.addClass('fc-Query-editor');
    // Lab's own style lets the text fill its place.
    this._wrapper.addClass('jp-FileEditorCodeWrapper');
    this._wrapper.node.addEventListener('keydown', this._onKey, true);
    this._results = new ResultsPane({
      ...options,
      save: form => options.save(form, this),
      export: (format, view) => options.export(format, view, this),
      open: query => this.replace(query)
    });
    this._split = new SplitPanel({ orientation: 'vertical', spacing: 1 });
    this._split.addWidget(this._wrapper);
    this._split.addWidget(this._results);
    this._split.setRelativeSizes([3, 1]);
    const layout = new BoxLayout({ spacing: 0 });
    this.layout = layout;
    layout.addWidget(this._split);
    model.changed.connect(this.onRun, this);
    text.sharedModel.changed.connect(this.onEdit, this);
    this.onRun();
  }

  /** What proposes text here. */
  completer: CompletionHandler | null = null;

  /** Says that a person asked for a result. */
  get ran(): ISignal<this, void> {
    return this._ran;
  }

  get model(): QueryModel {
    return this.options.model;
  }

  get scope(): ScopeModel {
    return this.options.scope;
  }

  get editor(): CodeEditor.IEditor {
    return this._wrapper.editor;
  }

  /** The text as it stands. */
  get source(): string {
    return this.options.text.sharedModel.getSource();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    window.clearTimeout(this._leaving);
    this.options.text.sharedModel.changed.disconnect(this.onEdit, this);
    if (!this._released) {
      this.options.model.dispose();
      this.options.scope.dispose();
    }
    super.dispose();
  }

  /** Lets another editor go on with what this one ran. */
  release(): void {
    this._released = true;
  }

  /** Runs the selection, else the statement at the cursor. */
  run(): void {
    this._ran.emit();
    const span = this.spanToRun();
    if (span) {
      void this.model.run({ text: this.source, span });
    }
  }

  /** Asks what the selection, else the statement at the cursor, would change. */
  preview(): void {
    this._ran.emit();
    const span = this.spanToRun();
    if (span) {
      void this.model.preview({ text: this.source, span });
    }
  }

  /** Runs the whole text. */
  runAll(): void {
    this._ran.emit();
    const text = this.source;
    const span = trimmed(text, { start: 0, end: text.length });
    if (span.start < span.end) {
      void this.model.run({ text, span });
    }
  }

  /** Puts another text in place of this one; it can be undone. */
  replace(query: string): void {
    this.options.text.sharedModel.setSource(query);
    this.editor.focus();
  }

  protected override onActivateRequest(_msg: Message): void {
    this.editor.focus();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    void this.scope.load();
  }

  private spanToRun(): ISpan | null {
    const { editor } = this;
    const { start, end } = editor.getSelection();
    const [one, other] = [editor.getOffsetAt(start), editor.getOffsetAt(end)];
    const chosen = trimmed(this.source, {
      start: Math.min(one, other),
      end: Math.max(one, other)
    });
    if (chosen.start < chosen.end) {
      return chosen;
    }
    const cursor = editor.getOffsetAt(editor.getCursorPosition());
    return statementAt(this.source, cursor);
  }

  private onRun(): void {
    const { model } = this;
    if (model.state !== 'idle' && !this._roomy) {
      this._roomy = true;
      this._split.setRelativeSizes([2, 3]);
    }
    const { failure } = model;
    if (this.editor instanceof CodeMirrorEditor && !this._editing) {
      const mark = failure?.span
        ? { ...failure.span, message: failure.message }
        : null;
      markError(this.editor.editor, mark);
    }
  }

  private onEdit(): void {
    // The editor is at work, and takes the line away itself.
    this._editing = true;
    this.model.edited();
    this._editing = false;
  }

  private readonly _onKey = ({ key }: KeyboardEvent) => {
    if (
      key !== 'Escape' ||
      this.node.querySelector('.jp-mod-completer-active')
    ) {
      return;
    }
    this.addClass(LEAVING);
    window.clearTimeout(this._leaving);
    this._leaving = window.setTimeout(() => {
      this.removeClass(LEAVING);
    }, LEAVING_MS);
  };

  private _leaving = 0;
  private readonly _ran = new Signal<this, void>(this);
  private _released = false;
  /** Whether the results have been given the larger part. */
  private _roomy = false;
  private _editing = false;
  private readonly _wrapper: CodeEditorWrapper;
  private readonly _results: ResultsPane;
  private readonly _split: SplitPanel;
}
