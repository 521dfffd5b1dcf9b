import { expect, test } from '@jupyterlab/galata';

import { inBothThemes, loadDemo, openCatalog, reveal, row } from './helpers';

test.describe('a notebook kept as YAML', () => {
  test('takes tables dropped into its cells, in the cell’s language', async ({
    page,
    baseURL,
    tmpPath
  }) => {
    await loadDemo(page, baseURL as string);
    await page.filebrowser.openDirectory(tmpPath);
    await page
      .locator('.jp-LauncherCard')
      .filter({ hasText: 'Catalog Notebook' })
      .click();
    const cells = page.locator('.jp-Notebook .jp-Cell .cm-content');
    await expect(cells).toHaveCount(1);
    await openCatalog(page);
    await reveal(page, 'demo', 'nyc');
    await row(page, 'airlines').dragTo(cells.first());
    await expect(cells.first()).toHaveText(
      'flowfile_ctx.read_catalog_table("demo.nyc.airlines")'
    );

    await page.notebook.enterCellEditingMode(0);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.getByRole('combobox', { name: 'Cell type' }).selectOption('sql');
    await page.keyboard.insertText('SELECT * FROM ');
    await row(page, 'airlines').dragTo(
      cells.first().locator('.cm-line').nth(1)
    );
    await expect(cells.first()).toContainText('demo.nyc.airlines');
    await expect(cells.first()).not.toContainText('read_catalog_table');
    await page
      .getByRole('combobox', { name: 'Cell type' })
      .selectOption('code');
    await expect(cells.first()).not.toContainText('%%catalog_sql');
  });

  test('says above it what is wrong with a damaged one, and asks nothing', async ({
    page,
    tmpPath
  }, info) => {
    const path = `${tmpPath}/torn.notebook.yaml`;
    const text = 'notebook_format: 1\ncells:\n- id: [\n';
    await page.contents.uploadContent(text, 'text', path);
    await page.filebrowser.open(path, 'Notebook');
    const banner = page.locator('.fc-Damage');
    await expect(banner).toContainText('open for reading only');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await inBothThemes(page, info, 'damaged', '.fc-Damage');
    await banner.getByRole('button', { name: 'Open as Text' }).click();
    await expect(page.locator('.jp-FileEditor .cm-content')).toContainText(
      'notebook_format: 1'
    );
  });
});
