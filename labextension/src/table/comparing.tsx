import type { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon, HTMLSelect } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { DiffReply } from '../api/types';
import { isNumeric } from '../grid/rows';
import { Working } from '../parts/working';

import type { Comparison } from './comparison';
import { didOf } from './history';
import type { TableModel } from './model';
import { columnText, nothingDiffers, rowsText, settingText } from './telling';
import { ago } from './words';

const NULL = 'NULL';

/** What the comparison of two versions shows and does. */
export interface IComparisonProps {
  model: TableModel;
  comparison: Comparison;
  trans: TranslationBundle;
  /** Goes back to a version, after asking; null where the person may not. */
  onRestore: ((version: number) => void) | null;
}

/** Two versions held against each other, in a panel of its own. */
export function ComparisonPanel(props: IComparisonProps): JSX.Element | null {
  const { comparison, trans } = props;
  const { purpose, before, after } = comparison;
  const panel = React.useRef<HTMLElement>(null);
  React.useEffect(() => {
    panel.current?.scrollIntoView({ block: 'nearest' });
    panel.current?.focus({ preventScroll: true });
  }, [purpose, before, after]);
  if (!purpose) {
    return null;
  }
  const title =
    purpose === 'restore'
      ? trans.__('What restoring version %1 would change', after)
      : trans.__('What differs between two versions');
  return (
    <section
      ref={panel}
      className="fc-Diff"
      tabIndex={-1}
      aria-label={title}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          comparison.close();
          event.stopPropagation();
        }
      }}
    >
      <header>
        <h3>{title}</h3>
        <button
          className="jp-Button jp-mod-minimal"
          title={trans.__('Close the comparison')}
          aria-label={trans.__('Close the comparison')}
          onClick={() => comparison.close()}
        >
          <closeIcon.react tag="span" />
        </button>
      </header>
      {purpose === 'compare' && <Versions {...props} />}
      <Outcome {...props} />
      {purpose === 'restore' && <Restore {...props} />}
    </section>
  );
}

/** Which versions are compared. */
function Versions(props: IComparisonProps): JSX.Element {
  const { comparison, trans } = props;
  const { before, after } = comparison;
  return (
    <div className="fc-Diff-versions">
      <Choice
        {...props}
        label={trans.__('From')}
        chosen={before}
        onChoose={version => void comparison.compare(version, after)}
      />
      <Choice
        {...props}
        label={trans.__('To')}
        chosen={after}
        onChoose={version => void comparison.compare(before, version)}
      />
      <button
        className="jp-mod-styled jp-mod-reject"
        onClick={() => void comparison.swap()}
      >
        {trans.__('Swap')}
      </button>
    </div>
  );
}

function Choice(
  props: IComparisonProps & {
    label: string;
    chosen: number;
    onChoose(version: number): void;
  }
): JSX.Element {
  const { model, trans, label, chosen, onChoose } = props;
  const history = model.history ?? [];
  return (
    <label>
      <span>{label}</span>
      <HTMLSelect
        value={String(chosen)}
        onChange={event => onChoose(Number(event.target.value))}
      >
        {history.every(({ version }) => version !== chosen) && (
          <option value={chosen}>{trans.__('Version %1', chosen)}</option>
        )}
        {history.map(entry => (
          <option key={entry.version} value={entry.version}>
            {[
              trans.__('Version %1', entry.version),
              didOf(entry, trans),
              ago(entry.timestamp)
            ].join(' · ')}
          </option>
        ))}
      </HTMLSelect>
    </label>
  );
}

/** How the comparison stands, and what it found. */
function Outcome(props: IComparisonProps): JSX.Element {
  const { comparison, trans } = props;
  const { state, error, diff, since } = comparison;
  if (state === 'loading') {
    return (
      <Working
        text={trans.__('Comparing…')}
        since={since}
        trans={trans}
        onCancel={() => comparison.cancel()}
      />
    );
  }
  if (state === 'failed' || state === 'cancelled') {
    return (
      <p role={state === 'failed' ? 'alert' : 'status'}>
        <span className={state === 'failed' ? 'fc-Error' : ''}>
          {error ?? trans.__('Cancelled.')}
        </span>
        <button
          className="fc-Link fc-mod-after"
          onClick={() => void comparison.again()}
        >
          {trans.__('Compare again')}
        </button>
      </p>
    );
  }
  if (!diff) {
    return <></>;
  }
  return nothingDiffers(diff) ? (
    <p role="status">{trans.__('Nothing differs.')}</p>
  ) : (
    <Differences diff={diff} trans={trans} />
  );
}

