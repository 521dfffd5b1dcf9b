import { changeable } from './edits';
import { expandable, type IItem, nameOf } from './items';
import type { TreeModel } from './model';

/** What the tree lets a person do with a row. */
export interface ITreeActions {
  open(item: IItem): void;
  preview(item: IItem): void;
  drop(item: IItem): void;
  rename(item: IItem, name: string): Promise<boolean>;
}

/** Where a key was struck. */
export interface IKeyContext {
  model: TreeModel;
  actions: ITreeActions;
  /** Starts to edit the name of a row. */
  onEdit(key: string): void;
  /** The line that has the focus. */
  at: number;
  /** Lines in a page. */
  page: number;
}

/** Tables and views have a page of their own. */
export function opens({ kind }: IItem): boolean {
  return kind === 'table' || kind === 'view';
}

/** Does what a key means in the tree; false where it means nothing. */
export function treeKey(key: string, context: IKeyContext): boolean {
  const { model, actions, onEdit, at, page } = context;
  const row = model.rows[at];
  const item = row?.type === 'item' ? row.item : null;
  const move: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: model.rows.length - 1,
    PageDown: at + page,
    PageUp: at - page
  };
  const act: Record<string, () => void> = {
    ArrowRight: () => item && right(model, item),
    ArrowLeft: () => item && left(model, item),
    Enter: () =>
      item &&
      (opens(item)
        ? actions.open(item)
        : void model.setExpanded(item, !item.expanded)),
    ' ': () => item && opens(item) && actions.preview(item),
    F2: () => item && changeable(item) && onEdit(item.key),
    Delete: () => item && item.kind !== 'column' && actions.drop(item)
  };
  if (key in move) {
    go(model, move[key], move[key] < at ? -1 : 1);
  } else if (key in act) {
    act[key]();
  } else if (/^\S$/u.test(key)) {
    type(model, key, at);
  } else {
    return false;
  }
  return true;
}

/** Selects a line, or the nearest one that is not a note. */
function go(model: TreeModel, line: number, step: number): void {
  let to = Math.max(0, Math.min(model.rows.length - 1, line));
  while (model.rows[to] && model.rows[to].type !== 'item') {
    to += step;
  }
  const row = model.rows[to];
  if (row?.type === 'item') {
    model.select(row.item.key);
  }
}

function right(model: TreeModel, item: IItem): void {
  if (expandable(item) && !item.expanded) {
    void model.setExpanded(item, true);
  } else if (item.children?.length) {
    model.select(item.children[0].key);
  }
}

function left(model: TreeModel, item: IItem): void {
  if (item.expanded) {
    void model.setExpanded(item, false);
  } else if (item.parent) {
    model.select(item.parent.key);
  }
}

let typed = { text: '', time: 0 };

/** Typing goes to the next row that begins so. */
function type(model: TreeModel, key: string, at: number): void {
  const now = performance.now();
  const text = now - typed.time < 800 ? typed.text + key : key;
  typed = { text, time: now };
  const from = text.length > 1 ? Math.max(0, at) : at + 1;
  const { rows } = model;
  for (let step = 0; step < rows.length; step += 1) {
    const row = rows[(from + step) % rows.length];
    if (
      row.type === 'item' &&
      nameOf(row.item).toLowerCase().startsWith(text.toLowerCase())
    ) {
      model.select(row.item.key);
      return;
    }
  }
}
