import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette, WidgetTracker } from '@jupyterlab/apputils';
import type { ISearchProviderRegistry } from '@jupyterlab/documentsearch';
import type { IMainMenu } from '@jupyterlab/mainmenu';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { CommandIDs } from '../commands';
import type { QueryDocument } from '../sql/document-widget';
import type { ScratchQuery } from '../sql/scratch-widget';
import { sqlSearch } from '../sql/search';
import type { QueryPanel } from '../sql/widget';

import { noArguments } from './selection';

/** The SQL editors that are open. */
export interface IOpenQueries {
  scratches: WidgetTracker<ScratchQuery>;
  files: WidgetTracker<QueryDocument>;
}

/** What the commands need. */
interface IQueryCommandsOptions {
  app: JupyterFrontEnd;
  open: IOpenQueries;
  trans: TranslationBundle;
  palette: ICommandPalette | null;
  mainMenu: IMainMenu | null;
  search: ISearchProviderRegistry | null;
}

/** The commands that act on the SQL editor in front, and Lab's own that reach it. */
export function addQueryCommands(options: IQueryCommandsOptions): void {
  const { app, open, trans, palette, mainMenu, search } = options;
  const { commands, shell } = app;
  const current = () => panelIn(open, shell.currentWidget);
  const add = (
    id: string,
    label: string,
    act: (panel: QueryPanel) => unknown,
    fits: (panel: QueryPanel) => boolean = () => true
  ) => {
    commands.addCommand(id, {
      label,
      describedBy: noArguments,
      isEnabled: () => {
        const panel = current();
        return panel !== null && fits(panel);
      },
      execute: () => {
        const panel = current();
        return panel && act(panel);
      }
    });
  };
  add(CommandIDs.runQuery, trans.__('Run Query'), panel => panel.run());
  add(CommandIDs.runAllQueries, trans.__('Run All Queries'), panel =>
    panel.runAll()
  );
  add(CommandIDs.previewChanges, trans.__('Preview Changes'), panel =>
    panel.preview()
  );
  add(
    CommandIDs.cancelQuery,
    trans.__('Cancel Query'),
    panel => panel.model.cancel(),
    panel => panel.model.state === 'running'
  );
  add(CommandIDs.completeQuery, trans.__('Complete SQL'), panel =>
    panel.completer?.invoke()
  );
  add(CommandIDs.acceptCompletion, trans.__('Take the Proposal'), panel =>
    panel.completer?.completer.selectActive()
  );
  commands.addCommand(CommandIDs.saveQuery, {
    label: trans.__('Save Query as File…'),
    describedBy: noArguments,
    isEnabled: () => scratchIn(open, shell.currentWidget) !== null,
    execute: () => scratchIn(open, shell.currentWidget)?.save()
  });
  const changed = () => {
    for (const id of [CommandIDs.runQuery, CommandIDs.saveQuery]) {
      commands.notifyCommandChanged(id);
    }
  };
  open.scratches.currentChanged.connect(changed);
  open.files.currentChanged.connect(changed);
  for (const command of [
    CommandIDs.runQuery,
    CommandIDs.runAllQueries,
    CommandIDs.previewChanges,
    CommandIDs.cancelQuery,
    CommandIDs.saveQuery
  ]) {
    palette?.addItem({ command, category: trans.__('Catalog') });
  }
  const isEnabled = (widget: Widget) => panelIn(open, widget) !== null;
  const runners = mainMenu?.runMenu.codeRunners;
  runners?.run.add({ id: CommandIDs.runQuery, isEnabled });
  runners?.runAll.add({ id: CommandIDs.runAllQueries, isEnabled });
  // To restart is to begin anew with what runs now stopped.
  runners?.restart.add({ id: CommandIDs.cancelQuery, isEnabled });
  search?.add(
    'flowcat:sql',
    sqlSearch({
      has: widget =>
        open.files.find(file => file === widget) !== undefined ||
        scratchIn(open, widget) !== null,
      find: widget => panelIn(open, widget)
    })
  );
}

function scratchIn(
  { scratches }: IOpenQueries,
  widget: Widget | null
): ScratchQuery | null {
  return scratches.find(query => query === widget) ?? null;
}

function panelIn(open: IOpenQueries, widget: Widget | null): QueryPanel | null {
  const document = open.files.find(file => file === widget);
  return document?.panel ?? scratchIn(open, widget)?.content ?? null;
}
