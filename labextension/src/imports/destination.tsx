import { HTMLSelect } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Drift, ImportMode } from '../api/types';
import { count } from '../table/words';

import type { IStepProps } from './columns';
import { fold } from './names';
import { driftConsequences } from './words';

/** Where the table will live, and what becomes of one that is there. */
export function DestinationStep({ model, trans }: IStepProps): JSX.Element {
  const { target, working, preview } = model;
  const { place, schemas, mode, existing } = target;
  // Two imports may be open; buttons of one name would uncheck each other.
  const group = React.useId();
  const where = `${place.catalog}.${place.schema}`;
  const modes: [ImportMode, string][] = [
    ['error', trans.__('New table')],
    ['append', trans.__('Append to the table')],
    ['overwrite', trans.__('Replace the table’s rows')],
    ['upsert', trans.__('Update by key, and add the others')]
  ];
  return (
    <section className="fc-Step" aria-labelledby="fc-import-destination">
      <h2 id="fc-import-destination">{trans.__('3. Destination')}</h2>
      <div className="fc-Destination">
        <label>
          {trans.__('Catalog and schema')}
          <HTMLSelect
            value={where}
            disabled={working}
            onChange={event => {
              const chosen = schemas.find(
                ({ full_name }) => full_name.join('.') === event.target.value
              );
              if (chosen) {
                const [catalog, schema] = chosen.full_name;
                target.setPlace({ catalog, schema });
              }
            }}
          >
            {schemas.map(({ full_name }) => (
              <option key={full_name.join('.')}>{full_name.join('.')}</option>
            ))}
            {!schemas.some(
              ({ full_name }) => full_name.join('.') === where
            ) && <option>{where}</option>}
          </HTMLSelect>
        </label>
        <label>
          {trans.__('Table')}
          <input
            className="jp-mod-styled"
            value={place.name}
            disabled={working}
            onChange={event => model.setName(event.target.value)}
          />
        </label>
      </div>
      <fieldset className="fc-Modes" disabled={working}>
        <legend className="fc-mod-unseen">{trans.__('How')}</legend>
        {modes.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name={group}
              checked={mode === value}
              onChange={() => target.setMode(value)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <p className="fc-Quiet" role="status">
        {existing
          ? trans.__(
              'There is a table of this name: %1, %2.',
              trans._n(
                '%2 row',
                '%2 rows',
                existing.row_count ?? 0,
                existing.row_count === null ? '?' : count(existing.row_count)
              ),
              trans._n(
                '%2 column',
                '%2 columns',
                existing.columns.length,
                count(existing.columns.length)
              )
            )
          : mode !== 'error' &&
            trans.__('There is no table of this name yet: it will be made.')}
      </p>
      {mode === 'upsert' && preview && <Keys model={model} trans={trans} />}
      {model.drift && (
        <DriftBox model={model} trans={trans} drift={model.drift} />
      )}
      <label className="fc-Check">
        <input
          type="checkbox"
          checked={model.remembers}
          disabled={working}
          onChange={event => model.remember(event.target.checked)}
        />
        {trans.__('Read the next delivery of these files the same way')}
      </label>
    </section>
  );
}

/** The columns that tell which rows are the same. */
function Keys({ model, trans }: IStepProps): JSX.Element {
  const { target, preview, working } = model;
  const { keys, existing } = target;
  const there = existing && new Set(existing.columns.map(nameOf).map(fold));
  const possible = (preview?.columns ?? [])
    .map(nameOf)
    .filter(name => !keys.includes(name) && (!there || there.has(fold(name))));
  return (
    <div className="fc-Keys">
      <span id="fc-import-keys">{trans.__('Key')}</span>
      <ul className="fc-Chips" aria-labelledby="fc-import-keys">
        {keys.map(key => (
          <li key={key} className="fc-Chip">
            <span>{key}</span>
            <button
              className="fc-Link"
              aria-label={trans.__('%1 is no key', key)}
              disabled={working}
              onClick={() => target.setKeys(keys.filter(item => item !== key))}
            >
              {trans.__('✕')}
            </button>
          </li>
        ))}
      </ul>
      <HTMLSelect
        aria-label={trans.__('Add a key column')}
        value=""
        disabled={working || !possible.length}
        onChange={event => target.setKeys([...keys, event.target.value])}
      >
        <option value="">{trans.__('Add a column…')}</option>
        {possible.map(name => (
          <option key={name}>{name}</option>
        ))}
      </HTMLSelect>
      <span className="fc-Quiet">
        {keys.length
          ? trans.__('Rows with the same values there are the same row.')
          : trans.__('Choose the columns that tell rows apart.')}
      </span>
    </div>
  );
}

/** How the columns differ from the table's, and what happens when that is accepted. */
function DriftBox(props: IStepProps & { drift: Drift }): JSX.Element {
  const { model, trans, drift } = props;
  const told = driftConsequences(drift, trans);
  return (
    <div
      className="fc-Drift"
      role="group"
      aria-label={trans.__('Columns that differ')}
    >
      <p>
        <strong>{trans.__('The columns are not those of the table.')}</strong>
      </p>
      <table className="fc-Table">
        <thead>
          <tr>
            <th scope="col">{trans.__('Column')}</th>
            <th scope="col">{trans.__('In the table')}</th>
            <th scope="col">{trans.__('In the files')}</th>
          </tr>
        </thead>
        <tbody>
          {drift.added.map(({ name, type }) => (
            <Differs key={name} name={name} files={type} trans={trans} />
          ))}
          {drift.missing.map(({ name, type }) => (
            <Differs key={name} name={name} table={type} trans={trans} />
          ))}
          {drift.changed.map(({ name, from, to }) => (
            <Differs
              key={name}
              name={name}
              table={from}
              files={to}
              trans={trans}
            />
          ))}
        </tbody>
      </table>
      <label className="fc-Check">
        <input
          type="checkbox"
          checked={model.acceptsDrift}
          disabled={model.working}
          onChange={event => model.acceptDrift(event.target.checked)}
        />
        <span>{told.join(' ')}</span>
      </label>
    </div>
  );
}

function Differs(
  props: Pick<IStepProps, 'trans'> & {
    name: string;
    table?: string;
    files?: string;
  }
): JSX.Element {
  const { name, table, files, trans } = props;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{table ? <code>{table}</code> : trans.__('not there')}</td>
      <td>{files ? <code>{files}</code> : trans.__('not there')}</td>
    </tr>
  );
}

function nameOf({ name }: { name: string }): string {
  return name;
}
