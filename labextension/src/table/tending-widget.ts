import {
  Dialog,
  InputDialog,
  Notification,
  showDialog
} from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { messageOf } from '../api/errors';

import type { Comparison } from './comparison';
import type { TableModel } from './model';
import { doneText, restoreText, wouldText } from './telling';
import type { Upkeep } from './upkeep';

const SHOWN_MS = 15_000;

/** What a table is looked after with. */
export interface ITending {
  model: TableModel;
  comparison: Comparison;
  upkeep: Upkeep;
  trans: TranslationBundle;
}

/** Goes back to a version, after asking; what is said then offers the way back. */
export async function restoreTable(
  tending: ITending,
  version: number
): Promise<void> {
  const { model, comparison, trans } = tending;
  const { table } = model;
  const told = comparison.purpose === 'restore' ? comparison.diff : null;
  const { button } = await showDialog({
    title: trans.__('Restore Version %1 of %2?', version, table?.name ?? ''),
    body: restoreText(told, trans),
    buttons: [
      Dialog.cancelButton(),
      Dialog.okButton({ label: trans.__('Restore') })
    ]
  });
  if (button.accept) {
    await goBack(tending, version);
  }
}

async function goBack(tending: ITending, version: number): Promise<void> {
  const { model, comparison, upkeep, trans } = tending;
  const name = model.table?.full_name.join('.') ?? '';
  if (upkeep.task) {
    Notification.warning(
      trans.__(
        'Something else is being done to %1. Restore it once that has ended.',
        name
      ),
      { autoClose: SHOWN_MS }
    );
    return;
  }
  const done = await upkeep.restore(version);
  if (!done) {
    if (upkeep.error) {
      Notification.error(upkeep.error, { autoClose: false });
    }
    return;
  }
  comparison.close();
  await model.setVersion(null);
  const before = done.version_before;
  const undo =
    done.changed && before !== null
      ? [
          {
            label: trans.__('Undo'),
            callback: () => void goBack(tending, before)
          }
        ]
      : [];
  const text = done.changed
    ? trans.__('%1 is again what it was in version %2.', name, version)
    : doneText(done, trans);
  Notification.success(text, { actions: undo, autoClose: SHOWN_MS });
}

/** Removes the files that only old versions need, after saying what goes. */
export async function vacuumTable(tending: ITending): Promise<void> {
  const { model, upkeep, trans } = tending;
  const { would } = upkeep;
  if (!would) {
    return;
  }
  const { button } = await showDialog({
    title: trans.__('Vacuum %1?', model.table?.name ?? ''),
    body: trans.__(
      '%1 The versions that need them cannot be read, compared or restored any more. This cannot be undone.',
      wouldText(would, trans)
    ),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({ label: trans.__('Vacuum') })
    ]
  });
  if (button.accept) {
    await upkeep.vacuum();
  }
}

/** Gives a table to somebody else, who is asked for. */
export async function giveTable(
  model: TableModel,
  trans: TranslationBundle
): Promise<void> {
  const { button, value } = await InputDialog.getText({
    title: trans.__('Give %1 to Somebody Else', model.table?.name ?? ''),
    label: trans.__(
      'The name of the new owner. You keep what groups of yours may do with it, and nothing else.'
    ),
    text: model.table?.owner ?? '',
    okLabel: trans.__('Give')
  });
  if (button.accept && value) {
    try {
      await model.give(value.trim());
    } catch (reason) {
      Notification.error(messageOf(reason), { autoClose: false });
    }
  }
}
