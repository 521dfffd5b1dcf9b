import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ProposedColumn } from '../api/types';
import { typeIcon } from '../icons';
import { count } from '../table/words';

import type { ImportModel } from './model';
import { TYPES } from './names';
import { Pick } from './pick';

/** What a step shows. */
export interface IStepProps {
  model: ImportModel;
  trans: TranslationBundle;
}

const SEARCHED_FROM = 12;
const ROW_PX = 32;
const AROUND = 8;
const SHOWN_PX = 320;

/** Names, types and why. */
export function ColumnsStep({ model, trans }: IStepProps): JSX.Element | null {
  const columns = model.preview?.columns;
  const [sought, setSought] = React.useState('');
  if (!columns) {
    return null;
  }
  const wanted = sought.trim().toLowerCase();
  const found = wanted
    ? columns.filter(
        ({ name, type }) =>
          name.toLowerCase().includes(wanted) ||
          (model.types[name] ?? type).toLowerCase().includes(wanted)
      )
    : columns;
  const typed = found.filter(({ type }) => type !== 'string');
  const chosen = Object.keys(model.types);
  return (
    <section className="fc-Step" aria-labelledby="fc-import-columns">
      <h2 id="fc-import-columns">
        {trans.__('2. Columns')}{' '}
        <span className="fc-Quiet">{count(columns.length)}</span>
      </h2>
      <div className="fc-Columns-bar">
        {columns.length >= SEARCHED_FROM && (
          <input
            type="search"
            className="jp-mod-styled"
            value={sought}
            placeholder={trans.__('Find by name or type')}
            aria-label={trans.__('Find columns')}
            onChange={event => setSought(event.target.value)}
          />
        )}
        {wanted && (
          <span role="status">
            {trans._n(
              '%2 column',
              '%2 columns',
              found.length,
              count(found.length)
            )}
          </span>
        )}
        {typed.length > 1 && (
          <button
            className="fc-Link"
            disabled={model.working}
            onClick={() =>
              void model.setTypes(
                typed.map(({ name }) => name),
                'string'
              )
            }
          >
            {wanted
              ? trans.__('Keep these as text')
              : trans.__('Keep all as text')}
          </button>
        )}
        {chosen.length > 1 && (
          <button
            className="fc-Link"
            disabled={model.working}
            onClick={() => void model.setTypes(chosen, null)}
          >
            {trans.__('All as proposed')}
          </button>
        )}
      </div>
      <ColumnTable model={model} trans={trans} columns={found} />
    </section>
  );
}

/** The columns; only those in sight are drawn, so that hundreds are as quick as a few. */
function ColumnTable(
  props: IStepProps & { columns: readonly ProposedColumn[] }
): JSX.Element {
  const { trans, columns } = props;
  const [top, setTop] = React.useState(0);
  const first = Math.max(0, Math.floor(top / ROW_PX) - AROUND);
  const last = Math.min(
    columns.length,
    Math.ceil((top + SHOWN_PX) / ROW_PX) + AROUND
  );
  const room = (rows: number) =>
    rows > 0 && <tr aria-hidden="true" style={{ height: rows * ROW_PX }} />;
  return (
    <div
      className="fc-Scroll fc-Columns"
      tabIndex={0}
      role="group"
      aria-label={trans.__('Columns of the file')}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
    >
      <table className="fc-Table" aria-rowcount={columns.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">{trans.__('Name')}</th>
            <th scope="col">{trans.__('Type')}</th>
            <th scope="col">{trans.__('Why')}</th>
            <th scope="col">{trans.__('Examples')}</th>
          </tr>
        </thead>
        <tbody>
          {room(first)}
          {columns.slice(first, last).map((column, at) => (
            <ColumnRow
              {...props}
              key={column.name}
              column={column}
              row={first + at + 2}
            />
          ))}
          {room(columns.length - last)}
        </tbody>
      </table>
    </div>
  );
}

function ColumnRow(
  props: IStepProps & { column: ProposedColumn; row: number }
): JSX.Element {
  const { column, model, trans, row } = props;
  const { name, reason, examples } = column;
  const chosen = model.types[name];
  const type = chosen ?? column.type;
  const TypeIcon = typeIcon(type);
  const types = TYPES.includes(column.type) ? TYPES : [column.type, ...TYPES];
  const set = (to: string | null) => void model.setTypes([name], to);
  const shown = examples.join('  ');
  return (
    <tr aria-rowindex={row}>
      <th scope="row" title={name}>
        {name}
      </th>
      <td>
        <TypeIcon.react tag="span" className="fc-icon" />
        <Pick
          trans={trans}
          label={trans.__('Type of %1', name)}
          value={type}
          choices={types.map(choice => [choice, choice])}
          free
          disabled={model.working}
          onPick={to => set(to || null)}
        />{' '}
        {chosen !== undefined ? (
          <button
            className="fc-Link"
            aria-label={trans.__('%1: as proposed', name)}
            disabled={model.working}
            onClick={() => set(null)}
          >
            {trans.__('as proposed')}
          </button>
        ) : (
          type !== 'string' && (
            <button
              className="fc-Link"
              aria-label={trans.__('Keep %1 as text', name)}
              disabled={model.working}
              onClick={() => set('string')}
            >
              {trans.__('keep as text')}
            </button>
          )
        )}
      </td>
      <td title={reason}>
        {chosen === undefined ? reason : trans.__('chosen by you')}
      </td>
      <td title={shown}>
        <code>{shown}</code>
      </td>
    </tr>
  );
}
