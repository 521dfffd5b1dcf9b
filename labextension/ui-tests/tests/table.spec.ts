import { expect, test } from '@jupyterlab/galata';

import { inBothThemes, loadDemo, openCatalog, reveal, row } from './helpers';

// A restored page is there instead of the Launcher, which Galata would wait for.
test.use({
  waitForApplication: async ({ baseURL }, use) => {
    await use(async page => {
      await expect(page).toHaveURL(new RegExp(`^${baseURL}`));
      await page.locator('#jupyterlab-splash').waitFor({ state: 'detached' });
    });
  }
});

test.describe('the page of a table', () => {
  test.beforeEach(async ({ page, baseURL }) => {
    await loadDemo(page, baseURL as string);
    await page.reload();
    await openCatalog(page);
    await reveal(page, 'demo', 'nyc');
    await row(page, 'flights').dblclick();
    await expect(
      page.locator('.fc-Page .lm-DataGrid[aria-busy="false"]')
    ).toBeVisible();
    await expect(page.getByText('336,776 rows')).toBeVisible();
  });

  test('shows exact rows, sorted by the server', async ({ page }, info) => {
    const grid = page.locator('.fc-Page .lm-DataGrid');
    const said = page.locator('.fc-Page .fc-Grid-canvas [role="status"]');
    await grid.click({ position: { x: 90, y: 60 } });
    await expect(said).toHaveText('Row 1, year: 2013');
    await page.keyboard.press('ArrowRight');
    await expect(said).toHaveText('Row 1, month: 1');
    await inBothThemes(page, info, 'table', '.fc-Page');

    const sorted = page.waitForResponse(
      reply => reply.url().includes('sort=month') && reply.ok()
    );
    await grid.click({ position: { x: 150, y: 14 } });
    await sorted;
    const falling = page.waitForResponse(
      reply => reply.url().includes('desc=1') && reply.ok()
    );
    await grid.click({ position: { x: 150, y: 14 } });
    await falling;
    await grid.click({ position: { x: 150, y: 60 } });
    await expect(said).toHaveText('Row 1, month: 12');
  });

  test('tells columns, past and facts', async ({ page }, info) => {
    await page.getByRole('tab', { name: 'Columns' }).click();
    await expect(
      page.getByRole('row', { name: /time_hour timestamp/ })
    ).toBeVisible();
    await inBothThemes(page, info, 'columns', '.fc-Page');
    await page.getByRole('tab', { name: 'History' }).click();
    await expect(page.getByRole('cell', { name: '+336,776' })).toBeVisible();
    await expect(
      page.getByRole('cell', { name: 'Created', exact: true })
    ).toBeVisible();
    await inBothThemes(page, info, 'history', '.fc-Page');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'About' }).click();
    await expect(
      page
        .getByRole('tabpanel')
        .getByText('demo.nyc.flights', { exact: true })
        .last()
    ).toBeVisible();
    await inBothThemes(page, info, 'about', '.fc-Page');
  });

  test('comes back from its own page when it was dropped', async ({
    page,
    baseURL
  }, info) => {
    const { id } = await page.request
      .get(`${baseURL}/flowcat/catalog/tables/resolve?name=demo.nyc.flights`)
      .then(reply => reply.json() as Promise<{ id: number }>);
    await page.request.delete(`${baseURL}/flowcat/catalog/tables/${id}`);
    const restore = page.getByRole('button', { name: 'Restore' });
    await expect(restore).toBeVisible();
    await inBothThemes(page, info, 'gone', '.fc-Page');
    await restore.click();
    await expect(page.getByText('336,776 rows')).toBeVisible();
    await expect(restore).toHaveCount(0);
  });

  test('is there again after a reload', async ({ page }) => {
    await page.getByRole('tab', { name: 'Columns' }).click();
    await page.waitForTimeout(1500);
    await page.reload();
    await expect(
      page.getByRole('tab', { name: 'Columns', selected: true })
    ).toBeVisible();
  });
});
