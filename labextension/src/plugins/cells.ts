import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { ICompletionProviderManager } from '@jupyterlab/completer';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import { completionIcon } from '../icons';
import { DamageBanner } from '../notebook/banner';
import { SqlCells } from '../notebook/cells';
import { SqlCellTypeSwitcher } from '../notebook/celltype';
import { damageOf } from '../notebook/damage';
import { acceptDrops } from '../notebook/drop';
import { magicLine, sqlStart } from '../notebook/magic';
import { SqlCompletions } from '../sql/complete';
import { ICatalog, PACKAGE } from '../tokens';

/** SQL cells in any notebook: highlighting, completion, their type, and names dropped into them. */
export const cellsPlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:cells`,
  description: 'Makes SQL a type of cell in notebooks.',
  autoStart: true,
  requires: [ICatalog, INotebookTracker, IDocumentManager],
  optional: [ITranslator, IToolbarWidgetRegistry, ICompletionProviderManager],
  activate: (
    _app: JupyterFrontEnd,
    catalog: ICatalog,
    tracker: INotebookTracker,
    documents: IDocumentManager,
    translator: ITranslator | null,
    toolbars: IToolbarWidgetRegistry | null,
    completions: ICompletionProviderManager | null
  ): void => {
    const translation = translator ?? nullTranslator;
    const trans = translation.load('flowcat_jupyter');
    const known = new WeakMap<NotebookPanel, SqlCells>();
    const cellsOf = (panel: NotebookPanel) => {
      const cells = known.get(panel) ?? new SqlCells(panel.content);
      known.set(panel, cells);
      return cells;
    };
    tracker.widgetAdded.connect((_, panel) => {
      cellsOf(panel);
      acceptDrops(panel.content);
      watchDamage(panel, documents, trans);
    });
    toolbars?.addFactory<NotebookPanel>(
      'Notebook',
      'cellType',
      panel =>
        new SqlCellTypeSwitcher(
          panel.content,
          cellsOf(panel),
          translation,
          trans.__('SQL')
        )
    );
    completions?.registerProvider(
      new SqlCompletions({
        client: catalog.client,
        part: text => ({ start: sqlStart(text), names: magicLine(text) }),
        icon: completionIcon
      })
    );
  }
};

/** A damaged file starts no kernel, asks nothing, and says what is wrong above what it holds. */
function watchDamage(
  panel: NotebookPanel,
  documents: IDocumentManager,
  trans: TranslationBundle
): void {
  const { context, contentHeader } = panel;
  const { sessionContext } = context;
  let banner: DamageBanner | null = null;
  const look = () => {
    const damage = damageOf(context.model);
    if (!damage) {
      banner?.dispose();
      banner = null;
      return;
    }
    sessionContext.kernelPreference = {
      ...sessionContext.kernelPreference,
      shouldStart: false
    };
    if (!banner || banner.isDisposed) {
      banner = new DamageBanner(damage, trans, () => {
        documents.openOrReveal(context.path, 'Editor');
      });
      contentHeader.addWidget(banner);
    }
    // There is nothing to save, and nothing to be asked about when it is closed.
    context.model.dirty = false;
  };
  context.model.stateChanged.connect(look);
  context.model.metadataChanged.connect(look);
  context.model.contentChanged.connect(look);
  void context.ready.then(look);
}
