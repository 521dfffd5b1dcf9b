import type { TranslationBundle } from '@jupyterlab/translation';
import { addIcon, closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { messageOf } from '../api/errors';

/** The tags of a table; null `save`: they cannot be changed. */
export interface ITagsProps {
  tags: readonly string[];
  save: ((tags: string[]) => Promise<void>) | null;
  trans: TranslationBundle;
}

const LONGEST = 100;

/** Tags as chips, each with a way to take it off, and a field for more. */
export function Tags({ tags, save, trans }: ITagsProps): JSX.Element | null {
  const [draft, setDraft] = React.useState<string | null>(null);
  const [error, setError] = React.useState<string | null>(null);
  if (!save && !tags.length) {
    return null;
  }
  const keep = (next: string[], rest: string | null, written?: string) => {
    setError(null);
    setDraft(rest);
    save?.(next).catch((reason: unknown) => {
      setError(messageOf(reason));
      if (written) {
        setDraft(written);
      }
    });
  };
  const add = (open: boolean) => {
    const tag = draft?.trim() ?? '';
    if (tag) {
      keep([...tags, tag], open ? '' : null, tag);
    } else if (!open) {
      setDraft(null);
    }
  };
  return (
    <div className="fc-Tags" role="group" aria-label={trans.__('Tags')}>
      <ul>
        {tags.map(tag => (
          <li key={tag} className="fc-Tag">
            <span title={tag}>{tag}</span>
            {save && (
              <button
                aria-label={trans.__('Take off the tag %1', tag)}
                title={trans.__('Take off')}
                onClick={() =>
                  keep(
                    tags.filter(other => other !== tag),
                    draft
                  )
                }
              >
                <closeIcon.react tag="span" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {save && draft === null && (
        <button className="fc-Tags-add" onClick={() => setDraft('')}>
          <addIcon.react tag="span" />
          {tags.length ? (
            <span className="fc-mod-unseen">{trans.__('Add a tag')}</span>
          ) : (
            trans.__('Add a tag')
          )}
        </button>
      )}
      {save && draft !== null && (
        <input
          autoFocus
          aria-label={trans.__('New tag')}
          placeholder={trans.__('tag')}
          maxLength={LONGEST}
          value={draft}
          onChange={event => setDraft(event.target.value)}
          onBlur={() => {
            // What was refused waits for its writer.
            if (error === null) {
              add(false);
            }
          }}
          onKeyDown={event => {
            event.stopPropagation();
            if (event.key === 'Enter' || event.key === ',') {
              event.preventDefault();
              add(true);
            } else if (event.key === 'Escape') {
              setError(null);
              setDraft(null);
            } else if (event.key === 'Backspace' && !draft && tags.length) {
              keep(tags.slice(0, -1), '');
            }
          }}
        />
      )}
      {error && (
        <span role="alert" className="fc-Editable-error">
          {error}
        </span>
      )}
    </div>
  );
}
