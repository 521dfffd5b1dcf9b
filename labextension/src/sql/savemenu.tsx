import type { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import type { SaveForm } from './words';

/** Offers the forms a result can be kept in, at a place on the screen. */
export function openSaveMenu(
  x: number,
  y: number,
  trans: TranslationBundle,
  save: (form: SaveForm) => void
): void {
  const commands = new CommandRegistry();
  const menu = new Menu({ commands });
  const forms: [SaveForm, string][] = [
    ['csv', trans.__('CSV')],
    ['tsv', trans.__('TSV')],
    ['json', trans.__('JSON')],
    ['markdown', trans.__('Markdown')]
  ];
  for (const [form, label] of forms) {
    commands.addCommand(form, { label, execute: () => save(form) });
    menu.addItem({ command: form });
  }
  menu.addItem({ type: 'separator' });
  commands.addCommand('cell', {
    label: trans.__('Notebook Cell'),
    execute: () => save('cell')
  });
  menu.addItem({ command: 'cell' });
  menu.aboutToClose.connect(() => {
    requestAnimationFrame(() => menu.dispose());
  });
  menu.open(x, y);
}
