import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';
import { randomUUID } from 'node:crypto';

import { inBothThemes, openCatalog, reveal, row } from './helpers';

/** Runs statements without the screen. */
async function sql(
  page: IJupyterLabPageFixture,
  base: string,
  query: string
): Promise<void> {
  const reply = await page.request.post(`${base}/flowcat/catalog/sql/execute`, {
    data: { query, query_id: randomUUID() }
  });
  expect(reply.ok(), await reply.text()).toBe(true);
}

test.describe('the versions of a table', () => {
  test.beforeEach(async ({ page, baseURL }) => {
    const base = baseURL as string;
    await sql(
      page,
      base,
      `CREATE SCHEMA IF NOT EXISTS shop; DROP TABLE IF EXISTS shop.orders;
       CREATE TABLE shop.orders AS
       SELECT id, concat('customer ', id) AS customer, CAST(id AS DECIMAL(9,2)) AS amount
       FROM range(200);
       INSERT INTO shop.orders VALUES (1000, NULL, 1.5), (1001, 'new', 2);
       UPDATE shop.orders SET amount = 9 WHERE id IN (3, 150)`
    );
    await page.reload();
    await openCatalog(page);
    await reveal(page, 'main', 'shop');
    await row(page, 'orders').dblclick();
    await expect(page.getByText('202 rows').first()).toBeVisible();
    await page.getByRole('tab', { name: 'History' }).click();
  });

  test('are compared, by the keyboard too', async ({ page }, info) => {
    await page.getByRole('button', { name: 'Compare version 2' }).focus();
    await page.keyboard.press('Enter');
    const panel = page.locator('.fc-Diff');
    await expect(panel).toBeFocused();
    await expect(panel.getByText('Rows: 202 → 202 (+2 −2)')).toBeVisible();
    await expect(panel.locator('.fc-mod-removed')).toHaveCount(2);
    await expect(panel.locator('.fc-mod-added .fc-mod-other')).toHaveText([
      '9.00',
      '9.00'
    ]);
    await inBothThemes(page, info, 'diff', '.fc-Page');

    await panel.getByLabel('From').selectOption('0');
    await expect(panel.getByText('Rows: 200 → 202 (+4 −2)')).toBeVisible();
    await panel.getByLabel('To').selectOption('0');
    await expect(panel.getByText('Nothing differs.')).toBeVisible();
    await panel.getByLabel('To').press('Escape');
    await expect(panel).toHaveCount(0);
  });

  test('say why they cannot be compared', async ({ page }, info) => {
    await page.route('**/diff?*', route =>
      route.fulfill({
        status: 410,
        json: {
          code: 'Gone',
          message: 'Its data files were removed.',
          hint: 'Compare newer versions.'
        }
      })
    );
    await page.getByRole('button', { name: 'Compare version 1' }).click();
    const panel = page.locator('.fc-Diff');
    await expect(panel.getByRole('alert')).toContainText(
      'Its data files were removed. Compare newer versions.'
    );
    await inBothThemes(page, info, 'diff-refused', '.fc-Page');
    await page.unroute('**/diff?*');
    await panel.getByRole('button', { name: 'Compare again' }).click();
    await expect(panel.getByText('Rows: 200 → 202 (+2 −0)')).toBeVisible();
  });

  test('can be waited for no longer', async ({ page }) => {
    await page.route('**/diff?*', () => undefined);
    await page.getByRole('button', { name: 'Compare version 1' }).click();
    const panel = page.locator('.fc-Diff');
    await expect(panel.getByText('Comparing…')).toBeVisible();
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await expect(panel.getByText('Cancelled.')).toBeVisible();
  });

  test('come back after a look at what that changes, and go again', async ({
    page
  }, info) => {
    await page.getByRole('button', { name: 'Restore version 0…' }).click();
    const panel = page.locator('.fc-Diff');
    await expect(panel.getByText('Rows: 202 → 200 (+2 −4)')).toBeVisible();
    await inBothThemes(page, info, 'restore', '.fc-Page');
    await panel.getByRole('button', { name: 'Restore Version 0…' }).click();
    const dialog = page.locator('.jp-Dialog');
    await expect(dialog).toContainText('4 rows go and 2 come back.');
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await expect(page.locator('.fc-Page-facts')).toContainText('200 rows');
    await expect(panel).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.locator('.fc-Page-facts')).toContainText('202 rows');
  });

  test('are compared and restored from the past, too', async ({ page }) => {
    await page.getByRole('button', { name: 'Show version 0' }).click();
    const banner = page.locator('.fc-Page-banner');
    await banner.getByRole('button', { name: 'Compare' }).click();
    const panel = page.locator('.fc-Diff');
    await expect(panel.getByText('Rows: 200 → 202 (+4 −2)')).toBeVisible();
    await banner.getByRole('button', { name: 'Restore…' }).click();
    await expect(
      panel.getByText('What restoring version 0 would change')
    ).toBeVisible();
  });

  test('keep files that can be looked after', async ({ page }, info) => {
    await page.getByRole('tab', { name: 'Maintenance' }).click();
    await page.getByRole('button', { name: 'Optimize', exact: true }).click();
    await expect(page.getByText('2 files became 1.')).toBeVisible();
    await page.getByRole('button', { name: 'See What It Would Free' }).click();
    await expect(page.getByText(/Nothing would go/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Vacuum…' })).toHaveCount(0);
    await inBothThemes(page, info, 'maintenance', '.fc-Page');
  });

  test('lose what only old ones need, after that was said', async ({
    page
  }, info) => {
    await page.route('**/vacuum?*', async route => {
      const reply = await route.fetch();
      const would = { files_removed: 3, bytes_freed: 4_500_000 };
      await route.fulfill({ json: { ...(await reply.json()), ...would } });
    });
    await page.getByRole('tab', { name: 'Maintenance' }).click();
    await page.getByRole('button', { name: 'See What It Would Free' }).click();
    await expect(
      page.getByText('3 files would go, which frees 4.5 MB.')
    ).toBeVisible();
    await inBothThemes(page, info, 'vacuum', '.fc-Page');
    await page.getByRole('button', { name: 'Vacuum…' }).click();
    const dialog = page.locator('.jp-Dialog');
    await expect(dialog).toContainText('This cannot be undone.');
    await dialog.getByRole('button', { name: 'Vacuum' }).click();
    await expect(
      page.getByText('3 files are removed, 4.5 MB are free.')
    ).toBeVisible();
  });

  test('obey rules that the page tells', async ({ page, baseURL }, info) => {
    await page.getByRole('tab', { name: 'About' }).click();
    await expect(page.getByText(/^None: every column/)).toBeVisible();
    await sql(
      page,
      baseURL as string,
      `ALTER TABLE shop.orders ADD CONSTRAINT positive CHECK (amount >= 0);
       ALTER TABLE shop.orders ALTER COLUMN id SET NOT NULL;
       ALTER TABLE shop.orders SET TBLPROPERTIES ('team' = 'sales')`
    );
    await expect(page.getByText('Check positive')).toBeVisible();
    await expect(page.getByText('sales', { exact: true })).toBeVisible();
    await inBothThemes(page, info, 'rules', '.fc-Page');
  });

  test('are read by views, which have pages of their own', async ({
    page,
    baseURL
  }, info) => {
    await sql(
      page,
      baseURL as string,
      'CREATE OR REPLACE VIEW shop.counted AS SELECT count(*) AS n FROM shop.orders'
    );
    await row(page, 'counted').dblclick();
    const view = page.locator('.fc-Page').filter({ hasText: 'Definition' });
    await expect(view.locator('.fc-Definition')).toHaveText(
      'SELECT count(*) AS n FROM shop.orders'
    );
    await expect(view.getByRole('row', { name: 'n bigint' })).toBeVisible();
    await inBothThemes(page, info, 'view', '.fc-Page:not(.lm-mod-hidden)');
    await sql(page, baseURL as string, 'DROP VIEW shop.counted');
    await expect(
      view.or(page.locator('.fc-Page')).getByText('no longer in the catalog')
    ).toBeVisible();
  });
});
