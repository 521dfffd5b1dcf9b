import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

const NAME = 'delays';

/** The text of a file, as it lies on the disk. */
async function text(
  page: IJupyterLabPageFixture,
  base: string,
  path: string
): Promise<string> {
  const query = 'type=file&format=text&content=1';
  const reply = await page.request.get(`${base}/api/contents/${path}?${query}`);
  return ((await reply.json()) as { content: string }).content;
}

/** Gives the notebook in front another name in JupyterLab’s own dialog. */
async function rename(
  page: IJupyterLabPageFixture,
  name: string
): Promise<void> {
  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('docmanager:rename');
  });
  const dialog = page.getByRole('dialog');
  await dialog.locator('input').fill(name);
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('tab', { name, exact: true })).toBeVisible();
}

/** Saves with the keyboard; nothing may be asked and nothing refused. */
async function save(page: IJupyterLabPageFixture, path: string): Promise<void> {
  const answer = (method: string, end: string) =>
    page.waitForResponse(
      reply =>
        reply.request().method() === method &&
        new URL(reply.url()).pathname.endsWith(`api/contents/${path}${end}`)
    );
  // JupyterLab takes no second save before the first one’s checkpoint is made.
  const answers = [answer('PUT', ''), answer('POST', '/checkpoints')];
  await page.keyboard.press('Control+s');
  for (const reply of await Promise.all(answers)) {
    expect(reply.ok()).toBe(true);
  }
  await expect(page.locator('.lm-TabBar-tab.jp-mod-dirty')).toHaveCount(0);
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

test.describe('a notebook renamed between the two kinds', () => {
  test('is converted under the open tab, which goes on as it was', async ({
    page,
    baseURL,
    tmpPath
  }, info) => {
    const base = baseURL as string;
    const json = `${tmpPath}/${NAME}.ipynb`;
    const yaml = `${tmpPath}/${NAME}.notebook.yaml`;
    await page.notebook.createNew(`${NAME}.ipynb`, { kernel: 'flowcat' });
    await page.notebook.setCell(0, 'code', 'kept = 41\nprint("first", kept)');
    await page.notebook.runCell(0, true);
    await expect(page.locator('.jp-OutputArea-output')).toHaveText('first 41');
    await save(page, json);

    await rename(page, `${NAME}.notebook.yaml`);
    expect(await text(page, base, yaml)).toMatch(/^notebook_format: 1\n/);
    await page.notebook.addCell('code', 'print("second", kept + 1)');
    const last = (await page.notebook.getCellCount()) - 1;
    await page.notebook.runCell(last, true);
    const shown = page.locator('.jp-OutputArea-output');
    await expect(shown.last()).toHaveText('second 42');
    await save(page, yaml);
    await save(page, yaml);
    expect(await text(page, base, yaml)).toContain('print("second", kept + 1)');
    await page.screenshot({ path: info.outputPath('renamed.png') });

    await page.notebook.close(false);
    await page.filebrowser.open(yaml, 'Notebook');
    await expect(shown.first()).toHaveText('first 41');
    await expect(shown.last()).toHaveText('second 42');
    await expect(page.locator('.fc-Damage')).toHaveCount(0);

    await rename(page, `${NAME}.ipynb`);
    await page.notebook.setCell(0, 'code', 'kept = 43');
    await save(page, json);
    const back = JSON.parse(await text(page, base, json)) as {
      cells: unknown[];
    };
    expect(back.cells).toHaveLength(last + 1);
  });

  test('is left as it was when it cannot be converted, and says why', async ({
    page,
    baseURL,
    tmpPath
  }, info) => {
    const torn = '{"cells": [';
    const path = `${tmpPath}/torn.ipynb`;
    await page.contents.uploadContent(torn, 'text', path);
    await page.filebrowser.openDirectory(tmpPath);
    await page.filebrowser.refresh();
    await page.getByRole('listitem', { name: 'torn.ipynb' }).click();
    await page.keyboard.press('F2');
    await page.locator('.jp-DirListing-editor').fill('torn.notebook.yaml');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('torn.ipynb was not renamed');
    await page.screenshot({ path: info.outputPath('refused.png') });
    await dialog.getByRole('button').first().click();
    expect(await text(page, baseURL as string, path)).toBe(torn);
  });
});
