import * as React from 'react';

import { visible } from '../grid/special';
import { count } from '../table/words';

import type { IStepProps } from './columns';
import { textHelps } from './misfits';

/** The first lines that do not fit, why, and what can become of them. */
export function Rejects({ model, trans }: IStepProps): JSX.Element | null {
  const { preview } = model;
  if (!preview?.rejected) {
    return null;
  }
  const { rejects, rejected, files, choices } = preview;
  const named = files.length > 1;
  const way = preview.options.bad_rows ?? 'stop';
  const offers: [string, string][] = [
    ['skip', trans.__('Leave them out')],
    ['text', trans.__('Keep columns as text')],
    ['stop', trans.__('Stop at them')]
  ];
  return (
    <section className="fc-Step fc-Rejects" aria-labelledby="fc-import-rejects">
      <h3 id="fc-import-rejects">
        {trans._n(
          '%2 line does not fit',
          '%2 lines do not fit',
          rejected,
          count(rejected)
        )}
      </h3>
      <p className="fc-Actions">
        {way === 'stop'
          ? trans.__('The import will stop and change nothing.')
          : trans.__('They are left out and kept with their reasons.')}
        {offers
          .filter(
            ([value]) =>
              value !== way &&
              choices.bad_rows?.includes(value) &&
              (value !== 'text' || textHelps(preview))
          )
          .map(([value, label]) => (
            <button
              key={value}
              className="fc-Link"
              disabled={model.working}
              onClick={() => void model.setOption('bad_rows', value)}
            >
              {label}
            </button>
          ))}
      </p>
      <div
        className="fc-Scroll"
        tabIndex={0}
        role="group"
        aria-label={trans.__('Lines that do not fit')}
      >
        <table className="fc-Table fc-Rejects-table">
          <thead>
            <tr>
              {named && <th scope="col">{trans.__('File')}</th>}
              <th scope="col" className="fc-mod-number">
                {trans.__('Line')}
              </th>
              <th scope="col">{trans.__('Reason')}</th>
              <th scope="col">{trans.__('Text')}</th>
            </tr>
          </thead>
          <tbody>
            {rejects.map((reject, at) => (
              <tr key={at}>
                {named && <td>{reject.file}</td>}
                <td className="fc-mod-number">{reject.line}</td>
                <td>{reject.reason}</td>
                <td title={reject.text}>
                  <code>{visible(reject.text)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rejects.length < rejected && (
        <p className="fc-Quiet">
          {trans.__(
            'These are the first %1; all of them can be looked at after the import.',
            count(rejects.length)
          )}
        </p>
      )}
    </section>
  );
}
