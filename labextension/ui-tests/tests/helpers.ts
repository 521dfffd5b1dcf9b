import { AxeBuilder } from '@axe-core/playwright';
import { expect, type IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Page, TestInfo } from '@playwright/test';

const SIDEBAR = 'flowcat-sidebar';

/** A row of the tree by its name. */
export function row(page: Page, name: string) {
  return page
    .getByRole('treeitem')
    .filter({ has: page.locator(`.fc-Tree-name:text-is("${name}")`) });
}

/** Shows the catalog in the left area. */
export async function openCatalog(page: IJupyterLabPageFixture): Promise<void> {
  await page.sidebar.openTab(SIDEBAR);
  await expect(page.locator(`#${SIDEBAR} .fc-Tree`)).toBeVisible();
}

/** Sees to it that the demo is there, without the screen. */
export async function loadDemo(page: Page, base: string): Promise<void> {
  await page.request.post(`${base}/flowcat/catalog/demo`, { data: {} });
  const tables = () =>
    page.request
      .get(`${base}/flowcat/catalog/runs?active=1`)
      .then(reply => reply.json())
      .then((list: { total: number }) => list.total);
  await expect.poll(tables, { timeout: 60_000 }).toBe(0);
}

/** Removes the demo, as if it had never been loaded. */
export async function removeDemo(page: Page, base: string): Promise<void> {
  await page.request.delete(`${base}/flowcat/catalog/demo`);
}

/** Opens what leads to a row, and waits for it. */
export async function reveal(page: Page, ...path: string[]): Promise<void> {
  for (const name of path) {
    const item = row(page, name);
    await expect(item).toBeVisible();
    if ((await item.getAttribute('aria-expanded')) === 'false') {
      await item.locator('.fc-Tree-caret').click();
    }
  }
}

/** What a machine can tell of a part's accessibility: nothing may be wrong. */
export async function checkAccess(page: Page, part: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include(part).analyze();
  const told = violations.map(({ id, nodes }) => [
    id,
    ...nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`)
  ]);
  expect(told).toEqual([]);
}

/** Checks a part and takes a picture in the light theme and in the dark one. */
export async function inBothThemes(
  page: IJupyterLabPageFixture,
  info: TestInfo,
  name: string,
  part: string
): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await (theme === 'light'
      ? page.theme.setLightTheme()
      : page.theme.setDarkTheme());
    await checkAccess(page, part);
    await page.screenshot({ path: info.outputPath(`${name}-${theme}.png`) });
  }
  await page.theme.setLightTheme();
}
