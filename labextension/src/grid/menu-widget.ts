import { Clipboard } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { MenuEntry } from '../parts/menu-widget';

import type { CopyForm } from './copy';
import type { PagedModel } from './model';

/** What the menus of a grid do besides what its model does. */
export interface IGridMenuActs {
  filter(column: number, byValues: boolean): void;
  summary(column: number): void;
  copy(form: CopyForm, headings: boolean): void;
  /** Filters by the value of a cell. */
  only(value: string | null, column: number, not: boolean): void;
  record(): void;
}

/** What can be done with a column. */
export function columnEntries(
  model: PagedModel,
  column: number,
  trans: TranslationBundle,
  acts: IGridMenuActs
): MenuEntry[] {
  const { sort, layout, source, filters } = model;
  const { name } = model.columns[column];
  const entries: MenuEntry[] = [];
  if (model.sortable) {
    const sorted = sort?.column === column ? sort : null;
    entries.push(
      {
        label: trans.__('Sort Ascending'),
        on: sorted?.desc === false,
        run: () => model.setSort({ column, desc: false })
      },
      {
        label: trans.__('Sort Descending'),
        on: sorted?.desc === true,
        run: () => model.setSort({ column, desc: true })
      },
      {
        label: trans.__('Original Order'),
        off: sort === null,
        run: () => model.setSort(null)
      },
      null
    );
  }
  if (source.whole) {
    const own = filters.filter(filter => filter.column === column);
    entries.push(
      {
        label: trans.__('Filter…'),
        run: () => acts.filter(column, false)
      },
      {
        label: trans.__('Filter by Values…'),
        run: () => acts.filter(column, true)
      },
      {
        label: trans.__('Clear Filter'),
        off: !own.length,
        run: () =>
          model.setFilters(filters.filter(other => !own.includes(other)))
      },
      { label: trans.__('Summary'), run: () => acts.summary(column) },
      null
    );
  }
  const frozen = layout.isFrozen(column);
  const wrapped = layout.isWrapped(column);
  entries.push(
    {
      label: trans.__('Freeze'),
      on: frozen,
      run: () => layout.freeze(column, !frozen)
    },
    {
      label: trans.__('Wrap'),
      on: wrapped,
      run: () => layout.wrap(column, !wrapped)
    },
    {
      label: trans.__('Hide'),
      off: layout.shown.length < 2,
      run: () => layout.hide(column)
    },
    ...hiddenEntries(model, trans),
    null,
    {
      label: trans.__('Copy Name'),
      run: () => Clipboard.copyToSystem(name)
    }
  );
  return entries;
}

/** The hidden columns, to be shown again. */
export function hiddenEntries(
  model: PagedModel,
  trans: TranslationBundle
): MenuEntry[] {
  const { layout, columns } = model;
  if (!layout.hidden.length) {
    return [];
  }
  return [
    {
      label: trans.__('Show Column'),
      entries: [
        { label: trans.__('All'), run: () => layout.showAll() },
        null,
        ...layout.hidden.map(column => ({
          label: columns[column].name,
          run: () => layout.show(column)
        }))
      ]
    }
  ];
}

/** What can be done with the cells that are selected. */
export function cellEntries(
  model: PagedModel,
  cell: { column: number; value: string | null } | null,
  trans: TranslationBundle,
  acts: IGridMenuActs
): MenuEntry[] {
  const copy = (form: CopyForm, headings: boolean) => () =>
    acts.copy(form, headings);
  const entries: MenuEntry[] = [
    { label: trans.__('Copy'), run: copy('tsv', false) },
    {
      label: trans.__('Copy As'),
      entries: [
        { label: trans.__('Text with Headings'), run: copy('tsv', true) },
        { label: trans.__('CSV'), run: copy('csv', true) },
        { label: trans.__('Markdown'), run: copy('markdown', true) },
        { label: trans.__('Python'), run: copy('python', true) }
      ]
    },
    null
  ];
  if (cell && model.source.whole) {
    entries.push(
      {
        label: trans.__('Only Rows with This Value'),
        run: () => acts.only(cell.value, cell.column, false)
      },
      {
        label: trans.__('Only Rows without This Value'),
        run: () => acts.only(cell.value, cell.column, true)
      },
      null
    );
  }
  entries.push({ label: trans.__('Show as Record'), run: acts.record });
  return entries;
}
