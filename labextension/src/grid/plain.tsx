import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { LOADING, type PagedModel } from './model';
import { isNumeric } from './rows';
import { specialOf, visible } from './special';

/** Rows on a page of a plain table. */
export const PLAIN_ROWS = 50;

/** Rows as a plain table, page by page. */
export interface IPlainProps {
  model: PagedModel;
  trans: TranslationBundle;
  label: string;
  /** The first row shown. */
  first: number;
  onFirst(row: number): void;
  onSort(column: number): void;
  onMenu(column: number, at: { x: number; y: number }): void;
  onRecord(row: number): void;
}

/** What screen readers read best: a table of HTML, with all its headings. */
export function PlainTable(props: IPlainProps): JSX.Element {
  const { model, trans, label, first, onFirst } = props;
  const total = model.total ?? 0;
  const last = Math.min(first + PLAIN_ROWS, total);
  const end = Math.max(0, Math.floor((total - 1) / PLAIN_ROWS) * PLAIN_ROWS);
  const go = (row: number) => onFirst(Math.min(Math.max(row, 0), end));
  const rows = Array.from({ length: last - first }, (_, at) => first + at);
  const pages: [string, number, boolean][] = [
    [trans.__('First page'), 0, first === 0],
    [trans.__('Previous page'), first - PLAIN_ROWS, first === 0],
    [trans.__('Next page'), first + PLAIN_ROWS, last >= total],
    [trans.__('Last page'), end, last >= total]
  ];
  return (
    <div
      className="fc-Plain"
      tabIndex={0}
      role="region"
      aria-label={label}
      onKeyDown={event => {
        const step = { PageDown: PLAIN_ROWS, PageUp: -PLAIN_ROWS }[event.key];
        if (step) {
          event.preventDefault();
          go(first + step);
        }
      }}
    >
      <table aria-rowcount={total + 1}>
        <caption aria-live="polite">
          {total
            ? trans.__(
                '%1: rows %2 to %3 of %4',
                label,
                (first + 1).toLocaleString('en'),
                last.toLocaleString('en'),
                total.toLocaleString('en')
              )
            : label}
        </caption>
        <Headings {...props} />
        <tbody>
          {rows.map(row => (
            <Row key={row} {...props} row={row} />
          ))}
        </tbody>
      </table>
      {total > PLAIN_ROWS && (
        <nav aria-label={trans.__('Pages of rows')}>
          {pages.map(([name, row, off]) => (
            <button
              key={name}
              className="jp-mod-styled jp-mod-reject"
              disabled={off}
              onClick={() => go(row)}
            >
              {name}
            </button>
          ))}
        </nav>
      )}
    </div>
  );
}

function Headings(props: IPlainProps): JSX.Element {
  const { model, trans, onSort, onMenu } = props;
  const { sort } = model;
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className="fc-mod-number">
          {trans.__('Row')}
        </th>
        {model.layout.shown.map(column => {
          const { name, type } = model.columns[column];
          const sorted = sort?.column === column ? sort : null;
          return (
            <th
              key={column}
              scope="col"
              className={isNumeric(type) ? 'fc-mod-number' : ''}
              aria-sort={
                sorted ? (sorted.desc ? 'descending' : 'ascending') : undefined
              }
            >
              {model.sortable ? (
                <button onClick={() => onSort(column)}>
                  {name}
                  {sorted && (
                    <span aria-hidden>{sorted.desc ? ' ▼' : ' ▲'}</span>
                  )}
                </button>
              ) : (
                name
              )}
              <button
                aria-haspopup="menu"
                aria-label={trans.__('What to do with the column %1', name)}
                onClick={event => {
                  const { left, bottom } =
                    event.currentTarget.getBoundingClientRect();
                  onMenu(column, { x: left, y: bottom });
                }}
              >
                <span aria-hidden>▾</span>
              </button>
              <small>{type}</small>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function Row(props: IPlainProps & { row: number }): JSX.Element {
  const { model, trans, row, onRecord } = props;
  return (
    <tr aria-rowindex={row + 2}>
      <th scope="row" className="fc-mod-number">
        <button
          aria-label={trans.__('Show row %1 as a record', row + 1)}
          onClick={() => onRecord(row)}
        >
          {row + 1}
        </button>
      </th>
      {model.layout.shown.map(column => {
        const { type } = model.columns[column];
        const value = model.value(row, column);
        if (value === LOADING) {
          return <td key={column}>…</td>;
        }
        const special = specialOf(value, type);
        const classes = [
          isNumeric(type) ? 'fc-mod-number' : '',
          special ? 'fc-mod-special' : ''
        ];
        return (
          <td key={column} className={classes.join(' ').trim()}>
            {special === 'empty'
              ? trans.__('empty text')
              : visible(value ?? 'NULL')}
          </td>
        );
      })}
    </tr>
  );
}
