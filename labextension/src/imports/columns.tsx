import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Cell, ImportPreview, ProposedColumn } from '../api/types';
import { isNumeric } from '../grid/rows';
import { typeIcon } from '../icons';

import type { ImportModel } from './model';
import { TYPES } from './names';

const SHOWN = 50;

/** What a step shows. */
export interface IStepProps {
  model: ImportModel;
  trans: TranslationBundle;
}

/** Names, types and why; then the first rows, read so. */
export function ColumnsStep({ model, trans }: IStepProps): JSX.Element | null {
  const { preview } = model;
  if (!preview) {
    return null;
  }
  return (
    <section className="fc-Step" aria-labelledby="fc-import-columns">
      <h2 id="fc-import-columns">
        {trans.__('2. Columns')}{' '}
        {model.looking && (
          <span className="fc-Quiet" role="status">
            {trans.__('reading…')}
          </span>
        )}
      </h2>
      {preview.warnings.map(warning => (
        <p className="fc-Warning" key={warning}>
          {warning}
        </p>
      ))}
      <div
        className="fc-Scroll"
        tabIndex={0}
        role="group"
        aria-label={trans.__('Columns of the file')}
      >
        <table className="fc-Table">
          <thead>
            <tr>
              <th scope="col">{trans.__('Name')}</th>
              <th scope="col">{trans.__('Type')}</th>
              <th scope="col">{trans.__('Why')}</th>
              <th scope="col">{trans.__('Examples')}</th>
            </tr>
          </thead>
          <tbody>
            {preview.columns.map(column => (
              <ColumnRow
                key={column.name}
                column={column}
                model={model}
                trans={trans}
              />
            ))}
          </tbody>
        </table>
      </div>
      <Sample preview={preview} trans={trans} />
    </section>
  );
}

function ColumnRow(
  props: IStepProps & { column: ProposedColumn }
): JSX.Element {
  const { column, model, trans } = props;
  const chosen = model.types[column.name];
  const TypeIcon = typeIcon(column.type);
  const types = TYPES.includes(column.type) ? TYPES : [column.type, ...TYPES];
  return (
    <tr>
      <th scope="row">{column.name}</th>
      <td>
        <TypeIcon.react tag="span" className="fc-icon" />
        <HTMLSelect
          aria-label={trans.__('Type of %1', column.name)}
          value={chosen ?? column.type}
          disabled={model.working}
          onChange={event =>
            void model.setType(column.name, event.target.value)
          }
        >
          {types.map(type => (
            <option key={type}>{type}</option>
          ))}
        </HTMLSelect>{' '}
        {chosen && (
          <button
            className="fc-Link"
            disabled={model.working}
            onClick={() => void model.setType(column.name, null)}
          >
            {trans.__('as proposed')}
          </button>
        )}
      </td>
      <td>{chosen ? trans.__('chosen by you') : column.reason}</td>
      <td>
        <code>{column.examples.join('  ')}</code>
      </td>
    </tr>
  );
}

function Sample(props: {
  preview: ImportPreview;
  trans: TranslationBundle;
}): JSX.Element {
  const { preview, trans } = props;
  const rows = preview.rows.slice(0, SHOWN);
  return (
    <>
      <h3>{trans._n('First row', 'First %1 rows', rows.length)}</h3>
      <div
        className="fc-Scroll fc-Sample"
        tabIndex={0}
        role="group"
        aria-label={trans.__('First rows')}
      >
        <table className="fc-Table">
          <thead>
            <tr>
              {preview.columns.map(({ name, type }) => (
                <th
                  key={name}
                  scope="col"
                  className={isNumeric(type) ? 'fc-mod-number' : ''}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <Value
                    key={column}
                    cell={cell}
                    number={isNumeric(preview.columns[column]?.type ?? '')}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Value(props: { cell: Cell; number: boolean }): JSX.Element {
  const { cell, number } = props;
  const classes = number ? 'fc-mod-number' : '';
  return cell === null ? (
    <td className={`${classes} fc-Null`}>{NULL}</td>
  ) : (
    <td className={classes}>
      {typeof cell === 'object' ? JSON.stringify(cell) : String(cell)}
    </td>
  );
}

/** SQL's own word, the same in every language. */
const NULL = 'NULL';
