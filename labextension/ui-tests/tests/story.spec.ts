import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import { loadDemo, openCatalog, reveal, row } from './helpers';

const JOIN = [
  'SELECT a.name, count(*) AS flights',
  'FROM demo.nyc.flights f',
  'JOIN demo.nyc.airlines a ON f.carrier = a.carrier',
  'GROUP BY a.name',
  'ORDER BY flights DESC'
];

/** A file's lines, as they are on the server's disk. */
async function linesOf(
  page: IJupyterLabPageFixture,
  base: string,
  path: string
): Promise<string[]> {
  const reply = await page.request.get(`${base}/api/contents/${path}`, {
    params: { type: 'file', format: 'text', content: '1' }
  });
  const { content } = (await reply.json()) as { content: string };
  return content.split('\n');
}

/** Saves the notebook in front, and waits until it is. */
async function save(page: IJupyterLabPageFixture): Promise<void> {
  await page.keyboard.press('Control+s');
  await expect(
    page.locator('.jp-mod-current.jp-mod-dirty.lm-TabBar-tab')
  ).toHaveCount(0);
}

/** Puts a text in place of a cell's own. */
async function fill(
  page: IJupyterLabPageFixture,
  cell: number,
  text: string
): Promise<void> {
  await page.notebook.enterCellEditingMode(cell);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

test.use({ autoGoto: false });

test('from a table to a notebook to a table, and one line changed', async ({
  page,
  baseURL,
  tmpPath
}) => {
  test.setTimeout(180_000);
  const base = baseURL as string;
  const table = `by_airline_${Date.now()}`;
  await loadDemo(page, base);
  // Galata makes it at the address itself, which is not where Jupyter lives behind a hub.
  await page.request.put(`${base}/api/contents/${tmpPath}`, {
    data: { type: 'directory', format: 'json' }
  });
  await page.goto(`tree/${tmpPath}`);

  await openCatalog(page);
  await reveal(page, 'demo', 'nyc');
  await row(page, 'flights').dblclick();
  await expect(page.locator('.fc-Page-facts')).toContainText('336,776 rows');

  await row(page, 'flights').click({ button: 'right' });
  await page
    .getByRole('menuitem', { name: 'New Notebook with This Table' })
    .click();
  const cells = page.locator('.jp-Notebook .jp-Cell');
  await expect(cells.first()).toContainText('FROM demo.nyc.flights');
  const type = page.getByRole('combobox', { name: 'Cell type' });
  await expect(type).toHaveValue('sql');
  // A cell that is run before there is a kernel is not run later.
  await expect(
    page.getByRole('button', { name: 'Python 3 (Flowcat) | Idle' })
  ).toBeVisible({ timeout: 60_000 });

  await fill(page, 0, ['%%catalog_sql by_airline', ...JOIN].join('\n'));
  await page.keyboard.press('Shift+Enter');
  await expect(cells.first().locator('.jp-OutputArea')).toContainText(
    'United Air Lines Inc.',
    { timeout: 60_000 }
  );

  await fill(
    page,
    1,
    `flowfile_ctx.write_catalog_table(by_airline, "demo.nyc.${table}")`
  );
  await page.keyboard.press('Control+Enter');
  await expect(row(page, table)).toContainText('16', { timeout: 60_000 });

  await save(page);
  const path = `${tmpPath}/Untitled.notebook.yaml`;
  const before = await linesOf(page, base, path);
  expect(before).toContain('  type: sql');
  expect(before).toContain('    output: by_airline');

  await page.locator('.jp-mod-current .lm-TabBar-tabCloseIcon').last().click();
  await expect(page.locator('.jp-NotebookPanel')).toHaveCount(0);
  await page.sidebar.openTab('filebrowser');
  await page.filebrowser.open(path);
  await expect(cells.first()).toContainText('United Air Lines Inc.');
  await cells.first().locator('.cm-line', { hasText: 'ORDER BY' }).click();
  await expect(type).toHaveValue('sql');
  await page.keyboard.press('End');
  await page.keyboard.insertText(', a.name');
  await save(page);

  const after = await linesOf(page, base, path);
  expect(after.length).toBe(before.length);
  const changed = after.filter((line, at) => line !== before[at]);
  expect(changed).toEqual(['    ORDER BY flights DESC, a.name']);
});
