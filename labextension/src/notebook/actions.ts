import type { IDocumentManager } from '@jupyterlab/docmanager';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';

/** The end of the names of notebooks kept as YAML. */
export const SUFFIX = '.notebook.yaml';

/** Makes a notebook of ours in a folder and opens it. */
export async function openNewNotebook(
  documents: IDocumentManager,
  folder: string,
  source: string | null
): Promise<NotebookPanel | undefined> {
  const { contents } = documents.services;
  const { path } = await contents.newUntitled({
    path: folder,
    type: 'notebook',
    ext: SUFFIX
  });
  const panel = documents.openOrReveal(path, 'Notebook', {
    name: 'flowcat'
  }) as NotebookPanel | undefined;
  if (panel && source !== null) {
    await panel.context.ready;
    fillFirst(panel, source);
  }
  return panel;
}

/** Puts a cell below the active one. */
export function addCell(panel: NotebookPanel, source: string): void {
  const { content } = panel;
  const active = content.activeCell?.model;
  const free =
    active?.type === 'code' && active.sharedModel.getSource().trim() === '';
  if (!free) {
    NotebookActions.insertBelow(content);
    NotebookActions.changeCellType(content, 'code');
  }
  content.activeCell?.model.sharedModel.setSource(source);
}

/** Lab puts an empty cell into an empty notebook, a moment after it is there. */
function fillFirst({ model }: NotebookPanel, source: string): void {
  const shared = model?.sharedModel;
  if (!shared) {
    return;
  }
  if (shared.cells.length) {
    shared.getCell(0).setSource(source);
  } else {
    shared.insertCell(0, { cell_type: 'code', source });
  }
}
