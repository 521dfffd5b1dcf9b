import { expect, test } from '@jupyterlab/galata';
import type { Page } from '@playwright/test';

import { inBothThemes, openCatalog } from './helpers';

/** A line of the frames in the kernel. */
function frame(page: Page, name: string) {
  return page
    .locator('.fc-Frames-row')
    .filter({ has: page.locator(`.fc-Frames-name:text-is("${name}")`) });
}

test.describe('the frames in the kernel', () => {
  test('are listed after each run, opened, dragged, queried and looked at', async ({
    page
  }, info) => {
    await page.notebook.createNew();
    await openCatalog(page);
    await page.notebook.setCell(
      0,
      'code',
      'import polars as pl\ndf = pl.DataFrame({"day": [1, 2, 3], "dep delay": [4, 5, 6]})'
    );
    await page.notebook.runCell(0);
    await expect(frame(page, 'df')).toContainText('3 × 2');

    await frame(page, 'df').click();
    await page.keyboard.press('ArrowRight');
    await expect(frame(page, 'dep delay')).toContainText('bigint');
    await page.keyboard.press('ArrowDown');
    await expect(frame(page, 'day')).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await expect(frame(page, 'df')).toBeFocused();
    await inBothThemes(page, info, 'frames', '#flowcat-sidebar');

    await frame(page, 'df').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Query' }).click();
    const made = page
      .locator('.jp-Notebook .jp-Cell .cm-content')
      .filter({ hasText: 'FROM :df' });
    await expect(made).toHaveCount(1);
    await page.notebook.run();
    await expect(
      page.locator('.jp-Notebook .jp-OutputArea').filter({ hasText: '3 rows' })
    ).toHaveCount(1);

    const last = (await page.notebook.getCellCount()) - 1;
    await page.notebook.setCell(last, 'code', 'wide = ');
    const editor = page.locator('.jp-Notebook .jp-Cell .cm-content').nth(last);
    await frame(page, 'df').dragTo(editor.locator('.cm-line').last());
    await expect(editor).toContainText('df');
    await expect(editor).not.toContainText(':df');
    await page.notebook.setCell(last, 'code', 'wide = df.head(1)');
    await page.notebook.runCell(last);
    await expect(frame(page, 'wide')).toContainText('1 × 2');

    await frame(page, 'wide').click();
    await page.keyboard.press('Enter');
    await expect(page.locator('.fc-FramePreview')).toContainText('1 row');
  });
});
