import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Working } from '../parts/working';

import type { IPaneProps } from './panes';
import { doneText, keptText, wouldText } from './telling';
import type { Task, Upkeep } from './upkeep';
import { bytes, count } from './words';

/** What the care for a table's files shows and does. */
export interface IMaintenanceProps extends IPaneProps {
  upkeep: Upkeep;
  /** Removes what only old versions need, after asking. */
  onVacuum(): void;
}

/** A table's files, and what can be done for them. */
export function MaintenancePane(props: IMaintenanceProps): JSX.Element | null {
  const { model, trans, upkeep } = props;
  const { table } = model;
  if (!table) {
    return null;
  }
  const { files, size_bytes: size } = table;
  const average = files && size !== null ? size / files : null;
  const facts: [string, string | null][] = [
    [trans.__('Files'), files === null ? null : count(files)],
    [
      trans.__('Average size'),
      average === null ? null : bytes(Math.round(average))
    ],
    [trans.__('Size'), size === null ? null : bytes(size)],
    [
      trans.__('Old versions keep their files for'),
      upkeep.refusal === 'format' ? null : keptText(table, trans)
    ]
  ];
  return (
    <div className="fc-Care">
      <dl className="fc-Facts">
        {facts
          .filter(([, fact]) => fact !== null)
          .map(([name, fact]) => (
            <React.Fragment key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </React.Fragment>
          ))}
      </dl>
      {upkeep.refusal ? <Refused {...props} /> : <Tasks {...props} />}
    </div>
  );
}

/** Why there is nothing to press. */
function Refused({ model, trans, upkeep }: IMaintenanceProps): JSX.Element {
  return (
    <p>
      {upkeep.refusal === 'access'
        ? trans.__(
            'Only who manages this table may put its files together or remove old ones. Its owner is %1.',
            model.table?.owner ?? ''
          )
        : trans.__(
            'A %1 table keeps no old versions, so that there is nothing to look after.',
            model.table?.format ?? ''
          )}
    </p>
  );
}

function Tasks(props: IMaintenanceProps): JSX.Element {
  const { model, trans, upkeep, onVacuum } = props;
  const { task, would, done, error } = upkeep;
  const busy = task !== null;
  return (
    <>
      {model.table?.table_type === 'external' && (
        <p className="fc-Notice">
          {trans.__(
            'The data of this table lie outside the catalog: other programs that read them lose old versions, too.'
          )}
        </p>
      )}
      {model.table?.format === 'delta' && <Optimize {...props} />}
      <section aria-label={trans.__('Vacuum')}>
        <h3>{trans.__('Vacuum')}</h3>
        <p>
          {trans.__(
            'Removes files that only versions older than %1 need. Those versions cannot be read, compared or restored any more.',
            model.table ? keptText(model.table, trans) : ''
          )}
        </p>
        <button
          className="jp-mod-styled jp-mod-reject"
          disabled={busy}
          onClick={() => void upkeep.look()}
        >
          {trans.__('See What It Would Free')}
        </button>
        {would && would.files_removed > 0 && (
          <button
            className="jp-mod-styled jp-mod-warn"
            disabled={busy}
            onClick={onVacuum}
          >
            {trans.__('Vacuum…')}
          </button>
        )}
        <Standing {...props} tasks={['look', 'vacuum']} action="vacuum" />
        {would && <p role="status">{wouldText(would, trans)}</p>}
      </section>
      {error && !done && (
        <p role="alert" className="fc-Error">
          {error}
        </p>
      )}
    </>
  );
}

function Optimize(props: IMaintenanceProps): JSX.Element {
  const { trans, upkeep } = props;
  return (
    <section aria-label={trans.__('Optimize')}>
      <h3>{trans.__('Optimize')}</h3>
      <p>
        {trans.__(
          'Puts small files together, so that queries open fewer. No row and no version is lost.'
        )}
      </p>
      <button
        className="jp-mod-styled jp-mod-accept"
        disabled={upkeep.task !== null}
        onClick={() => void upkeep.optimize()}
      >
        {trans.__('Optimize')}
      </button>
      <Standing {...props} tasks={['optimize']} action="optimize" />
    </section>
  );
}

/** How a task stands, or what it did. */
function Standing(
  props: IMaintenanceProps & { tasks: Task[]; action: string }
): JSX.Element | null {
  const { upkeep, trans, tasks, action } = props;
  const { task, since, done } = upkeep;
  if (task && tasks.includes(task)) {
    return (
      <Working
        text={taskText(task, trans)}
        since={since}
        trans={trans}
        onCancel={() => upkeep.cancel()}
      />
    );
  }
  return done?.action === action ? (
    <p role="status">{doneText(done, trans)}</p>
  ) : null;
}

function taskText(task: Task, trans: TranslationBundle): string {
  switch (task) {
    case 'look':
      return trans.__('Looking…');
    case 'optimize':
      return trans.__('Putting files together…');
    case 'vacuum':
      return trans.__('Removing files…');
    case 'restore':
      return trans.__('Restoring…');
  }
}
