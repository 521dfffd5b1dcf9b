import type { Cell, ICellModel } from '@jupyterlab/cells';
import type { Notebook } from '@jupyterlab/notebook';
import { type ISignal, Signal } from '@lumino/signaling';

import { SQL_MIME } from '../sql/language';

import { isSql } from './magic';

/** Shows a notebook's SQL cells as SQL, whoever made them so. */
export class SqlCells {
  constructor(private readonly notebook: Notebook) {
    notebook.modelContentChanged.connect(this.look, this);
    notebook.modelChanged.connect(this.look, this);
    notebook.disposed.connect(this.dispose, this);
    this.look();
  }

  /** Which cells are SQL is otherwise now. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  dispose(): void {
    Signal.clearData(this);
  }

  private look(): void {
    for (const { model } of this.notebook.widgets) {
      if (!this._known.has(model)) {
        this._known.add(model);
        // Lab gives every cell the kernel's language when the kernel tells it.
        model.mimeTypeChanged.connect(this.look, this);
      }
      this.set(model);
    }
  }

  private set(model: ICellModel): void {
    const sql = isSqlCell(model);
    if (sql === (model.mimeType === SQL_MIME)) {
      return;
    }
    model.mimeType = sql ? SQL_MIME : this.notebook.codeMimetype;
    this._changed.emit();
  }

  private readonly _known = new WeakSet<ICellModel>();
  private readonly _changed = new Signal<this, void>(this);
}

/** Whether a cell is a SQL cell. */
export function isSqlCell(model: ICellModel): boolean {
  return model.type === 'code' && isSql(model.sharedModel.getSource());
}

/** The selected cells and the active one. */
export function chosenCells(notebook: Notebook): Cell[] {
  return notebook.widgets.filter(cell => notebook.isSelectedOrActive(cell));
}
