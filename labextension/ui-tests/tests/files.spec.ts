import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import { inBothThemes } from './helpers';

const AWKWARD = join(__dirname, '../../../tests/data/awkward');

/** Puts a file of the tests' data into the folder of the test, and shows the folder. */
async function show(
  page: IJupyterLabPageFixture,
  folder: string,
  file: string
): Promise<void> {
  const content = await readFile(join(AWKWARD, file));
  await page.contents.uploadContent(
    content.toString('base64'),
    'base64',
    `${folder}/${file}`
  );
  await page.filebrowser.openDirectory(folder);
  await page.filebrowser.refresh();
}

test.describe('files in the file browser', () => {
  test('a double click shows the rows of a Parquet file, which cannot be saved', async ({
    page,
    tmpPath
  }, info) => {
    await show(page, tmpPath, 'table.parquet');
    await page.filebrowser.open(`${tmpPath}/table.parquet`);
    const panel = page.locator('.fc-FilePanel');
    await expect(panel.getByText('2 rows')).toBeVisible();
    await expect(
      panel.locator('.lm-DataGrid[aria-busy="false"]')
    ).toBeVisible();
    await expect(panel.getByRole('button', { name: 'Filter' })).toBeVisible();
    await inBothThemes(page, info, 'file', '.fc-FilePanel');
    await page.keyboard.press('Control+s');
    await page.waitForTimeout(500);
    await expect(page.locator('.jp-Dialog')).toHaveCount(0);
    await panel.getByRole('button', { name: 'Import to Catalog…' }).click();
    await expect(page.locator('.fc-Import .fc-Chip')).toContainText(
      'table.parquet'
    );
  });

  test('a double click shows the rows of an Arrow file', async ({
    page,
    tmpPath
  }) => {
    await show(page, tmpPath, 'table.arrow');
    await page.filebrowser.open(`${tmpPath}/table.arrow`);
    await expect(
      page.locator('.fc-FilePanel').getByText('2 rows')
    ).toBeVisible();
  });

  test('CSV keeps its viewer, and can be opened with ours', async ({
    page,
    tmpPath
  }) => {
    await show(page, tmpPath, 'plain.csv');
    const file = page.getByRole('listitem', { name: 'plain.csv' });
    await file.dblclick();
    await expect(page.locator('.jp-CSVViewer')).toBeVisible();
    await file.click({ button: 'right' });
    await page.locator('.lm-Menu-item', { hasText: 'Open With' }).hover();
    await page.getByRole('menuitem', { name: 'Catalog Preview' }).click();
    await expect(
      page.locator('.fc-FilePanel').getByText('2 rows')
    ).toBeVisible();
  });

  test('tells which lines of a file do not fit, and are not shown', async ({
    page,
    tmpPath
  }) => {
    await show(page, tmpPath, 'ragged.csv');
    await page
      .getByRole('listitem', { name: 'ragged.csv' })
      .click({ button: 'right' });
    await page.locator('.lm-Menu-item', { hasText: 'Open With' }).hover();
    await page.getByRole('menuitem', { name: 'Catalog Preview' }).click();
    await expect(page.locator('.fc-FilePanel .fc-Warning').first()).toHaveText(
      /^\d lines? do(es)? not fit and (is|are) not shown \(line \d: .*fields?/
    );
  });

  test('a folder is opened by a double click, and looked at from its menu', async ({
    page,
    tmpPath
  }) => {
    await page.contents.createDirectory(`${tmpPath}/in`);
    await show(page, `${tmpPath}/in`, 'plain.csv');
    await page.filebrowser.openDirectory(tmpPath);
    await page.getByRole('listitem', { name: 'in' }).click({ button: 'right' });
    await page.locator('.lm-Menu-item', { hasText: 'Open With' }).hover();
    await page.getByRole('menuitem', { name: 'Catalog Preview' }).click();
    await expect(
      page.locator('.fc-FilePanel').getByText('2 rows')
    ).toBeVisible();
  });
});
