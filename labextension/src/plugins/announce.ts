import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { RunWatcher } from '../api/runs';
import type { RunReply } from '../api/types';
import type { IImportRuns } from '../imports/model';
import { rejectedOf, rejectsLabel, runText } from '../imports/words';
import type { IRunOpeners } from '../runs/widget';

const SHOWN_MS = 15_000;

/** The runs, with a word to the person when an import of this browser has ended. */
export function announced(
  runs: RunWatcher,
  trans: TranslationBundle,
  open: IRunOpeners
): IImportRuns {
  return {
    cancel: id => runs.cancel(id),
    follow: async (run, progress) => {
      const ended = await runs.follow(run, progress);
      announce(ended, trans, open);
      return ended;
    }
  };
}

function announce(
  run: RunReply,
  trans: TranslationBundle,
  open: IRunOpeners
): void {
  const { state, title, result } = run;
  const table = result?.table_id;
  const rejected = rejectedOf(run);
  const actions: Notification.IAction[] = [];
  if (typeof table === 'number') {
    actions.push({
      label: trans.__('Open Table'),
      displayType: 'accent',
      callback: () => open.table(table)
    });
  }
  if (rejected) {
    actions.push({
      label: rejectsLabel(rejected, trans),
      callback: () => open.rejects(run)
    });
  }
  const message = `${title}\n${runText(run, trans)}`;
  if (state === 'succeeded') {
    Notification.success(message, { actions, autoClose: SHOWN_MS });
  } else if (state !== 'cancelled') {
    Notification.error(message, { actions, autoClose: false });
  }
}
