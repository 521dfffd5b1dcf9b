import { expect, test } from '@jupyterlab/galata';

import { checkAccess, openCatalog, removeDemo, row } from './helpers';

// Runs before the other files, which make tables: an empty catalog is what this is about.
test.describe('a catalog with nothing in it', () => {
  test('begins with the demo', async ({ page, baseURL }) => {
    await removeDemo(page, baseURL as string);
    await page.reload();
    await openCatalog(page);
    await expect(
      page.getByRole('button', { name: 'Import a file…' })
    ).toBeVisible();
    await checkAccess(page, '#flowcat-sidebar');
    await page.getByRole('button', { name: 'Load the demo' }).click();
    await expect(row(page, 'flights')).toContainText('336,776', {
      timeout: 60_000
    });
    await expect(row(page, 'flights')).toHaveAttribute('aria-selected', 'true');
  });
});