function Differences(props: {
  diff: DiffReply;
  trans: TranslationBundle;
}): JSX.Element {
  const { diff, trans } = props;
  const { columns, settings } = diff;
  return (
    <>
      <p role="status">{rowsText(diff, trans)}</p>
      {columns.length > 0 && (
        <Listed
          title={trans.__('Columns')}
          texts={columns.map(change => columnText(change, trans))}
        />
      )}
      {settings.length > 0 && (
        <Listed
          title={trans.__('Properties and rules')}
          texts={settings.map(change => settingText(change, trans))}
        />
      )}
      <Caveats {...props} />
      {diff.sample.length > 0 && <Sample {...props} />}
    </>
  );
}

function Listed(props: { title: string; texts: string[] }): JSX.Element {
  return (
    <>
      <h4>{props.title}</h4>
      <ul>
        {props.texts.map(text => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

/** By what rows were compared, where that is not by everything. */
function Caveats(props: {
  diff: DiffReply;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { diff, trans } = props;
  const { columns, compared, left_out, added } = diff;
  if (added === null) {
    return (
      <p className="fc-Quiet">
        {trans.__(
          'Rows cannot be compared: the versions have no column in common.'
        )}
      </p>
    );
  }
  const changed = columns.some(({ before, after }) => !before || !after);
  if (!left_out.length && !changed) {
    return null;
  }
  return (
    <p className="fc-Quiet">
      {trans.__(
        'Rows are compared by the columns that both versions have: %1.',
        compared.map(({ name }) => name).join(', ')
      )}
      {left_out.length > 0 &&
        ' ' +
          trans.__(
            'Of another type now, and so left out: %1.',
            left_out.join(', ')
          )}
    </p>
  );
}

/** Some of the rows that only one version has. */
function Sample(props: {
  diff: DiffReply;
  trans: TranslationBundle;
}): JSX.Element {
  const { diff, trans } = props;
  const { sample, compared, added, removed } = diff;
  const told = sample.reduce((sum, { count }) => sum + count, 0);
  const all = (added ?? 0) + (removed ?? 0);
  const several = sample.some(({ count }) => count > 1);
  const label =
    told < all
      ? trans.__('Some of the rows that differ')
      : trans.__('The rows that differ');
  return (
    <div className="fc-Diff-rows" tabIndex={0} role="region" aria-label={label}>
      <table className="fc-Table">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="fc-mod-unseen">{trans.__('Change')}</span>
            </th>
            {several && (
              <th scope="col" className="fc-mod-number">
                {trans.__('Times')}
              </th>
            )}
            {compared.map(({ name, type }) => (
              <th
                key={name}
                scope="col"
                title={type}
                className={isNumeric(type) ? 'fc-mod-number' : ''}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sample.map(({ change, count, values, beside }, at) => (
            <tr
              key={at}
              className={change === 'added' ? 'fc-mod-added' : 'fc-mod-removed'}
            >
              <th scope="row">
                <span aria-hidden="true">{change === 'added' ? '+' : '−'}</span>
                <span className="fc-mod-unseen">
                  {change === 'added'
                    ? trans.__('only after')
                    : trans.__('only before')}
                </span>
              </th>
              {several && (
                <td className="fc-mod-number">{count > 1 ? count : ''}</td>
              )}
              {values.map((value, column) => (
                <Cell
                  key={column}
                  value={value}
                  numeric={isNumeric(compared[column].type)}
                  other={differs(diff, at, column, beside)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether a value is another one than in the row that it is listed beside. */
function differs(
  { sample }: DiffReply,
  at: number,
  column: number,
  beside: boolean
): boolean {
  const twin = beside ? sample[at - 1] : sample[at + 1];
  const paired = beside || twin?.beside;
  return !!paired && twin.values[column] !== sample[at].values[column];
}

function Cell(props: {
  value: string | null;
  numeric: boolean;
  other: boolean;
}): JSX.Element {
  const { value, numeric, other } = props;
  const classes = [numeric && 'fc-mod-number', other && 'fc-mod-other'];
  return (
    <td
      className={classes.filter(Boolean).join(' ')}
      title={value ?? undefined}
    >
      {value ?? <span className="fc-Quiet">{NULL}</span>}
    </td>
  );
}

function Restore(props: IComparisonProps): JSX.Element {
  const { comparison, trans, onRestore } = props;
  const { after, state } = comparison;
  return (
    <div className="fc-Diff-restore">
      {onRestore && (
        <button
          className="jp-mod-styled jp-mod-accept"
          disabled={state === 'loading'}
          onClick={() => onRestore(after)}
        >
          {trans.__('Restore Version %1…', after)}
        </button>
      )}
      <button
        className="jp-mod-styled jp-mod-reject"
        onClick={() => comparison.close()}
      >
        {trans.__('Cancel')}
      </button>
    </div>
  );
}
