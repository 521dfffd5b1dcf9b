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
    return <Failure model={model} failure={failure} trans={trans} />;
  }
  if (shown?.state === 'cancelled') {
    const said = [trans.__('Cancelled.'), notRun(shown.unrun, trans)];
    return <p role="status">{said.filter(Boolean).join(' ')}</p>;
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
      <p role="status">
        {result ? outcome(result.reply, trans) : ''}
        {shown && result?.reply.dry_run && (
          <button
            className="fc-Link fc-mod-after"
            onClick={() => void model.run(shown)}
          >
            {trans.__('Run it')}
          </button>
        )}
      </p>
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

/** How many statements were given up. */
function notRun(unrun: number, trans: TranslationBundle): string {
  return unrun
    ? trans._n(
        'The statement after it was not run.',
        'The %1 statements after it were not run.',
        unrun
      )
    : '';
}

function Failure(props: {
  model: QueryModel;
  failure: IFailure;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, failure, trans } = props;
  const unrun = model.shown?.unrun ?? 0;
  const { message, hint, condition, sqlstate, code } = failure;
  const where =
    model.count + unrun > 1 &&
    trans.__('Statement %1, line %2:', model.at + 1, failure.row);
  const technical = [condition ?? code, sqlstate && `SQLSTATE ${sqlstate}`]
    .filter(Boolean)
    .join(' · ');
  return (
    <div role="alert" className="fc-Results-failure">
      <p>
        {where && <strong>{where} </strong>}
        {message}
      </p>
      {hint && <p>{hint}</p>}
      {unrun > 0 && <p>{notRun(unrun, trans)}</p>}
      <p className="fc-Quiet">
        <code>{technical}</code>{' '}
        <button
          className="fc-Link"
          onClick={() =>
            Clipboard.copyToSystem(
              [where, message, hint, technical].filter(Boolean).join('\n')
            )
          }
        >
          {trans.__('Copy')}
        </button>
      </p>
    </div>
  );
}
