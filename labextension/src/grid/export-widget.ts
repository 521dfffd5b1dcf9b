import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { CatalogError, messageOf } from '../api/errors';
import type { ExportFormat } from '../api/types';
import { type MenuEntry, openMenu } from '../parts/menu-widget';

import type { IExported, IExportProgress, IExportWish } from './export';
import type { PagedModel } from './model';
import type { IExportable, IView } from './rows';
import { gridHabits } from './settings';

const TOLD_MS = 250;
const SHOWN_MS = 5000;

/** Rows to be exported. */
export interface IExportRows {
  whole: IExportable;
  /** Which rows, when a form has been chosen. */
  view(): IView;
  /** The file's name, without its ending. */
  name: string;
  trans: TranslationBundle;
}

/** The forms rows can be exported in, as entries of a menu. */
export function exportEntries(
  trans: TranslationBundle,
  start: (format: ExportFormat) => unknown,
  offered?: readonly ExportFormat[]
): MenuEntry[] {
  const all: [ExportFormat, string][] = [
    ['csv', trans.__('CSV')],
    ['tsv', trans.__('TSV')],
    ['xlsx', trans.__('Excel')],
    ['parquet', trans.__('Parquet')],
    ['arrow', trans.__('Arrow')],
    ['json', trans.__('JSON')],
    ['ndjson', trans.__('JSON, a Row a Line')],
    ['markdown', trans.__('Markdown')]
  ];
  const forms = all.filter(([format]) => offered?.includes(format) ?? true);
  const { formulaSafe } = gridHabits.value;
  return [
    ...forms.map(([format, label]) => ({ label, run: () => start(format) })),
    null,
    {
      label: trans.__('No Formulas in CSV and TSV'),
      on: formulaSafe,
      run: () => gridHabits.choose({ formulaSafe: !formulaSafe })
    }
  ];
}

/** Opens the forms of export of a grid's rows; null where they cannot be exported. */
export function exporter(
  model: PagedModel,
  trans: TranslationBundle,
  name: string | undefined
): ((at: { x: number; y: number }) => void) | null {
  const whole = model.source.whole ?? model.source.files;
  if (!whole || name === undefined) {
    return null;
  }
  const rows = { whole, view: () => model.view, name, trans };
  return at =>
    openMenu(
      exportEntries(trans, format => exportRows(rows, format), whole.forms),
      at
    );
}

/** Exports every row to a file of the browser's, telling how far it is; it can be cancelled. */
export async function exportRows(
  { whole, view, name, trans }: IExportRows,
  format: ExportFormat
): Promise<void> {
  const { formulaSafe } = gridHabits.value;
  const wish: IExportWish = { format, formulaSafe, name };
  const shown = view();
  const stop = new AbortController();
  const id = Notification.emit(trans.__('Exporting %1…', name), 'in-progress', {
    autoClose: false,
    actions: [{ label: trans.__('Cancel'), callback: () => stop.abort() }]
  });
  let last = 0;
  const tell = (progress: IExportProgress) => {
    if (Date.now() - last > TOLD_MS) {
      last = Date.now();
      Notification.update({
        id,
        message: trans.__('Exporting %1: %2', name, sizeText(progress)),
        progress: progress.total ? progress.bytes / progress.total : undefined
      });
    }
  };
  try {
    const file = await whole.export(shown, wish, tell, stop.signal);
    download(file);
    Notification.update({
      id,
      type: 'success',
      message: doneText(file, shown, trans),
      autoClose: SHOWN_MS,
      actions: []
    });
  } catch (reason) {
    if (
      reason instanceof CatalogError ? stop.signal.aborted : isAbort(reason)
    ) {
      Notification.dismiss(id);
      return;
    }
    Notification.update({
      id,
      type: 'error',
      message: messageOf(reason),
      autoClose: false,
      actions: []
    });
  }
}

function doneText(
  { name, rows, of }: IExported,
  { filters }: IView,
  trans: TranslationBundle
): string {
  const count = rows.toLocaleString('en');
  if (of !== undefined) {
    return trans.__(
      'The first %1 of %2 rows are in %3; more does not fit a file made here.',
      count,
      of.toLocaleString('en'),
      name
    );
  }
  return filters.length
    ? trans._n(
        '%2 row that fulfils the conditions is in %3.',
        '%2 rows that fulfil the conditions are in %3.',
        rows,
        count,
        name
      )
    : trans._n('%2 row is in %3.', '%2 rows are in %3.', rows, count, name);
}

function sizeText({ bytes, total }: IExportProgress): string {
  const mega = (size: number) => (size / 1e6).toFixed(1);
  return total === null
    ? `${mega(bytes)} MB`
    : `${mega(bytes)} / ${mega(total)} MB`;
}

function isAbort(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'AbortError';
}

/** Hands a file to the browser. */
function download({ blob, name }: IExported): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
