import type { Notebook } from '@jupyterlab/notebook';

import { type INodeDrag, NODE_MIME } from '../tokens';

import { isSqlCell } from './cells';
import { tableInPython } from './magic';

/** What a dropped node becomes in a cell. */
export function droppedText(drag: INodeDrag, sql: boolean): string {
  if (sql) {
    return drag.sqlName;
  }
  if (drag.kind === 'frame') {
    return drag.path[0];
  }
  if (drag.kind === 'table' || drag.kind === 'view') {
    return tableInPython(drag.sqlName);
  }
  return JSON.stringify(
    drag.kind === 'column' ? drag.path[drag.path.length - 1] : drag.sqlName
  );
}

/** Lets nodes of the catalog be dropped into a notebook's code cells. */
export function acceptDrops(notebook: Notebook): void {
  const { node } = notebook;
  const over = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes(NODE_MIME)) {
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    }
  };
  const drop = (event: DragEvent) => {
    const data = event.dataTransfer?.getData(NODE_MIME);
    if (data && insert(notebook, event, JSON.parse(data) as INodeDrag)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  // The editors would take the plain text first.
  node.addEventListener('dragover', over, true);
  node.addEventListener('drop', drop, true);
}

function insert(
  notebook: Notebook,
  { target, clientX, clientY }: DragEvent,
  drag: INodeDrag
): boolean {
  const cell = notebook.widgets.find(
    ({ node }) => target instanceof Node && node.contains(target)
  );
  const editor = cell?.editor;
  if (!cell || cell.model.type !== 'code' || !editor) {
    return false;
  }
  const place =
    editor.getPositionForCoordinate({
      left: clientX,
      right: clientX,
      top: clientY,
      bottom: clientY
    }) ?? editor.getCursorPosition();
  const at = editor.getOffsetAt(place);
  const text = droppedText(drag, isSqlCell(cell.model));
  cell.model.sharedModel.updateSource(at, at, text);
  notebook.activeCellIndex = notebook.widgets.indexOf(cell);
  editor.focus();
  const end = editor.getPositionAt(at + text.length);
  if (end) {
    editor.setCursorPosition(end);
  }
  return true;
}
