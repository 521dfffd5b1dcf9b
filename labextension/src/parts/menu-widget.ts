import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

/** An entry of a menu; null is a line between groups, a list is a menu of its own. */
export type MenuEntry =
  | {
      label: string;
      run: () => unknown;
      on?: boolean;
      off?: boolean;
    }
  | { label: string; entries: readonly MenuEntry[] }
  | null;

/** Opens a menu at a place on the screen; `closed` is called when it is gone again. */
export function openMenu(
  entries: readonly MenuEntry[],
  at: { x: number; y: number },
  closed?: () => void
): Menu {
  const menu = made(entries, new CommandRegistry());
  menu.aboutToClose.connect(() => {
    requestAnimationFrame(() => {
      menu.dispose();
      closed?.();
    });
  });
  menu.open(at.x, at.y);
  return menu;
}

function made(entries: readonly MenuEntry[], commands: CommandRegistry): Menu {
  const menu = new Menu({ commands });
  for (const entry of entries) {
    if (entry === null) {
      menu.addItem({ type: 'separator' });
    } else if ('entries' in entry) {
      const submenu = made(entry.entries, commands);
      submenu.title.label = entry.label;
      menu.addItem({ type: 'submenu', submenu });
    } else {
      const command = `entry-${commands.listCommands().length}`;
      const { label, run, on, off } = entry;
      commands.addCommand(command, {
        label,
        describedBy: { args: { type: 'object', properties: {} } },
        execute: run,
        isToggleable: on !== undefined,
        isToggled: () => on === true,
        isEnabled: () => off !== true
      });
      menu.addItem({ command });
    }
  }
  return menu;
}
