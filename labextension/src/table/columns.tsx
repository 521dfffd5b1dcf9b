import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Column } from '../api/types';
import type { ISummary } from '../grid/rows';
import { percent } from '../grid/summary';
import { typeIcon } from '../icons';
import { Editable } from '../parts/editable';

import type { TableModel } from './model';
import type { IPaneProps } from './panes';
import type { Known } from './stats';
import { count } from './words';

const LONGEST_COMMENT = 4000;

/** The columns of the version that is shown, and what each holds. */
export function ColumnsPane({ model, trans }: IPaneProps): JSX.Element {
  const columns = model.shown?.columns ?? [];
  const partitions = model.table?.partition_columns ?? [];
  const titles: [string, boolean][] = [
    [trans.__('No.'), true],
    [trans.__('Name'), false],
    [trans.__('Type'), false],
    [trans.__('Nulls'), true],
    [trans.__('Distinct'), true],
    [trans.__('Least'), false],
    [trans.__('Greatest'), false],
    [trans.__('Distribution'), false],
    [trans.__('Comment'), false]
  ];
  if (!model.shown) {
    // The header tells how the table stands.
    return <></>;
  }
  if (!columns.length) {
    return <p>{trans.__('This table has no columns.')}</p>;
  }
  return (
    <table className="fc-Table fc-mod-columns">
      <thead>
        <tr>
          {titles.map(([title, number]) => (
            <th
              key={title}
              scope="col"
              className={number ? 'fc-mod-number' : ''}
            >
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {columns.map((column, at) => (
          <ColumnRow
            key={`${at}/${column.name}`}
            model={model}
            trans={trans}
            column={column}
            at={at}
            partition={partitions.includes(column.name)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface IRowProps {
  model: TableModel;
  trans: TranslationBundle;
  column: Column;
  at: number;
  partition: boolean;
}

function ColumnRow(props: IRowProps): JSX.Element {
  const { model, trans, column, at, partition } = props;
  const TypeIcon = typeIcon(column.type);
  const row = useSeen(
    () => model.stats.want(at),
    [model.stats.of(at) === null]
  );
  const notes = [
    !column.nullable && trans.__('never null'),
    partition && trans.__('partition')
  ].filter(Boolean);
  return (
    <tr ref={row}>
      <td className="fc-mod-number">{at + 1}</td>
      <th scope="row">{column.name}</th>
      <td className="fc-Table-type">
        <TypeIcon.react tag="span" className="fc-icon" />
        <code>{column.type}</code>
        {notes.length > 0 && (
          <span className="fc-Quiet"> {notes.join(', ')}</span>
        )}
      </td>
      <Stats {...props} known={model.stats.of(at)} />
      <td className="fc-Table-comment">
        <Editable
          label={trans.__('Comment on %1', column.name)}
          text={column.comment ?? ''}
          empty={trans.__('Add a comment')}
          longest={LONGEST_COMMENT}
          trans={trans}
          save={
            model.editable ? text => model.comment(column.name, text) : null
          }
        />
      </td>
    </tr>
  );
}

function Stats(props: IRowProps & { known: Known | null }): JSX.Element {
  const { known, trans, model, at } = props;
  if (known === null) {
    return (
      <td colSpan={5} aria-busy="true">
        <span className="fc-Quiet">{trans.__('Counting…')}</span>
      </td>
    );
  }
  if ('error' in known) {
    return (
      <td colSpan={5}>
        <span>{known.error}</span>{' '}
        <button className="fc-Link" onClick={() => model.stats.again(at)}>
          {trans.__('Try again')}
        </button>
      </td>
    );
  }
  const { nulls, rows, distinct, distinct_exact, min, max } = known;
  return (
    <>
      <td className="fc-mod-number" title={percent(nulls, rows)}>
        {count(nulls)}
      </td>
      <td className="fc-mod-number">
        {distinct !== null && (distinct_exact ? '' : '≈ ') + count(distinct)}
      </td>
      <td className="fc-Table-value" title={min ?? undefined}>
        {min}
      </td>
      <td className="fc-Table-value" title={max ?? undefined}>
        {max}
      </td>
      <td>
        <Spread summary={known} trans={trans} />
      </td>
    </>
  );
}

/** How values are spread: bars over their range, else the shares of the commonest. */
function Spread(props: {
  summary: ISummary;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { summary, trans } = props;
  const { histogram, top, rows } = summary;
  const bars: [string, number][] = histogram.length
    ? histogram.map(({ from, to, count: n }) => [`${from} – ${to}`, n])
    : top.slice(0, 12).map(({ value, count: n }) => [value ?? 'NULL', n]);
  if (!bars.length) {
    return null;
  }
  const most = Math.max(...bars.map(([, n]) => n), 1);
  const [first, last] = [bars[0][0], bars[bars.length - 1][0]];
  const label = histogram.length
    ? trans.__('How values are spread from %1 to %2', first, last)
    : trans.__('The commonest is %1: %2', first, percent(bars[0][1], rows));
  return (
    <div
      className={`fc-Spread${histogram.length ? '' : ' fc-mod-top'}`}
      role="img"
      aria-label={label}
    >
      {bars.map(([name, n], at) => (
        <span
          key={at}
          title={`${name}: ${count(n)}`}
          style={{ height: `${n ? Math.max(4, (n / most) * 100) : 0}%` }}
        />
      ))}
    </div>
  );
}

/** A row that tells when it is first looked at, and again when `anew` changes. */
function useSeen(
  seen: () => void,
  anew: readonly unknown[]
): React.RefObject<HTMLTableRowElement> {
  const row = React.useRef<HTMLTableRowElement>(null);
  React.useEffect(() => {
    const watch = new IntersectionObserver(entries => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) {
        watch.disconnect();
        seen();
      }
    });
    if (row.current) {
      watch.observe(row.current);
    }
    return () => watch.disconnect();
  }, anew);
  return row;
}
