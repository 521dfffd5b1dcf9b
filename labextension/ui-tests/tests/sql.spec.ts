import { readFile } from 'node:fs/promises';

import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import { inBothThemes, loadDemo } from './helpers';

const CARRIERS =
  'SELECT carrier, count(*) AS n\nFROM demo.nyc.flights\nGROUP BY carrier ORDER BY n DESC';

/** Opens an editor and gives it a text. */
async function write(
  page: IJupyterLabPageFixture,
  text: string
): Promise<void> {
  await page.locator('.fc-Query .cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

test.describe('the SQL editor', () => {
  test.beforeEach(async ({ page, baseURL }) => {
    await loadDemo(page, baseURL as string);
    await page
      .locator('.jp-LauncherCard')
      .filter({ hasText: 'SQL Query' })
      .click();
    await expect(page.locator('.fc-Query .cm-content')).toBeVisible();
  });

  test('runs the statement at the cursor and shows a grid', async ({
    page
  }, info) => {
    await write(page, `SELECT nothing;\n${CARRIERS}`);
    await page.keyboard.press('Shift+Enter');
    const status = page.locator('.fc-Results-status');
    await expect(status).toHaveText(/^16 rows · .* · polars$/);
    await expect(page.locator('.fc-Results .lm-DataGrid')).toBeVisible();
    await inBothThemes(page, info, 'sql', '.fc-Query');

    await page.getByRole('tab', { name: 'Plan' }).click();
    await expect(page.locator('.fc-Results-plan')).toContainText(
      'demo.nyc.flights'
    );
    await page.getByRole('tab', { name: 'History' }).click();
    await expect(page.locator('.fc-Results-query').first()).toContainText(
      'SELECT carrier'
    );
  });

  test('underlines an error, and shows no grid', async ({ page }, info) => {
    await write(page, 'SELECT cariier FROM demo.nyc.flights');
    await page.keyboard.press('Control+Enter');
    await expect(page.locator('.fc-Results [role="alert"]')).toContainText(
      'Did you mean carrier?'
    );
    await expect(page.locator('.fc-Sql-wrong')).toHaveText('cariier');
    await expect(page.locator('.fc-Results .lm-DataGrid')).toHaveCount(0);
    await inBothThemes(page, info, 'sql-error', '.fc-Query');
    await page.locator('.fc-Query .cm-content').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' ');
    await expect(page.locator('.fc-Sql-wrong')).toHaveCount(0);
  });

  test('proposes columns, and takes one by Enter', async ({ page }) => {
    await write(page, 'SELECT dep_de');
    await page.keyboard.insertText(' FROM demo.nyc.flights');
    for (let back = 0; back < ' FROM demo.nyc.flights'.length; back += 1) {
      await page.keyboard.press('ArrowLeft');
    }
    await page.keyboard.press('Tab');
    const proposal = page.locator('.jp-Completer-item').first();
    await expect(proposal).toContainText('dep_delay');
    await page.keyboard.press('Enter');
    await expect(page.locator('.fc-Query .cm-content')).toHaveText(
      'SELECT dep_delay FROM demo.nyc.flights'
    );
  });

  test('has its text again after a reload', async ({ page }) => {
    await write(page, CARRIERS);
    await expect(page.locator('.jp-mod-dirty.lm-TabBar-tab')).toBeVisible();
    // Longer than it waits for typing to end, and Lab for the layout.
    await page.waitForTimeout(2500);
    // Galata's own way waits for the Launcher, in whose place the editor is.
    await Promise.all([
      page.waitForEvent('domcontentloaded'),
      page.evaluate(() => window.location.reload())
    ]);
    await expect(page.locator('.fc-Query .cm-content')).toContainText(
      'GROUP BY carrier'
    );
  });

  test('goes on with a file when it is saved as one', async ({
    page,
    tmpPath
  }) => {
    await page.filebrowser.openDirectory(tmpPath);
    await page.locator('.fc-Query .cm-content').click();
    await write(page, CARRIERS);
    await page.keyboard.press('Shift+Enter');
    await expect(page.locator('.fc-Results-status')).toContainText('16 rows');
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('textbox')).toHaveValue(
      `${tmpPath}/Query 1.sql`
    );
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('tab', { name: 'Query 1.sql' })).toBeVisible();
    await expect(page.locator('.fc-Results-status')).toContainText('16 rows');
    await expect(page.locator('.fc-Query .cm-content')).toContainText(
      'GROUP BY carrier'
    );
  });

  test('is found in as any document', async ({ page }) => {
    await write(page, CARRIERS);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('carrier');
    await expect(page.locator('.jp-DocumentSearch-index-counter')).toHaveText(
      /^\d\/2$/
    );
  });

  test('exports what it shows', async ({ page }) => {
    await write(page, 'SELECT name, carrier FROM demo.nyc.airlines ORDER BY 1');
    await page.keyboard.press('Shift+Enter');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as' }).click();
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    expect(text.split('\n').slice(0, 2)).toEqual([
      'name,carrier',
      'AirTran Airways Corporation,FL'
    ]);
  });
});
