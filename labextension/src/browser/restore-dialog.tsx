import { Dialog, ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { DroppedTable } from '../api/types';
import { whyNot } from '../table/restoring';
import { ago } from '../table/words';

/** What a person chooses from, and what is done then. */
export interface IRestoreOptions {
  /** At least one. */
  dropped: readonly DroppedTable[];
  restore(table: DroppedTable): Promise<void>;
  trans: TranslationBundle;
}

/** Asks which dropped table to bring back, and stays until that is done or given up. */
export class RestoreDialog extends Dialog<DroppedTable> {
  constructor(private readonly asked: IRestoreOptions) {
    const { trans } = asked;
    const choice = new Choice(asked);
    super({
      title: trans.__('Restore a Dropped Table'),
      body: choice,
      buttons: [
        Dialog.cancelButton({ label: trans.__('Cancel') }),
        Dialog.okButton({ label: trans.__('Restore') })
      ],
      focusNodeSelector: 'select'
    });
    this._choice = choice;
  }

  override resolve(index = RESTORE): void {
    if (index === RESTORE) {
      void this.restore();
    } else {
      super.resolve(index);
    }
  }

  private async restore(): Promise<void> {
    const table = this._choice.getValue();
    if (this._working) {
      return;
    }
    this._working = true;
    this._choice.tell(null);
    try {
      await this.asked.restore(table);
      super.resolve(RESTORE);
    } catch (reason) {
      this._choice.tell(whyNot(reason, table.full_name, this.asked.trans));
    }
    this._working = false;
  }

  private _working = false;
  private readonly _choice: Choice;
}

/** The number of the button. */
const RESTORE = 1;

class Choice extends ReactWidget implements Dialog.IBodyWidget<DroppedTable> {
  constructor(private readonly asked: IRestoreOptions) {
    super();
    this.addClass('fc-Restore');
  }

  getValue(): DroppedTable {
    return this.asked.dropped[this._at];
  }

  /** Says why the table did not come back; null: nothing. */
  tell(refusal: string | null): void {
    this._refusal = refusal;
    this.update();
  }

  protected render(): JSX.Element {
    const { dropped, trans } = this.asked;
    return (
      <>
        <label>
          {trans.__('Table')}
          <HTMLSelect
            value={this._at}
            onChange={event => {
              this._at = Number(event.target.value);
              this.tell(null);
            }}
          >
            {dropped.map(({ dropped_id, full_name, dropped_at }, at) => (
              <option key={dropped_id} value={at}>
                {trans.__(
                  '%1, dropped %2',
                  full_name.join('.'),
                  ago(dropped_at)
                )}
              </option>
            ))}
          </HTMLSelect>
        </label>
        <p role="alert" className="fc-Error">
          {this._refusal}
        </p>
      </>
    );
  }

  private _at = 0;
  private _refusal: string | null = null;
}
