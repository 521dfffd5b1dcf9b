import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { InputDialog } from '@jupyterlab/apputils';
import { CodeEditor, type IEditorServices } from '@jupyterlab/codeeditor';
import { PathExt } from '@jupyterlab/coreutils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { messageOf } from '../api/errors';
import { CommandIDs, type IQueryArgs } from '../commands';
import { completionIcon } from '../icons';
import type { ICatalog } from '../tokens';

import { SqlCompletions } from './complete';
import { attachCompleter } from './completer-widget';
import type { QueryDocument } from './document-widget';
import { exported } from './export';
import type { RunHistory } from './history';
import { QueryModel } from './model';
import { ScopeModel } from './scope';
import { ScratchQuery } from './scratch-widget';
import { QueryToolbar } from './toolbar';
import { QueryPanel } from './widget';
import type { SaveForm } from './words';

/** What the making of SQL editors needs. */
export interface IQueryActionsOptions {
  catalog: ICatalog;
  commands: CommandRegistry;
  documents: IDocumentManager;
  editors: IEditorServices;
  history: RunHistory;
  trans: TranslationBundle;
  /** The name of the factory that opens `.sql` files. */
  factory: string;
  /** The folder a new file goes to. */
  folder(): string;
}

/** Makes SQL editors, and keeps what they hold as files. */
export class QueryActions {
  constructor(private readonly options: IQueryActionsOptions) {}

  /** A SQL editor without a file. */
  scratch({
    query,
    catalog,
    schema,
    number,
    edited
  }: IQueryArgs): ScratchQuery {
    const { trans } = this.options;
    const text = new CodeEditor.Model();
    text.sharedModel.setSource(query ?? '');
    const own = number ?? 1;
    const name = trans.__('Query %1', own);
    const scope = this.scope({ catalog, schema });
    const panel = this.panel(text, scope, this.model(scope), name);
    const save = (from: ScratchQuery) => this.saveAsFile(from);
    return new ScratchQuery({
      panel,
      text,
      number: own,
      name,
      edited: edited ?? false,
      trans,
      save
    });
  }

  /** Fills a `.sql` file's document with its editor. */
  fill(document: QueryDocument): void {
    if (document.isDisposed) {
      return;
    }
    const { context, content, toolbar } = document;
    const moved = this._moving.get(context.path);
    this._moving.delete(context.path);
    const scope = moved?.scope ?? this.scope({});
    const model = moved?.model ?? this.model(scope);
    const name = PathExt.basename(context.path, '.sql');
    const panel = this.panel(context.model, scope, model, name);
    document.panel = panel;
    content.addWidget(panel);
    toolbar.addItem('query', new QueryToolbar(panel, this.options.trans));
    if (document.isVisible) {
      panel.activate();
    }
  }

  /** Asks for a name and saves the text; the editor goes on with the file. */
  async saveAsFile(query: ScratchQuery): Promise<boolean> {
    const { trans, documents, factory, folder } = this.options;
    const { contents } = documents.services;
    const { button, value } = await InputDialog.getText({
      title: trans.__('Save %1', query.name),
      label: trans.__('File'),
      text: PathExt.join(folder(), `${query.name}.sql`),
      okLabel: trans.__('Save')
    });
    const path = withEnding(value?.trim() ?? '');
    if (!button.accept || !path || !(await this.mayWrite(path))) {
      return false;
    }
    const panel = query.content;
    try {
      await contents.save(path, {
        type: 'file',
        format: 'text',
        content: panel.source
      });
    } catch (reason) {
      Notification.error(messageOf(reason), { autoClose: false });
      return false;
    }
    this._moving.set(path, panel);
    panel.release();
    const options = { ref: query.id, mode: 'tab-after' } as const;
    documents.openOrReveal(path, factory, undefined, options);
    query.dispose();
    return true;
  }

  /** Keeps a result in a form a person chose. */
  async save(form: SaveForm, panel: QueryPanel, name: string): Promise<void> {
    const { catalog, commands, trans } = this.options;
    const reply = panel.model.result?.reply;
    if (!reply) {
      return;
    }
    try {
      if (form === 'cell') {
        // Without an open notebook there is to be a new one.
        const command = commands.isEnabled(CommandIDs.addToNotebook)
          ? CommandIDs.addToNotebook
          : CommandIDs.newNotebook;
        await commands.execute(command, {
          query: panel.model.statement ?? panel.source,
          ...panel.scope.names
        });
        return;
      }
      const file = await exported(catalog.client, reply, form, this.zone);
      const blob = new Blob(file.parts, { type: file.type });
      download(blob, `${name}.${file.ending}`);
      if (reply.truncated) {
        Notification.warning(
          trans.__(
            'The file has the first %1 rows. Choose Show all first to save every row.',
            reply.row_count.toLocaleString('en')
          )
        );
      }
    } catch (reason) {
      Notification.error(messageOf(reason), { autoClose: false });
    }
  }

  private get zone(): string {
    return this.options.catalog.feed.status?.session_timezone ?? 'UTC';
  }

  private scope(names: IQueryArgs): ScopeModel {
    const { client, feed } = this.options.catalog;
    return new ScopeModel(client, feed, names);
  }

  private model(scope: ScopeModel): QueryModel {
    const { catalog, history } = this.options;
    return new QueryModel(
      catalog.client,
      history,
      () => this.zone,
      () => scope.names
    );
  }

  private panel(
    text: CodeEditor.IModel,
    scope: ScopeModel,
    model: QueryModel,
    name: string
  ): QueryPanel {
    const { catalog, editors, history, trans } = this.options;
    const panel = new QueryPanel({
      text,
      model,
      scope,
      history,
      editors,
      trans,
      save: (form, of) => void this.save(form, of, name)
    });
    panel.completer = attachCompleter(
      panel,
      new SqlCompletions({
        client: catalog.client,
        part: () => ({ start: 0, names: scope.names }),
        icon: completionIcon
      })
    );
    return panel;
  }

  private async mayWrite(path: string): Promise<boolean> {
    const { trans, documents } = this.options;
    try {
      await documents.services.contents.get(path, { content: false });
    } catch {
      return true;
    }
    const { button } = await showDialog({
      title: trans.__('Replace %1?', path),
      body: trans.__('A file of this name is there already.'),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Cancel') }),
        Dialog.warnButton({ label: trans.__('Replace') })
      ]
    });
    return button.accept;
  }

  /** Editors on their way from no file to one, with what they ran. */
  private readonly _moving = new Map<string, QueryPanel>();
}

function withEnding(path: string): string {
  return !path || /\.sql$/i.test(path) ? path : `${path}.sql`;
}

/** Hands a file to the browser. */
function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
