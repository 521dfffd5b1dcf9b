import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { InputDialog } from '@jupyterlab/apputils';
import { CodeEditor, type IEditorServices } from '@jupyterlab/codeeditor';
import { PathExt } from '@jupyterlab/coreutils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { messageOf } from '../api/errors';
import type { ChartRequest, ExportFormat, SavedQueryReply } from '../api/types';
import type { ChartMemory } from '../chart/memory';
import { CommandIDs, type IQueryArgs } from '../commands';
import { exportRows } from '../grid/export-widget';
import type { IView } from '../grid/rows';
import { completionIcon } from '../icons';
import type { ICatalog } from '../tokens';

import { SqlCompletions } from './complete';
import { attachCompleter } from './completer-widget';
import type { QueryDocument } from './document-widget';
import type { RunHistory } from './history';
import { QueryModel } from './model';
import type { SaveForm } from './results';
import { SavedQueries } from './saved';
import { ScopeModel } from './scope';
import { ScratchQuery } from './scratch-widget';
import { QueryToolbar } from './toolbar';
import { QueryPanel } from './widget';
import { isCut } from './words';

/** What the making of SQL editors needs. */
export interface IQueryActionsOptions {
  catalog: ICatalog;
  commands: CommandRegistry;
  documents: IDocumentManager;
  editors: IEditorServices;
  history: RunHistory;
  charts: ChartMemory;
  /** Draws charts; null where nothing does. */
  rendermime: IRenderMimeRegistry | null;
  trans: TranslationBundle;
  /** The name of the factory that opens `.sql` files. */
  factory: string;
  /** The folder a new file goes to. */
  folder(): string;
}

/** Makes SQL editors, and keeps what they hold as files. */
export class QueryActions {
  constructor(private readonly options: IQueryActionsOptions) {
    this._saved = new SavedQueries(options.catalog.client);
  }

  /** A SQL editor without a file. */
  scratch({
    query,
    catalog,
    schema,
    engine,
    number,
    edited
  }: IQueryArgs): ScratchQuery {
    const { trans } = this.options;
    const text = new CodeEditor.Model();
    text.sharedModel.setSource(query ?? '');
    const own = number ?? 1;
    const name = trans.__('Query %1', own);
    const scope = this.scope({ catalog, schema, engine });
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

  /** Keeps what gave a result, in a form a person chose. */
  async save(form: SaveForm, panel: QueryPanel, name: string): Promise<void> {
    const { commands } = this.options;
    const query = panel.model.statement ?? panel.source;
    try {
      if (form === 'query') {
        await this.saveQuery(query, panel, name);
        return;
      }
      // Without an open notebook there is to be a new one.
      const command = commands.isEnabled(CommandIDs.addToNotebook)
        ? CommandIDs.addToNotebook
        : CommandIDs.newNotebook;
      await commands.execute(command, { query, ...panel.scope.names });
    } catch (reason) {
      Notification.error(messageOf(reason), { autoClose: false });
    }
  }

  /** Exports the result that is shown; of one that was cut, every row is computed first. */
  async export(
    format: ExportFormat,
    view: IView,
    { model }: QueryPanel,
    name: string
  ): Promise<void> {
    const { trans } = this.options;
    if (model.result && isCut(model.result.reply)) {
      await model.runForAll();
    }
    const whole = model.result?.source?.whole;
    if (whole && model.state === 'done') {
      await exportRows({ whole, view: () => view, name, trans }, format);
    }
  }

  /** Opens a saved query in an editor of its own. */
  async openSaved(saved: SavedQueryReply): Promise<void> {
    const { text, catalog, schema, chart } = saved;
    if (chart) {
      this.options.charts.keep(text, chart as ChartRequest);
    }
    await this.options.commands.execute(CommandIDs.newQuery, {
      query: text,
      catalog,
      schema
    });
  }

  /** Removes a saved query, after asking. */
  async removeSaved({ id, name }: SavedQueryReply): Promise<void> {
    const { trans } = this.options;
    const { button } = await showDialog({
      title: trans.__('Remove the saved query %1?', name),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Cancel') }),
        Dialog.warnButton({ label: trans.__('Remove') })
      ]
    });
    if (button.accept) {
      try {
        await this._saved.remove(id);
      } catch (reason) {
        Notification.error(messageOf(reason), { autoClose: false });
      }
    }
  }

  private async saveQuery(
    text: string,
    { scope }: QueryPanel,
    name: string
  ): Promise<void> {
    const { trans, charts } = this.options;
    await this._saved.load();
    const { button, value } = await InputDialog.getText({
      title: trans.__('Save the query'),
      label: trans.__('Name'),
      text: name,
      okLabel: trans.__('Save')
    });
    const wanted = value?.trim();
    if (!button.accept || !wanted) {
      return;
    }
    if (this._saved.named(wanted) && !(await this.mayReplace(wanted))) {
      return;
    }
    const chart = charts.get(text) as SavedQueryReply['chart'];
    await this._saved.save({ name: wanted, text, chart, ...scope.names });
    Notification.success(trans.__('%1 is saved; History lists it.', wanted), {
      autoClose: 4000
    });
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
    return new QueryModel({
      client: catalog.client,
      history,
      zone: () => this.zone,
      names: () => scope.names,
      use: ({ catalog, schema }) => void scope.use(catalog, schema),
      engine: () => scope.engine
    });
  }

  private panel(
    text: CodeEditor.IModel,
    scope: ScopeModel,
    model: QueryModel,
    name: string
  ): QueryPanel {
    const { catalog, editors, history, charts, rendermime, trans } =
      this.options;
    const panel = new QueryPanel({
      text,
      model,
      scope,
      history,
      saved: this._saved,
      charts,
      rendermime,
      editors,
      trans,
      save: (form, of) => void this.save(form, of, name),
      export: (format, view, of) => void this.export(format, view, of, name),
      openSaved: query => void this.openSaved(query),
      removeSaved: query => void this.removeSaved(query)
    });
    panel.completer = attachCompleter(
      panel,
      new SqlCompletions({
        client: catalog.client,
        part: () => ({ start: 0, names: scope.names }),
        session: model.session,
        icon: completionIcon
      })
    );
    return panel;
  }

  private async mayWrite(path: string): Promise<boolean> {
    const { documents } = this.options;
    try {
      await documents.services.contents.get(path, { content: false });
    } catch {
      return true;
    }
    return this.mayReplace(path);
  }

  private async mayReplace(name: string): Promise<boolean> {
    const { trans } = this.options;
    const { button } = await showDialog({
      title: trans.__('Replace %1?', name),
      body: trans.__('There is one of this name already.'),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Cancel') }),
        Dialog.warnButton({ label: trans.__('Replace') })
      ]
    });
    return button.accept;
  }

  private readonly _saved: SavedQueries;
  /** Editors on their way from no file to one, with what they ran. */
  private readonly _moving = new Map<string, QueryPanel>();
}

function withEnding(path: string): string {
  return !path || /\.sql$/i.test(path) ? path : `${path}.sql`;
}
