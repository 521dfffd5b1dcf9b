import { ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IDamage } from './damage';

/** Says above a notebook why its file is not shown as one, and leads to its text. */
export class DamageBanner extends ReactWidget {
  constructor(
    private readonly damage: IDamage,
    private readonly trans: TranslationBundle,
    /** Opens the file as text. */
    private readonly openText: () => void
  ) {
    super();
    this.addClass('fc-Damage');
    this.node.setAttribute('role', 'alert');
  }

  protected render(): JSX.Element {
    const { damage, trans } = this;
    const { reason, hint } = damage;
    return (
      <>
        <p>
          <strong>
            {trans.__('This file is damaged and open for reading only.')}
          </strong>{' '}
          {reason} {hint}
        </p>
        <button className="jp-mod-styled jp-mod-reject" onClick={this.openText}>
          {trans.__('Open as Text')}
        </button>
      </>
    );
  }
}
