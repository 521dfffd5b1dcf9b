import { expect, test } from '@jupyterlab/galata';

import { inBothThemes, openCatalog, reveal, row } from './helpers';

const FILE = 'City trips.csv';
const LINES = ['id,city,amount', '9007199254740993,Bern,1.50', '2,NA,2.25', ''];

test.describe('importing a file', () => {
  test('from the file browser, with a type changed', async ({
    page,
    tmpPath
  }, info) => {
    await page.contents.uploadContent(
      LINES.join('\n'),
      'text',
      `${tmpPath}/${FILE}`
    );
    await page.filebrowser.openDirectory(tmpPath);
    await page.filebrowser.refresh();
    await page.getByRole('listitem', { name: FILE }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Import to Catalog…' }).click();
    const body = page.locator('.fc-Import');
    await expect(body.getByText(`${tmpPath}/${FILE}`)).toBeVisible();
    const type = body.getByLabel('Type of amount');
    await expect(type).toBeVisible();
    await expect(body.getByText('9007199254740993').first()).toBeVisible();
    await inBothThemes(page, info, 'import', '.fc-Import');

    await type.selectOption('decimal(18,2)');
    await expect(body.getByText('chosen by you')).toBeVisible();
    const table = `trips_${Date.now()}`;
    await body.getByRole('textbox', { name: 'Table' }).fill(table);
    await body
      .getByRole('button', { name: `Import into main.default.${table}` })
      .click();
    await expect(body.getByText('Done. The table has 2 rows.')).toBeVisible();
    await page
      .locator('.jp-toast-button')
      .filter({ hasText: 'Open Table' })
      .click();
    const grid = page.locator('.fc-Page .lm-DataGrid[aria-busy="false"]');
    await expect(grid).toBeVisible();
    await grid.click({ position: { x: 90, y: 60 } });
    await expect(page.locator('.fc-Grid-spoken')).toHaveText(
      /^Row 1, id: (9007199254740993|2)$/
    );
    await openCatalog(page);
    await reveal(page, 'main', 'default', table);
    await expect(row(page, 'amount')).toContainText('decimal(18,2)');
  });

  test('says what is wrong with a file it cannot read', async ({ page }) => {
    await page.getByRole('button', { name: 'Import File' }).first().click();
    await page.locator('.fc-Choose input[type="file"]').setInputFiles({
      name: 'broken.parquet',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('not parquet')
    });
    await expect(page.locator('.fc-Import [role="alert"]')).not.toBeEmpty();
  });
});
