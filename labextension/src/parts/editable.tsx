import type { TranslationBundle } from '@jupyterlab/translation';
import { editIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { messageOf } from '../api/errors';

/** A text that can be changed where it stands. */
export interface IEditableProps {
  /** What it is, for those who hear it. */
  label: string;
  text: string;
  /** What stands where there is no text. */
  empty: string;
  /** Keeps a new text; what it rejects with is shown beside the text. Null: it cannot be changed. */
  save: ((text: string) => Promise<void>) | null;
  trans: TranslationBundle;
  /** Letters it may have. */
  longest?: number;
}

/**
 * A text, and on a click or Enter a field with it. Enter keeps what was written and so does
 * leaving the field, Escape undoes it, Shift Enter begins a line. A text that cannot be kept stays
 * in the field with the reason.
 */
export function Editable(props: IEditableProps): JSX.Element {
  const { label, text, empty, save, trans } = props;
  const [draft, setDraft] = React.useState<string | null>(null);
  const [error, setError] = React.useState<string | null>(null);
  const opener = React.useRef<HTMLButtonElement | null>(null);
  const back = React.useRef(false);
  React.useEffect(() => {
    if (draft === null && back.current) {
      back.current = false;
      opener.current?.focus();
    }
  }, [draft]);

  if (!save) {
    return <span className="fc-Editable-text">{text}</span>;
  }
  const close = (focus: boolean) => {
    back.current = focus;
    setDraft(null);
    setError(null);
  };
  const keep = (focus: boolean) => {
    const written = draft?.trim() ?? '';
    if (written === text) {
      close(focus);
      return;
    }
    close(focus);
    save(written).catch((reason: unknown) => {
      setDraft(written);
      setError(messageOf(reason));
    });
  };
  if (draft === null) {
    return (
      <button
        ref={opener}
        className="fc-Editable"
        title={trans.__('Edit')}
        aria-label={
          text
            ? trans.__('%1: %2. Edit', label, text)
            : trans.__('%1: none. Edit', label)
        }
        onClick={() => setDraft(text)}
      >
        <span className={text ? 'fc-Editable-text' : 'fc-Quiet'}>
          {text || empty}
        </span>
        <editIcon.react tag="span" className="fc-Editable-mark" />
      </button>
    );
  }
  return (
    <span className="fc-Editable-field">
      <textarea
        autoFocus
        aria-label={label}
        aria-invalid={error !== null}
        rows={Math.min(6, draft.split('\n').length)}
        maxLength={props.longest}
        value={draft}
        onFocus={event => event.target.select()}
        onChange={event => setDraft(event.target.value)}
        onBlur={() => {
          // What was refused waits for its writer.
          if (error === null) {
            keep(false);
          }
        }}
        onKeyDown={event => {
          event.stopPropagation();
          if (event.key === 'Escape') {
            event.preventDefault();
            close(true);
          } else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            keep(true);
          }
        }}
      />
      {error && (
        <span role="alert" className="fc-Editable-error">
          {error}
        </span>
      )}
    </span>
  );
}
