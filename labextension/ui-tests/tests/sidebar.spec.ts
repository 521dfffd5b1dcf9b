import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { expect, test } from '@jupyterlab/galata';

import { inBothThemes, loadDemo, openCatalog, reveal, row } from './helpers';

test.describe('the catalog in the left area', () => {
  test('is opened by keys, searched, and looks right in both themes', async ({
    page,
    baseURL
  }, info) => {
    await loadDemo(page, baseURL as string);
    await page.reload();
    await openCatalog(page);
    await reveal(page, 'demo', 'nyc', 'airlines');
    await row(page, 'nyc').click();
    await page.keyboard.press('f');
    await expect(row(page, 'flights')).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('ArrowRight');
    await expect(row(page, 'dep_delay')).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(row(page, 'year').first()).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await inBothThemes(page, info, 'sidebar', '#flowcat-sidebar');

    const search = page.getByRole('searchbox', { name: /Search tables/ });
    await search.fill('carrier');
    await expect(row(page, 'flights')).toContainText('demo.nyc');
    await expect(row(page, 'carrier').first()).toBeVisible();
    await search.fill('zzz');
    await expect(page.getByText(/has “zzz” in its name/)).toBeVisible();
    await search.press('Escape');
    await expect(row(page, 'demo')).toBeVisible();
  });

  test('is unfolded after a reload as it was', async ({ page, baseURL }) => {
    await loadDemo(page, baseURL as string);
    await page.reload();
    await openCatalog(page);
    await reveal(page, 'demo', 'nyc', 'airlines');
    await expect(row(page, 'carrier')).toBeVisible();
    // Longer than Lab waits before it keeps its state.
    await page.waitForTimeout(2500);
    await page.reload();
    await openCatalog(page);
    await expect(row(page, 'carrier')).toBeVisible();
    await expect(row(page, 'flights')).toHaveAttribute(
      'aria-expanded',
      'false'
    );
  });

  test('drops a table after asking once, and brings it back', async ({
    page,
    baseURL
  }) => {
    await loadDemo(page, baseURL as string);
    await page.reload();
    await openCatalog(page);
    await reveal(page, 'demo', 'nyc');
    await row(page, 'planes').click();
    await page.keyboard.press('Delete');
    await expect(page.getByText('Its 3,322 rows go with it.')).toBeVisible();
    await page.getByRole('button', { name: 'Drop' }).click();
    await expect(row(page, 'planes')).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row(page, 'planes')).toBeVisible();
  });

  test('shows what others change, and keeps what is open', async ({
    page,
    baseURL
  }) => {
    await loadDemo(page, baseURL as string);
    await page.reload();
    await openCatalog(page);
    await reveal(page, 'demo', 'nyc', 'airlines');
    const name = `made_elsewhere_${Date.now()}`;
    const made = await page.request.post(
      `${baseURL}/flowcat/catalog/namespaces`,
      { data: { name } }
    );
    expect(made.ok()).toBe(true);
    await expect(row(page, name)).toBeVisible();
    await expect(row(page, 'carrier')).toBeVisible();
    await row(page, name).click();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'New name' }).fill(`${name}_b`);
    await page.keyboard.press('Enter');
    await expect(row(page, `${name}_b`)).toBeVisible();
    const { id } = (await made.json()) as { id: number };
    await page.request.delete(
      `${baseURL}/flowcat/catalog/namespaces/${id}?cascade=true`
    );
    await expect(row(page, `${name}_b`)).toHaveCount(0);
  });

  test('shows a table that the command line imports', async ({
    page,
    baseURL
  }, info) => {
    await loadDemo(page, baseURL as string);
    await page.reload();
    await openCatalog(page);
    await reveal(page, 'main', 'default');
    const name = `imported_${Date.now()}`;
    const file = info.outputPath('people.csv');
    await writeFile(file, 'id,name\n1,Ada\n2,Grace\n');
    await promisify(execFile)(
      'flowcat',
      ['import', file, '--table', `main.default.${name}`],
      { env: { ...process.env, FLOWCAT_HOME: process.env.FLOWCAT_UI_HOME } }
    );
    await expect(row(page, name)).toContainText('2');
  });
});
