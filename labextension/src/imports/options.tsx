import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ImportPreview } from '../api/types';

import type { ImportModel } from './model';

/** What the choices of reading show. */
export interface IOptionsProps {
  model: ImportModel;
  preview: ImportPreview;
  trans: TranslationBundle;
}

/** How the file is read; what the file itself tells is chosen already. */
export function Options(props: IOptionsProps): JSX.Element | null {
  const { preview, trans } = props;
  const delimiters: [string, string][] = [
    [',', trans.__('comma')],
    [';', trans.__('semicolon')],
    ['\t', trans.__('tab')],
    ['|', trans.__('bar')]
  ];
  const text = preview.format !== 'parquet';
  if (!text) {
    return null;
  }
  const csv = preview.format === 'csv';
  return (
    <div className="fc-Options">
      {csv && (
        <>
          <Choice
            {...props}
            name="delimiter"
            label={trans.__('Separator')}
            choices={delimiters}
          />
          <Choice
            {...props}
            name="header"
            label={trans.__('First line')}
            choices={[
              ['true', trans.__('names')],
              ['false', trans.__('values')]
            ]}
          />
          <Choice
            {...props}
            name="decimal"
            label={trans.__('Decimal sign')}
            choices={[
              ['.', trans.__('point')],
              [',', trans.__('comma')]
            ]}
          />
          <Words
            {...props}
            name="null_values"
            label={trans.__('Missing values')}
            hint={trans.__('by type')}
          />
          <Words
            {...props}
            name="date_format"
            label={trans.__('Date format')}
            hint={trans.__('found out')}
          />
        </>
      )}
      <Words
        {...props}
        name="encoding"
        label={trans.__('Encoding')}
        hint={trans.__('found out')}
      />
      <Choice
        {...props}
        name="bad_rows"
        label={trans.__('Bad lines')}
        choices={[
          ['stop', trans.__('stop')],
          ['skip', trans.__('leave out')]
        ]}
      />
    </div>
  );
}

interface IOptionProps extends IOptionsProps {
  name: string;
  label: string;
}

function Choice(
  props: IOptionProps & { choices: [string, string][] }
): JSX.Element {
  const { model, preview, trans, name, label, choices } = props;
  const value = model.options[name] ?? preview.options[name] ?? '';
  const known = choices.some(([choice]) => choice === value);
  const all = known
    ? choices
    : [[value, value || trans.__('found out')] as [string, string], ...choices];
  return (
    <label>
      {label}
      <HTMLSelect
        value={value}
        disabled={model.working}
        onChange={event => void model.setOption(name, event.target.value)}
      >
        {all.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </HTMLSelect>
    </label>
  );
}

/** A text that counts once it is finished. */
function Words(props: IOptionProps & { hint: string }): JSX.Element {
  const { model, preview, name, label, hint } = props;
  const value = model.options[name] ?? '';
  const [text, setText] = React.useState(value);
  React.useEffect(() => setText(value), [value]);
  const finish = () => {
    if (text !== value) {
      void model.setOption(name, text === '' ? null : text);
    }
  };
  return (
    <label>
      {label}
      <input
        className="jp-mod-styled"
        value={text}
        placeholder={preview.options[name] || hint}
        disabled={model.working}
        onChange={event => setText(event.target.value)}
        onBlur={finish}
        onKeyDown={event => {
          if (event.key === 'Enter') {
            finish();
          }
        }}
      />
    </label>
  );
}
