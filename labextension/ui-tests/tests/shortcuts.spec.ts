import { expect, test } from '@jupyterlab/galata';

test('no shortcut of ours clashes with one of JupyterLab’s', async ({
  page
}) => {
  const { ours, clashes } = await page.evaluate(() => {
    const bindings = window.jupyterapp.commands.keyBindings;
    // Within our own widgets a key may mean what it means there.
    const global = bindings.filter(
      ({ command, selector }) =>
        command.startsWith('flowcat') && !selector.includes('.fc-')
    );
    return {
      ours: global.map(({ command }) => command),
      clashes: global.flatMap(({ keys, command }) =>
        bindings
          .filter(
            other =>
              other.command !== command &&
              other.keys.join('|') === keys.join('|')
          )
          .map(other => `${command} and ${other.command}: ${keys.join(' ')}`)
      )
    };
  });
  expect(ours).toContain('flowcat:toggle');
  expect(clashes).toEqual([]);
});
