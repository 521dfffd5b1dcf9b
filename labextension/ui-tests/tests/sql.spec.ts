import { readFile } from 'node:fs/promises';

import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import { inBothThemes, loadDemo, openCatalog, reveal, row } from './helpers';

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
    await expect(status).toHaveText(/^16 rows · .*polars$/);
    await expect(page.locator('.fc-Results .lm-DataGrid')).toBeVisible();
    await inBothThemes(page, info, 'sql', '.fc-Query');

    await page.getByRole('tab', { name: 'Plan' }).click();
    await expect(
      page.getByRole('rowheader', { name: 'demo.nyc.flights' })
    ).toBeVisible();
    await inBothThemes(page, info, 'plan', '.fc-Results');
    await page.getByRole('tab', { name: 'History' }).click();
    await expect(page.locator('.fc-Results-query').first()).toContainText(
      'SELECT carrier'
    );
    await inBothThemes(page, info, 'history', '.fc-Results');
    await page.getByRole('searchbox').fill('no such query');
    await expect(page.locator('.fc-Past')).toContainText('Nothing like this.');
  });

  test('says what a statement wrote, and the tree shows it', async ({
    page
  }, info) => {
    const outcome = page.locator('.fc-Results [role="status"]').first();
    await openCatalog(page);
    await reveal(page, 'demo', 'nyc');
    await write(
      page,
      'CREATE TABLE demo.nyc.late AS\nSELECT * FROM demo.nyc.flights WHERE dep_delay > 600'
    );
    await page.keyboard.press('Shift+Enter');
    await expect(outcome).toHaveText(/^1 table created, \d+ rows$/);
    await expect(page.locator('.fc-Results .lm-DataGrid')).toHaveCount(0);
    await expect(page.getByRole('tab', { name: 'Plan' })).toHaveCount(0);
    await expect(row(page, 'late')).toBeVisible();
    await inBothThemes(page, info, 'sql-wrote', '.fc-Query');
    await write(page, 'DROP TABLE demo.nyc.late');
    await page.keyboard.press('Shift+Enter');
    await expect(outcome).toHaveText('1 table dropped');
    await expect(row(page, 'late')).toHaveCount(0);
  });

  test('tells what a statement would change before it is run', async ({
    page
  }, info) => {
    const outcome = page.locator('.fc-Results [role="status"]').first();
    await write(
      page,
      'CREATE OR REPLACE TABLE demo.nyc.few AS SELECT id FROM range(5)'
    );
    await page.keyboard.press('Shift+Enter');
    await expect(outcome).toHaveText('1 table created, 5 rows');
    await write(page, 'DELETE FROM demo.nyc.few WHERE id > 2');
    await page.getByRole('button', { name: 'Preview Changes' }).click();
    await expect(outcome).toContainText(
      '2 rows would be deleted. Nothing was changed.'
    );
    await inBothThemes(page, info, 'sql-preview', '.fc-Query');
    await page.getByRole('button', { name: 'Run it' }).click();
    await expect(outcome).toHaveText('2 rows deleted');
    await write(page, 'DROP TABLE demo.nyc.few');
    await page.getByRole('button', { name: 'Preview Changes' }).click();
    await expect(page.locator('.fc-Results [role="alert"]')).toContainText(
      'Only INSERT, UPDATE, DELETE and MERGE can be tried'
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

  test('names the statement of several that fails, and has it in sight', async ({
    page
  }, info) => {
    const before = Array.from(
      { length: 6 },
      (_, at) => `SELECT ${at} AS a_column_with_a_long_name_${at};`
    );
    await write(page, [...before, 'SELECT 1,', '  nothing;', ''].join('\n'));
    await page.keyboard.insertText('SELECT 2;');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Shift+Enter');
    const alert = page.locator('.fc-Results [role="alert"]');
    await expect(alert).toContainText('Statement 7, line 8:');
    await expect(alert).toContainText('The statement after it was not run.');
    await expect(page.getByRole('tab', { name: '7. SELECT 1' })).toBeInViewport(
      { ratio: 0.99 }
    );
    await inBothThemes(page, info, 'sql-failed', '.fc-Query');
    await page.getByRole('tab', { name: 'History' }).click();
    await expect(page.locator('.fc-Results-statements')).toBeHidden();
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

  test('draws a chart, and keeps what is chosen with the query', async ({
    page
  }, info) => {
    await write(page, CARRIERS);
    await page.keyboard.press('Shift+Enter');
    await page.getByRole('tab', { name: 'Chart' }).click();
    await expect(
      page.locator('.fc-Chart-picture canvas, .fc-Chart-picture svg')
    ).toBeVisible();
    await inBothThemes(page, info, 'chart', '.fc-Chart');
    const type = page.getByLabel('Type');
    await type.selectOption('Points');
    await expect(type).toHaveValue('point');
    await page.locator('.fc-Query .cm-content').click();
    await page.keyboard.press('Shift+Enter');
    await page.getByRole('tab', { name: 'Chart' }).click();
    await expect(page.getByLabel('Type')).toHaveValue('point');
  });

  test('keeps the result of every statement within reach', async ({ page }) => {
    await write(page, `SELECT 1 AS one; ${CARRIERS}`);
    await page.menu.clickMenuItem('Run>Run All Queries');
    const statements = page.locator('.fc-Results-statements [role="tab"]');
    await expect(statements).toHaveCount(2);
    const status = page.locator('.fc-Results-status');
    await expect(status).toContainText('16 rows');
    await statements.first().click();
    await expect(status).toContainText('1 row ');
  });

  test('is left by Escape and Tab, which lead to the results', async ({
    page
  }) => {
    await write(page, CARRIERS);
    await page.keyboard.press('Shift+Enter');
    await expect(page.locator('.fc-Results-status')).toContainText('16 rows');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('tab', { name: 'Results' })).toBeFocused();
  });

  test('says that a result was cut, and shows all of it', async ({ page }) => {
    await write(page, 'SELECT * FROM demo.nyc.flights');
    await page.keyboard.press('Shift+Enter');
    const status = page.locator('.fc-Results-status');
    await expect(status).toContainText('first 10,000 rows');
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect(status).toContainText('336,776 rows');
  });

  test('saves a query and opens it again', async ({ page }) => {
    await write(page, CARRIERS);
    await page.keyboard.press('Shift+Enter');
    await page.getByRole('button', { name: 'Save as' }).click();
    await page.getByRole('menuitem', { name: 'Saved Query…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Carriers');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Carriers', exact: true }).click();
    await expect(page.locator('.fc-Query .cm-content:visible')).toContainText(
      'GROUP BY carrier'
    );
    await expect(
      page.getByRole('main').getByRole('tab', { name: /^Query \d/ })
    ).toHaveCount(2);
  });

  test('runs on the engine a person chooses, and says why', async ({
    page
  }) => {
    await write(page, CARRIERS);
    const engine = page.getByLabel('Engine');
    test.skip(!(await engine.isVisible()), 'There is one engine here.');
    await engine.selectOption('duckdb');
    await page.locator('.fc-Query .cm-content').click();
    await page.keyboard.press('Shift+Enter');
    const status = page.locator('.fc-Results-status');
    await expect(status).toContainText('16 rows');
    await status.getByRole('button', { name: 'duckdb' }).click();
    await expect(page.locator('.fc-Plan')).toContainText('duckdb');
  });

  test('exports what it shows', async ({ page }) => {
    await write(page, 'SELECT name, carrier FROM demo.nyc.airlines ORDER BY 1');
    await page.keyboard.press('Shift+Enter');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as' }).click();
    await page.getByRole('menuitem', { name: 'CSV', exact: true }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    expect(text.split('\n').slice(0, 2)).toEqual([
      'name,carrier',
      'AirTran Airways Corporation,FL'
    ]);
  });
});
