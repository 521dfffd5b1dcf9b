import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Popover } from '../parts/popover';

import { FilterForm } from './filter';
import type { IPoint } from './input';
import type { PagedModel } from './model';
import type { ICondition } from './rows';
import type { Summaries } from './summaries';
import { SummaryCard } from './summary';

/** What the popovers of a grid need. */
export interface IGridPopupsOptions {
  model: PagedModel;
  summaries: Summaries;
  trans: TranslationBundle;
  /** Puts a condition in the place of another. */
  replace(old: ICondition | null, now: ICondition | null): void;
  /** A popover is gone. */
  closed(): void;
}

/** Which condition is to be asked for, and where. */
export interface IFilterWish {
  column: number;
  /** The condition to change; null for another one. */
  given: ICondition | null;
  /** Begins with the values to pick from. */
  byValues: boolean;
  at: IPoint;
}

/** The popovers of a grid: conditions and summaries. */
export class GridPopups {
  constructor(private readonly options: IGridPopupsOptions) {}

  /** Opens a form for a condition on a column. */
  filter({ column, given, byValues, at }: IFilterWish): void {
    const { model, summaries, trans, replace, closed } = this.options;
    const about = model.columns[column];
    const picked: ICondition = { column, op: 'in', values: [] };
    Popover.open({
      label: trans.__('Filter %1', about.name),
      at,
      closed,
      draw: close =>
        React.createElement(FilterForm, {
          column,
          about,
          given: given ?? (byValues ? picked : null),
          removable: given !== null,
          trans,
          summary: model.source.whole ? () => summaries.get(column) : null,
          apply: condition => replace(given, condition),
          close
        })
    });
  }

  /** Shows what a column holds; a value that is picked there filters. */
  summary(
    column: number,
    at: IPoint,
    pick: (value: string | null) => void
  ): void {
    const { model, summaries, trans, closed } = this.options;
    const { name, type } = model.columns[column];
    Popover.open({
      label: trans.__('Summary of %1', name),
      at,
      closed,
      draw: close =>
        React.createElement(SummaryCard, {
          name,
          type,
          load: () => summaries.get(column),
          trans,
          onPick: value => {
            close();
            pick(value);
          }
        })
    });
  }
}
