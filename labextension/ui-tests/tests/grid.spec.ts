import { readFile } from 'node:fs/promises';

import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import {
  checkAccess,
  inBothThemes,
  loadDemo,
  openCatalog,
  reveal,
  row
} from './helpers';

/** Where the first cell of a grid is, from its upper left corner. */
const FIRST_CELL = { x: 90, y: 55 };

/** The painted grid that is seen. */
function canvas(page: IJupyterLabPageFixture) {
  return page.locator('.fc-Grid-canvas .lm-DataGrid-viewport').first();
}

/** What a painted grid says of the cell under its cursor. */
function spoken(page: IJupyterLabPageFixture) {
  return page.locator('.fc-Grid-canvas [role="status"]').first();
}

/** Puts the cursor on the first cell. */
async function enter(page: IJupyterLabPageFixture): Promise<void> {
  await canvas(page).click({ position: FIRST_CELL });
  await page.keyboard.press('Control+Home');
  await expect(spoken(page)).toContainText('Row 1, carrier');
}

/** Opens the menu of the column at the cursor, and takes an entry. */
async function ofColumn(
  page: IJupyterLabPageFixture,
  entry: string
): Promise<void> {
  await page.keyboard.press('Alt+ArrowDown');
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

test.describe('a grid', () => {
  test.beforeEach(async ({ page, baseURL }) => {
    await loadDemo(page, baseURL as string);
    await openCatalog(page);
    await reveal(page, 'demo', 'nyc', 'airlines');
    await row(page, 'airlines').dblclick();
    await expect(canvas(page)).toBeVisible();
    await page.waitForTimeout(500);
    await enter(page);
  });

  test('filters by values over all rows, and says how many are left', async ({
    page
  }, info) => {
    await ofColumn(page, 'Filter by Values…');
    const form = page.getByRole('dialog', { name: 'Filter carrier' });
    await form.getByRole('checkbox', { name: /^UA/ }).check();
    await form.getByRole('checkbox', { name: /^AA/ }).check();
    await inBothThemes(page, info, 'filter', '.fc-Popover');
    await form.getByRole('button', { name: 'Apply' }).click();
    await expect(page.locator('.fc-Grid-count')).toHaveText('2 of 16 rows');
    await expect(page.locator('.fc-Chip')).toContainText('carrier is one of');
    await page.getByRole('button', { name: /^Remove the condition/ }).click();
    await expect(page.locator('.fc-Chip')).toHaveCount(0);
  });

  test('sums a column up', async ({ page }, info) => {
    await ofColumn(page, 'Summary');
    const card = page.getByRole('dialog', { name: 'Summary of carrier' });
    await expect(card).toContainText('Distinct');
    await inBothThemes(page, info, 'summary', '.fc-Popover');
    await page.keyboard.press('Escape');
    await expect(card).toHaveCount(0);
    await page.keyboard.press('ArrowDown');
    await expect(spoken(page)).toContainText('Row 2, carrier');
  });

  test('shows a row as a record, by keys alone', async ({ page }, info) => {
    await page.keyboard.press('Enter');
    const record = page.getByRole('region', { name: 'Record' });
    await expect(record).toContainText('Row 1 of 16');
    await page.keyboard.press('ArrowDown');
    await expect(record).toContainText('Row 2 of 16');
    await inBothThemes(page, info, 'record', '.fc-Grid');
    await record.getByRole('button', { name: 'Next row' }).press('Escape');
    await expect(record).toBeHidden();
  });

  test('closes a record by Escape where Enter opened it', async ({ page }) => {
    const record = page.getByRole('region', { name: 'Record' });
    await page.keyboard.press('Enter');
    await expect(record).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(record).toBeHidden();
    await page.keyboard.press('ArrowDown');
    await expect(spoken(page)).toContainText('Row 2, carrier');
  });

  test('opens a filter with the focus in its value', async ({ page }) => {
    await ofColumn(page, 'Filter…');
    const form = page.getByRole('dialog', { name: 'Filter carrier' });
    await expect(form.getByRole('textbox', { name: 'Value' })).toBeFocused();
    await page.keyboard.type('UA');
    await page.keyboard.press('Enter');
    await expect(page.locator('.fc-Grid-count')).toHaveText('1 of 16 rows');
  });

  test('freezes and hides columns', async ({ page }) => {
    await ofColumn(page, 'Freeze');
    await ofColumn(page, 'Hide');
    const hidden = page.getByRole('button', { name: '1 hidden column' });
    await expect(hidden).toBeVisible();
    await hidden.click();
    await page.locator('.lm-Menu-item', { hasText: 'Show Column' }).click();
    await page.getByRole('menuitem', { name: 'All', exact: true }).click();
    await expect(hidden).toHaveCount(0);
  });

  test("is found in by Lab's Find, whole", async ({ page }) => {
    await page.keyboard.press('Control+f');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Air Lines');
    const counter = page.locator('.jp-DocumentSearch-index-counter');
    await expect(counter).toHaveText(/^1\/\d+$/);
    await page.keyboard.press('Enter');
    await expect(counter).toHaveText(/^2\/\d+$/);
    await expect(spoken(page)).toContainText('Air Lines');
  });

  test('copies what is selected in four forms', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+F10');
    await page.locator('.lm-Menu-item', { hasText: 'Copy As' }).click();
    await page.getByRole('menuitem', { name: 'Markdown' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain('| carrier | name |\n| --- | --- |');
  });

  test('is a plain table for who wants one, from then on', async ({
    page
  }, info) => {
    await page.getByRole('button', { name: 'Plain table' }).click();
    const table = page.locator('.fc-Plain table');
    await expect(table).toHaveAttribute('aria-rowcount', '17');
    await expect(table.locator('caption')).toContainText('rows 1 to 16 of 16');
    await table.getByRole('button', { name: 'carrier', exact: true }).click();
    await expect(table.locator('th[aria-sort="ascending"]')).toContainText(
      'carrier'
    );
    await inBothThemes(page, info, 'plain', '.fc-Grid');
    await page.getByRole('button', { name: 'Plain table' }).click();
    await expect(canvas(page)).toBeVisible();
    await checkAccess(page, '.fc-Grid');
  });

  test('exports every row', async ({ page }) => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'TSV', exact: true }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('airlines.tsv');
    const text = await readFile(await file.path(), 'utf8');
    expect(text.trimEnd().split('\n')).toHaveLength(17);
  });
});
