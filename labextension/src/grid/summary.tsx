import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { messageOf } from '../api/errors';

import { namedValue } from './conditions';
import { readable } from './format';
import type { ISummary } from './rows';

/** A column's summary, when it is known. */
export function SummaryCard(props: {
  name: string;
  type: string;
  load(): Promise<ISummary>;
  trans: TranslationBundle;
  /** Filters by a value; null where nothing can be filtered. */
  onPick: ((value: string | null) => void) | null;
}): JSX.Element {
  const { name, type, load, trans, onPick } = props;
  const [summary, setSummary] = React.useState<ISummary | null>(null);
  const [error, setError] = React.useState<string | null>(null);
  React.useEffect(() => {
    let wanted = true;
    load().then(
      found => wanted && setSummary(found),
      (reason: unknown) => wanted && setError(messageOf(reason))
    );
    return () => {
      wanted = false;
    };
  }, []);
  return (
    <div className="fc-Summary" aria-busy={!summary && !error}>
      <h2>
        {name} <code>{type}</code>
      </h2>
      {error && <p role="alert">{error}</p>}
      {!summary && !error && <p>{trans.__('Counting…')}</p>}
      {summary && (
        <>
          <Histogram summary={summary} trans={trans} />
          <Facts summary={summary} trans={trans} />
          <Top summary={summary} trans={trans} onPick={onPick} />
        </>
      )}
    </div>
  );
}

/** How values are spread, as bars; the numbers are in their titles. */
export function Histogram(props: {
  summary: ISummary;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { summary, trans } = props;
  const { histogram } = summary;
  if (!histogram.length) {
    return null;
  }
  const most = Math.max(...histogram.map(({ count }) => count), 1);
  const first = histogram[0].from;
  const last = histogram[histogram.length - 1].to;
  return (
    <figure className="fc-Summary-histogram">
      <div
        role="img"
        aria-label={trans.__(
          'How values are spread from %1 to %2',
          first,
          last
        )}
      >
        {histogram.map(({ from, to, count }, at) => (
          <span
            key={at}
            title={`${from} – ${to}: ${count.toLocaleString('en')}`}
            style={{
              height: `${count ? Math.max(2, (count / most) * 100) : 0}%`
            }}
          />
        ))}
      </div>
      <figcaption>
        <span>{first}</span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}

function Facts(props: {
  summary: ISummary;
  trans: TranslationBundle;
}): JSX.Element {
  const { summary, trans } = props;
  const { rows, quantiles } = summary;
  const share = (part: number | null) =>
    part ? `${part.toLocaleString('en')} (${percent(part, rows)})` : part;
  const computed = (exact: string | null) =>
    exact === null ? null : <Computed exact={exact} />;
  const facts: [string, React.ReactNode][] = [
    [trans.__('Rows'), rows.toLocaleString('en')],
    [trans.__('NULL'), share(summary.nulls)],
    [trans.__('Empty text'), summary.empty ? share(summary.empty) : null],
    [trans.__('NaN'), summary.nans ? share(summary.nans) : null],
    [trans.__('True'), share(summary.true_count)],
    [
      trans.__('Distinct'),
      summary.distinct === null
        ? null
        : `${summary.distinct_exact ? '' : '≈ '}${summary.distinct.toLocaleString('en')}`
    ],
    [trans.__('Least'), summary.min],
    [trans.__('5 %'), quantiles?.['0.05']],
    [trans.__('25 %'), quantiles?.['0.25']],
    [trans.__('Median'), quantiles?.['0.5']],
    [trans.__('75 %'), quantiles?.['0.75']],
    [trans.__('95 %'), quantiles?.['0.95']],
    [trans.__('Greatest'), summary.max],
    [trans.__('Mean'), computed(summary.mean)],
    [trans.__('Standard deviation'), computed(summary.std)]
  ];
  return (
    <dl className="fc-Summary-facts">
      {facts
        .filter(([, fact]) => fact !== null && fact !== undefined)
        .map(([fact, value]) => (
          <React.Fragment key={fact}>
            <dt>{fact}</dt>
            <dd>{value}</dd>
          </React.Fragment>
        ))}
    </dl>
  );
}

/** A number that was computed, in few digits; all of them are in its title. */
function Computed({ exact }: { exact: string }): JSX.Element {
  const short = readable(exact);
  return <span title={short === exact ? undefined : exact}>{short}</span>;
}

const SHOWN = 8;

function Top(props: {
  summary: ISummary;
  trans: TranslationBundle;
  onPick: ((value: string | null) => void) | null;
}): JSX.Element | null {
  const { summary, trans, onPick } = props;
  const { top, rows } = summary;
  if (!top.length) {
    return null;
  }
  return (
    <table className="fc-Summary-top">
      <caption>{trans.__('Commonest values')}</caption>
      <thead className="fc-mod-unseen">
        <tr>
          <th scope="col">{trans.__('Value')}</th>
          <th scope="col">{trans.__('Rows')}</th>
        </tr>
      </thead>
      <tbody>
        {top.slice(0, SHOWN).map(({ value, count }) => {
          const text = namedValue(value);
          return (
            <tr key={value === null ? 'null' : `=${value}`}>
              <td className={value ? '' : 'fc-mod-special'}>
                {onPick ? (
                  <button
                    className="fc-Link"
                    title={trans.__('Show only these rows')}
                    onClick={() => onPick(value)}
                  >
                    {text}
                  </button>
                ) : (
                  text
                )}
              </td>
              <td>{count.toLocaleString('en')}</td>
              <td>{percent(count, rows)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** A share of rows, never rounded to all or none. */
export function percent(part: number, all: number): string {
  if (!all || part === all) {
    return all ? '100%' : '0%';
  }
  const share = (part / all) * 100;
  if (share < 0.1) {
    return part ? '<0.1%' : '0%';
  }
  return share > 99.9 ? '>99.9%' : `${share.toFixed(1)}%`;
}
