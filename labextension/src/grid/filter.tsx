import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import * as React from 'react';

import { messageOf } from '../api/errors';

import {
  canPick,
  namedValue,
  needsValue,
  operatorName,
  operatorsOf
} from './conditions';
import type { ICondition, IGridColumn, ISummary, Operator } from './rows';

/** What a form of one column's conditions needs. */
export interface IFilterProps {
  column: number;
  about: IGridColumn;
  /** The condition to start from; null for a new one. */
  given: ICondition | null;
  /** Whether it is there already, and can be removed. */
  removable: boolean;
  trans: TranslationBundle;
  /** What the column holds, for values to pick; null where nothing knows. */
  summary: (() => Promise<ISummary>) | null;
  apply(condition: ICondition | null): void;
  close(): void;
}

/** A condition on a column: by an operator and a value, or by picking values. */
export function FilterForm(props: IFilterProps): JSX.Element {
  const { about, given, trans, summary } = props;
  const picks = summary !== null && canPick(about.type);
  const [picking, setPicking] = React.useState(
    picks && (given?.op === 'in' || given?.op === 'not_in')
  );
  return (
    <div className="fc-Filter">
      <h2>{trans.__('Filter %1', about.name)}</h2>
      {picks && (
        <div className="fc-Filter-kinds" role="radiogroup">
          {[false, true].map(values => (
            <label key={String(values)}>
              <input
                type="radio"
                name="fc-filter-kind"
                checked={picking === values}
                onChange={() => setPicking(values)}
              />
              {values ? trans.__('By values') : trans.__('By a condition')}
            </label>
          ))}
        </div>
      )}
      {picking ? <ValueList {...props} /> : <ConditionForm {...props} />}
    </div>
  );
}

function ConditionForm(props: IFilterProps): JSX.Element {
  const { column, about, given, removable, trans, apply, close } = props;
  const operators = operatorsOf(about.type);
  const known = given && operators.includes(given.op) ? given : null;
  const [op, setOp] = React.useState<Operator>(known?.op ?? operators[0]);
  const [value, setValue] = React.useState(known?.value ?? '');
  const flag = /^boolean/i.test(about.type);
  const text = flag && value === '' ? 'true' : value;
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    apply(needsValue(op) ? { column, op, value: text } : { column, op });
    close();
  };
  return (
    <form onSubmit={submit}>
      <div className="fc-Filter-line">
        <HTMLSelect
          aria-label={trans.__('How to compare')}
          data-fc-first={needsValue(op) ? undefined : true}
          value={op}
          onChange={event => setOp(event.target.value as Operator)}
        >
          {operators.map(name => (
            <option key={name} value={name}>
              {operatorName(name, trans)}
            </option>
          ))}
        </HTMLSelect>
        {needsValue(op) &&
          (flag ? (
            <HTMLSelect
              aria-label={trans.__('Value')}
              data-fc-first
              value={text}
              options={['true', 'false']}
              onChange={event => setValue(event.target.value)}
            />
          ) : (
            <input
              className="jp-mod-styled"
              aria-label={trans.__('Value')}
              data-fc-first
              required={!/^(string|char|varchar)/i.test(about.type)}
              placeholder={exampleOf(about.type)}
              value={value}
              onChange={event => setValue(event.target.value)}
            />
          ))}
      </div>
      <Buttons
        trans={trans}
        removable={removable}
        onRemove={() => {
          apply(null);
          close();
        }}
      />
    </form>
  );
}

/** The column's commonest values, with how often they are there. */
function ValueList(props: IFilterProps): JSX.Element {
  const { column, given, removable, trans, summary, apply, close } = props;
  const [known, setKnown] = React.useState<ISummary | null>(null);
  const [error, setError] = React.useState<string | null>(null);
  const [sought, setSought] = React.useState('');
  const [without, setWithout] = React.useState(given?.op === 'not_in');
  const [chosen, setChosen] = React.useState<ReadonlySet<string | null>>(
    new Set(given?.values ?? [])
  );
  React.useEffect(() => {
    let wanted = true;
    summary?.().then(
      found => wanted && setKnown(found),
      (reason: unknown) => wanted && setError(messageOf(reason))
    );
    return () => {
      wanted = false;
    };
  }, []);
  const values = (known?.top ?? []).filter(({ value }) =>
    (value ?? 'NULL').toLowerCase().includes(sought.toLowerCase())
  );
  const toggle = (value: string | null) => {
    const next = new Set(chosen);
    if (!next.delete(value)) {
      next.add(value);
    }
    setChosen(next);
  };
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    const op = without ? 'not_in' : 'in';
    apply(chosen.size ? { column, op, values: [...chosen] } : null);
    close();
  };
  return (
    <form onSubmit={submit}>
      <input
        className="jp-mod-styled"
        data-fc-first
        aria-label={trans.__('Search the values')}
        placeholder={trans.__('Search the values')}
        value={sought}
        onChange={event => setSought(event.target.value)}
      />
      <div
        className="fc-Filter-values"
        role="group"
        aria-label={trans.__('Values')}
      >
        {error ?? (!known && trans.__('Loading…'))}
        {known && !values.length && trans.__('No such value')}
        {values.map(({ value, count }) => (
          <label key={value === null ? 'null' : `=${value}`}>
            <input
              type="checkbox"
              checked={chosen.has(value)}
              onChange={() => toggle(value)}
            />
            <span className={value ? '' : 'fc-mod-special'}>
              {namedValue(value)}
            </span>
            <span className="fc-Filter-count">
              {count.toLocaleString('en')}
            </span>
          </label>
        ))}
      </div>
      {known && !known.histogram.length && moreThan(known) && (
        <p className="fc-Quiet">
          {trans.__(
            'The %1 commonest of %2 values.',
            known.top.length,
            (known.distinct ?? 0).toLocaleString('en')
          )}
        </p>
      )}
      <label>
        <input
          type="checkbox"
          checked={without}
          onChange={() => setWithout(!without)}
        />
        {trans.__('All but these')}
      </label>
      <Buttons
        trans={trans}
        removable={removable}
        onRemove={() => {
          apply(null);
          close();
        }}
      />
    </form>
  );
}

function Buttons(props: {
  trans: TranslationBundle;
  removable: boolean;
  onRemove(): void;
}): JSX.Element {
  const { trans, removable, onRemove } = props;
  return (
    <div className="fc-Filter-buttons">
      {removable && (
        <button
          type="button"
          className="jp-mod-styled jp-mod-reject"
          onClick={onRemove}
        >
          {trans.__('Remove')}
        </button>
      )}
      <button type="submit" className="jp-mod-styled jp-mod-accept">
        {trans.__('Apply')}
      </button>
    </div>
  );
}

function moreThan({ distinct, top }: ISummary): boolean {
  return distinct !== null && distinct > top.length;
}

function exampleOf(type: string): string {
  if (/^date/i.test(type)) {
    return '2013-01-31';
  }
  return /^timestamp/i.test(type) ? '2013-01-31 12:00:00' : '';
}
