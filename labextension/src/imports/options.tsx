import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ImportPreview } from '../api/types';

import type { ImportModel } from './model';
import { Pick } from './pick';
import { optionHint, optionLabel, valueLabel } from './words';

/** What the choices of reading show. */
export interface IOptionsProps {
  model: ImportModel;
  preview: ImportPreview;
  trans: TranslationBundle;
}

/** Options whose values are more than those that are proposed. */
const FREE = new Set(['delimiter', 'encoding', 'quote']);

interface IOption {
  name: string;
  value: string;
  /** How the value was found; null where nothing was looked for. */
  reason: string | null;
  /** Null where it can only be looked at. */
  choices: readonly string[] | null;
}

/** How the files are read: what they tell themselves is chosen already, and why is said. */
export function Options(props: IOptionsProps): JSX.Element {
  const { model, preview, trans } = props;
  const options = optionsOf(preview, model.options);
  const shown = options.filter(
    ({ reason, choices }) => reason !== null || choices?.length
  );
  const more = options.filter(option => !shown.includes(option));
  const said = more.some(({ value }) => value !== '');
  return (
    <>
      <div className="fc-Options">
        {shown.map(option => (
          <Option key={option.name} {...props} option={option} />
        ))}
      </div>
      {more.length > 0 && (
        <details className="fc-More" open={said || undefined}>
          <summary>{trans.__('More ways to read')}</summary>
          <div className="fc-Options">
            {more.map(option => (
              <Option key={option.name} {...props} option={option} />
            ))}
          </div>
        </details>
      )}
    </>
  );
}

function Option(props: IOptionsProps & { option: IOption }): JSX.Element {
  const { model, trans, option } = props;
  const { name, value, choices } = option;
  const id = React.useId();
  const chosen = model.options[name] !== undefined;
  const reason = chosen
    ? trans.__('Chosen by you.')
    : (option.reason ?? optionHint(name, trans));
  return (
    <div className="fc-Option" role="group" aria-labelledby={id}>
      <span id={id} className="fc-Option-label">
        {optionLabel(name, trans)}
      </span>
      {choices ? (
        <Pick
          trans={trans}
          label={optionLabel(name, trans)}
          value={value}
          choices={listed(choices, value).map(choice => [
            choice,
            valueLabel(name, choice, trans)
          ])}
          free={FREE.has(name)}
          disabled={model.working}
          onPick={text =>
            void model.setOption(
              name,
              text === '' && !choices.length ? null : text
            )
          }
        />
      ) : (
        <span className="fc-Option-fact">{valueLabel(name, value, trans)}</span>
      )}
      <span className="fc-Quiet fc-Option-reason">
        {reason}{' '}
        {chosen && (
          <button
            className="fc-Link"
            aria-label={trans.__('%1: as found', optionLabel(name, trans))}
            disabled={model.working}
            onClick={() => void model.setOption(name, null)}
          >
            {trans.__('as found')}
          </button>
        )}
      </span>
    </div>
  );
}

/** The options of a preview: those that were found first, then those that can be given. */
export function optionsOf(
  { detected, choices, options }: ImportPreview,
  chosen: Readonly<Record<string, string>>
): IOption[] {
  const found = detected.map(({ option, value, reason }): IOption => ({
    name: option,
    value: plain(option, chosen[option] ?? value),
    reason,
    choices: choices[option] ?? null
  }));
  const others = Object.keys(choices)
    .filter(name => !detected.some(({ option }) => option === name))
    .map((name): IOption => ({
      name,
      value: plain(name, chosen[name] ?? options[name] ?? ''),
      reason: null,
      choices: choices[name]
    }));
  return [...found, ...others];
}

/** What can be chosen; that nothing is chosen yet has words of its own. */
function listed(choices: readonly string[], value: string): readonly string[] {
  const silent = value === '' && choices.length && !choices.includes('');
  return silent ? ['', ...choices] : choices;
}

/** A tab is written as choices have it. */
function plain(option: string, value: string): string {
  return option === 'delimiter' && value === '\t' ? '\\t' : value;
}
