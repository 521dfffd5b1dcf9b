import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import * as React from 'react';

/** A choice among values, or any text. */
export interface IPickProps {
  trans: TranslationBundle;
  /** What is chosen, for those who hear it. */
  label?: string;
  value: string;
  choices: readonly [string, string][];
  /** Whether another text than those listed can be given. */
  free: boolean;
  disabled: boolean;
  placeholder?: string;
  onPick(value: string): void;
}

/** No value is this text: it stands for one that is typed in. */
const OTHER = '\u0000';

/** A list of values; where any text will do, its last entry turns it into a field. */
export function Pick(props: IPickProps): JSX.Element {
  const { trans, label, value, choices, free, disabled, onPick } = props;
  const [typing, setTyping] = React.useState(false);
  const [back, setBack] = React.useState(false);
  const select = React.useRef<HTMLSelectElement | null>(null);
  React.useEffect(() => {
    if (back) {
      // The field that had the focus is gone.
      select.current?.focus();
      setBack(false);
    }
  }, [back]);
  if (!choices.length || typing) {
    return (
      <Field
        {...props}
        focus={typing}
        onDone={byKey => {
          setTyping(false);
          setBack(typing && byKey);
        }}
      />
    );
  }
  const known = choices.some(([choice]) => choice === value);
  return (
    <HTMLSelect
      aria-label={label}
      value={value}
      disabled={disabled}
      elementRef={(node: HTMLSelectElement | null) => {
        select.current = node;
      }}
      onChange={event => {
        if (event.target.value === OTHER) {
          setTyping(true);
        } else {
          onPick(event.target.value);
        }
      }}
    >
      {!known && <option value={value}>{value || trans.__('—')}</option>}
      {choices.map(([choice, words]) => (
        <option key={choice} value={choice}>
          {words}
        </option>
      ))}
      {free && <option value={OTHER}>{trans.__('other…')}</option>}
    </HTMLSelect>
  );
}

/** A text that counts once it is finished. */
function Field(
  props: IPickProps & { focus: boolean; onDone(byKey: boolean): void }
): JSX.Element {
  const { label, value, placeholder, disabled, focus, onPick, onDone } = props;
  const [text, setText] = React.useState(value);
  const given = React.useRef(false);
  React.useEffect(() => setText(value), [value]);
  const finish = (taken: boolean, byKey: boolean) => {
    if (given.current) {
      return;
    }
    // It goes away then, and so does the focus: that is no second end.
    given.current = focus;
    if (taken && text !== value) {
      onPick(text);
    } else {
      setText(value);
    }
    onDone(byKey);
  };
  return (
    <input
      className="jp-mod-styled"
      aria-label={label}
      value={text}
      placeholder={placeholder}
      disabled={disabled}
      autoFocus={focus}
      onChange={event => setText(event.target.value)}
      onBlur={() => finish(true, false)}
      onKeyDown={event => {
        if (event.key === 'Enter') {
          finish(true, true);
        } else if (event.key === 'Escape') {
          event.stopPropagation();
          finish(false, true);
        }
      }}
    />
  );
}
