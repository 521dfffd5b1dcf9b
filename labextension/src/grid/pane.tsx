import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Drawn } from '../parts/drawn';

import type { CanvasGrid } from './canvas-widget';
import type { PagedModel } from './model';
import { RecordView } from './record';

/** What a record beside a grid needs of it. */
export interface IRecordPaneOptions {
  model: PagedModel;
  canvas: CanvasGrid;
  trans: TranslationBundle;
  /** The person has closed it. */
  closed(): void;
}

/** One record beside its grid: it follows the grid's cursor, and the cursor follows it. */
export class RecordPane extends Drawn {
  constructor(private readonly options: IRecordPaneOptions) {
    super(() => this.drawRecord());
    this.addClass('fc-Grid-record');
    this.hide();
    options.canvas.moved.connect(this.onCursor, this);
    // Before the grid has it, which would forget the cell instead.
    options.canvas.node.addEventListener('keydown', this._onKey, true);
  }

  override dispose(): void {
    this.options.canvas.node.removeEventListener('keydown', this._onKey, true);
    super.dispose();
  }

  /** Shows a row; by default the one at the cursor. */
  open(row?: number): void {
    const { cursor } = this.options.canvas;
    this._row = row ?? cursor?.row ?? 0;
    this._column = cursor?.column ?? null;
    this.show();
    this.update();
  }

  private onCursor({ cursor }: CanvasGrid): void {
    if (cursor && !this.isHidden) {
      this._row = cursor.row;
      this._column = cursor.column;
      this.update();
    }
  }

  private drawRecord(): JSX.Element {
    const { model, canvas, trans } = this.options;
    const total = model.total ?? 0;
    if (!total) {
      return <p className="fc-Record">{trans.__('No rows')}</p>;
    }
    return (
      <RecordView
        model={model}
        row={Math.min(this._row, total - 1)}
        column={this._column}
        trans={trans}
        onRow={row => {
          this._row = row;
          const column = this._column ?? model.layout.shown[0];
          canvas.select({ row, column });
          this.update();
        }}
        onClose={() => this.leave()}
      />
    );
  }

  private leave(): void {
    this.hide();
    this.options.closed();
  }

  /** Escape closes the record where Enter opened it. */
  private readonly _onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !this.isHidden) {
      event.preventDefault();
      event.stopPropagation();
      this.leave();
    }
  };

  private _row = 0;
  private _column: number | null = null;
}
