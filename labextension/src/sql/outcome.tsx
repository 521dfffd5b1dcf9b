import { Clipboard } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { QueryModel } from './model';
import type { IFailure } from './runs';
import { outcome } from './words';

/** What there is to say where there are no rows. */
export function Outcome(props: {
  model: QueryModel;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, trans } = props;
  const { shown, failure, result } = model;
  if (failure) {
    return <Failure failure={failure} trans={trans} />;
  }
  if (shown?.state === 'cancelled') {
    return <p role="status">{trans.__('Cancelled.')}</p>;
  }
  if (model.state === 'idle') {
    return (
      <p className="fc-Quiet">
        {trans.__(
          'Shift Enter runs the statement at the cursor, or what is selected. History has what you ran and saved before.'
        )}
      </p>
    );
  }
  return (
    <>
      <p role="status">{result ? outcome(result.reply, trans) : ''}</p>
      <Warnings texts={result?.reply.warnings ?? []} />
    </>
  );
}

/** What a person should know of a result. */
export function Warnings(props: { texts: readonly string[] }): JSX.Element {
  return (
    <ul className="fc-Results-warnings">
      {props.texts.map(text => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

function Failure(props: {
  failure: IFailure;
  trans: TranslationBundle;
}): JSX.Element {
  const { failure, trans } = props;
  const { message, hint, condition, sqlstate, code } = failure;
  const technical = [condition ?? code, sqlstate && `SQLSTATE ${sqlstate}`]
    .filter(Boolean)
    .join(' · ');
  return (
    <div role="alert" className="fc-Results-failure">
      <p>{message}</p>
      {hint && <p>{hint}</p>}
      <p className="fc-Quiet">
        <code>{technical}</code>{' '}
        <button
          className="fc-Link"
          onClick={() =>
            Clipboard.copyToSystem(
              [message, hint, technical].filter(Boolean).join('\n')
            )
          }
        >
          {trans.__('Copy')}
        </button>
      </p>
    </div>
  );
}
