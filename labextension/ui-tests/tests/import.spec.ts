import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import { checkAccess, inBothThemes, openCatalog, reveal, row } from './helpers';

const FILE = 'City trips.csv';
const LINES = ['id,city,amount', '9007199254740993,Bern,1.50', '2,NA,2.25', ''];
/** The page of ours that is in front. */
const FRONT = '.fc-Page:not(.lm-mod-hidden)';
const AWKWARD = join(__dirname, '../../../tests/data/awkward');

/** Makes a text file in the folder of the test. */
async function write(
  page: IJupyterLabPageFixture,
  path: string,
  lines: readonly string[]
): Promise<void> {
  await page.contents.uploadContent(lines.join('\n'), 'text', path);
}

/** Chooses from the menu of a file in the file browser to import it. */
async function importFile(
  page: IJupyterLabPageFixture,
  folder: string,
  file: string
): Promise<void> {
  await page.filebrowser.openDirectory(folder);
  await page.filebrowser.refresh();
  // The list is drawn anew whenever the server has answered, under the pointer as well.
  await expect(async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('listitem', { name: file }).click({ button: 'right' });
    await page
      .getByRole('menuitem', { name: 'Import to Catalog…' })
      .click({ timeout: 3_000 });
  }).toPass({ timeout: 30_000 });
}

/** The import page in front. */
function front(page: IJupyterLabPageFixture) {
  return page.locator('.fc-Import:not(.lm-mod-hidden)');
}

/** Gives the table a name that no other test has, and imports. */
async function importAs(
  page: IJupyterLabPageFixture,
  table: string
): Promise<void> {
  const body = front(page);
  await body.getByRole('textbox', { name: 'Table' }).fill(table);
  await body
    .getByRole('button', { name: `Import into main.default.${table}` })
    .click();
}

/** Opens the import page from the launcher. */
async function begin(page: IJupyterLabPageFixture): Promise<void> {
  await page.getByRole('button', { name: 'Import File' }).first().click();
  await expect(front(page)).toBeVisible();
}

test.describe('importing files', () => {
  test('from the file browser, with a type changed', async ({
    page,
    tmpPath
  }, info) => {
    await write(page, `${tmpPath}/${FILE}`, LINES);
    await importFile(page, tmpPath, FILE);
    const body = front(page);
    await expect(body.getByText(`${tmpPath}/${FILE}`)).toBeVisible();
    const type = body.getByLabel('Type of amount');
    await expect(type).toBeVisible();
    await expect(body.locator('.fc-Columns')).toContainText('9007199254740993');
    await inBothThemes(page, info, 'import', '.fc-Import:not(.lm-mod-hidden)');

    await type.selectOption('decimal(18,2)');
    await expect(body.getByText('chosen by you')).toBeVisible();
    const table = `trips_${Date.now()}`;
    await importAs(page, table);
    await expect(body.getByText('Done: 2 rows, 0 rejected.')).toBeVisible();
    await page
      .locator('.jp-toast-button')
      .filter({ hasText: 'Open Table' })
      .click();
    // Not the one of the import's own page, which goes to the back at this moment.
    const grid = page.locator(
      `.lm-DataGrid[aria-label="Rows of main.default.${table}"][aria-busy="false"]`
    );
    await expect(grid).toBeVisible();
    await grid.click({ position: { x: 90, y: 60 } });
    await expect(
      page.locator(`${FRONT} .fc-Grid-canvas [role="status"]`)
    ).toHaveText(/^Row 1, id: (9007199254740993|2)$/);
    await openCatalog(page);
    await reveal(page, 'main', 'default', table);
    await expect(row(page, 'amount')).toContainText('decimal(18,2)');
  });

  test('says what is wrong with a file it cannot read', async ({
    page
  }, info) => {
    await begin(page);
    await inBothThemes(
      page,
      info,
      'import-empty',
      '.fc-Import:not(.lm-mod-hidden)'
    );
    await page.locator('.fc-Import input[type="file"]').setInputFiles({
      name: 'broken.parquet',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('not parquet')
    });
    await expect(front(page).getByRole('alert')).not.toBeEmpty();
  });

  test('takes several files of this computer as one table, in both themes', async ({
    page
  }, info) => {
    await begin(page);
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from(text)
    });
    const stamp = Date.now();
    await page
      .locator('.fc-Import input[type="file"]')
      .setInputFiles([
        file(`sales_${stamp}_1.csv`, 'id,n\n1,2\n'),
        file(`sales_${stamp}_2.csv`, 'id,n\n2,3\n4\n')
      ]);
    const body = front(page);
    await expect(body.getByText('1 line does not fit')).toBeVisible();
    await expect(body.getByText('1 field instead of 2')).toBeVisible();
    await expect(
      body.getByRole('button', { name: 'Keep columns as text' })
    ).toHaveCount(0);
    await inBothThemes(
      page,
      info,
      'import-rejects',
      '.fc-Import:not(.lm-mod-hidden)'
    );
    await body.getByRole('button', { name: 'Leave them out' }).click();
    await expect(body.getByText(/They are left out/)).toBeVisible();
    await importAs(page, `sales_${stamp}`);
    await expect(body.getByText('Done: 2 rows, 1 rejected.')).toBeVisible();
    await page
      .locator('.jp-toast-button')
      .filter({ hasText: '1 rejected line' })
      .click();
    const rejects = page.locator('.fc-RejectsPage');
    await expect(
      rejects.locator('.lm-DataGrid[aria-busy="false"]')
    ).toBeVisible();
    await inBothThemes(page, info, 'rejects', '.fc-RejectsPage');
    const download = page.waitForEvent('download');
    await rejects.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'CSV', exact: true }).click();
    const saved = await (await download).path();
    expect(await readFile(saved, 'utf8')).toBe(
      `file,line,reason,text\nsales_${stamp}_2.csv,3,1 field instead of 2,4\n`
    );
  });

  test('keeps the focus when files are chosen and when an import ends', async ({
    page,
    tmpPath
  }) => {
    await write(page, `${tmpPath}/${FILE}`, LINES);
    await begin(page);
    const body = front(page);
    await body.getByLabel('Path or pattern').fill(`${tmpPath}/${FILE}`);
    await page.keyboard.press('Enter');
    await expect(body.getByLabel('Type of amount')).toBeVisible();
    await expect(page.locator('.fc-Import:focus-within')).toHaveCount(1);
    const table = `focus_${Date.now()}`;
    await body.getByRole('textbox', { name: 'Table' }).fill(table);
    await body
      .getByRole('button', { name: `Import into main.default.${table}` })
      .press('Enter');
    await expect(body.getByText('Done: 2 rows, 0 rejected.')).toBeVisible();
    await expect(
      body.getByRole('button', { name: 'Open Table' })
    ).toBeFocused();
  });

  test('shows how the columns differ, and waits until that is accepted', async ({
    page,
    tmpPath
  }, info) => {
    const table = `drift_${Date.now()}`;
    await write(page, `${tmpPath}/one.csv`, ['id,a', '1,x', '']);
    await write(page, `${tmpPath}/two.csv`, ['id,b', '1,y', '2,z', '']);
    await importFile(page, tmpPath, 'one.csv');
    await expect(front(page).getByLabel('Type of id')).toBeVisible();
    await importAs(page, table);
    await expect(
      front(page).getByText('Done: 1 row, 0 rejected.')
    ).toBeVisible();

    await importFile(page, tmpPath, 'two.csv');
    const body = front(page);
    await body.getByRole('textbox', { name: 'Table' }).fill(table);
    await expect(body.getByText(/There is a table of this name/)).toBeVisible();
    const go = body.getByRole('button', { name: /^Import into/ });
    await expect(go).toBeDisabled();
    await body.getByRole('radio', { name: /Update by key/ }).check();
    await body
      .getByRole('combobox', { name: 'Add a key column' })
      .selectOption('id');
    const accept = body.getByRole('checkbox', { name: /Add the column b/ });
    await expect(accept).toBeVisible();
    await expect(go).toBeDisabled();
    await inBothThemes(page, info, 'drift', '.fc-Import:not(.lm-mod-hidden)');
    await accept.check();
    await go.click();
    await expect(body.getByText('Done: 2 rows, 0 rejected.')).toBeVisible();
  });

  test('comes back after a reload with what was chosen', async ({
    page,
    tmpPath
  }) => {
    await write(page, `${tmpPath}/${FILE}`, LINES);
    await importFile(page, tmpPath, FILE);
    await front(page)
      .getByRole('button', { name: 'Keep amount as text' })
      .click();
    await expect(front(page).getByText('chosen by you')).toBeVisible();
    // Longer than Lab waits before it keeps the layout.
    await page.waitForTimeout(2500);
    // Galata's own way waits for the Launcher, in whose place the page may be.
    await Promise.all([
      page.waitForEvent('domcontentloaded'),
      page.evaluate(() => window.location.reload())
    ]);
    await expect(front(page).getByText('chosen by you')).toBeVisible({
      timeout: 60_000
    });
  });
});

test('every awkward file is read or explained, and each of its rejected lines too', async ({
  page,
  tmpPath
}) => {
  test.setTimeout(900_000);
  const names = (await readdir(AWKWARD)).sort();
  for (const name of names) {
    const content = await readFile(join(AWKWARD, name));
    await page.contents.uploadContent(
      content.toString('base64'),
      'base64',
      `${tmpPath}/${name}`
    );
  }
  await begin(page);
  const body = front(page);
  const take = async (path: string) => {
    await body.getByLabel('Path or pattern').fill(path);
    await page.keyboard.press('Enter');
    await expect(
      body.locator('.fc-Problem, .fc-Import-footer').first()
    ).toBeVisible({ timeout: 60_000 });
  };
  const again = () => body.getByRole('button', { name: 'Start over' }).click();

  // As one table they make no sense: a file is named, and the way out.
  await take(tmpPath);
  await expect(body.locator('.fc-Problem')).toContainText(/\w+\.\w+/);
  await body.getByRole('button', { name: 'Choose among its files' }).click();
  await expect(body.locator('.fc-Chip').nth(20)).toBeAttached();
  await checkAccess(page, '.fc-Import:not(.lm-mod-hidden)');
  await again();

  for (const name of names) {
    await take(`${tmpPath}/${name}`);
    if (await body.locator('.fc-Problem').count()) {
      const told = await body.locator('.fc-Problem').innerText();
      expect(told, name).toMatch(/\w{3}.*\./);
      await again();
      continue;
    }
    const counted = await body.locator('.fc-Import-count').innerText();
    const rejected = Number(/, (\d+) rejected/.exec(counted)?.[1]);
    const reasons = body.locator(
      '.fc-Rejects-table tbody td:nth-last-child(2)'
    );
    await expect(reasons, name).toHaveCount(rejected);
    for (const reason of await reasons.allInnerTexts()) {
      expect(reason, name).not.toBe('');
    }
    if (rejected) {
      await body.getByRole('button', { name: 'Leave them out' }).click();
      await expect(body.getByText(/They are left out/)).toBeVisible();
      await importAs(page, `awkward_${Date.now()}`);
      await expect(
        body.getByText(new RegExp(`Done: .*, ${rejected} rejected`))
      ).toBeVisible({ timeout: 60_000 });
    }
    await again();
  }
});
