import type { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon, filterIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { conditionText } from './conditions';
import type { IPoint } from './input';
import type { PagedModel } from './model';
import type { ICondition } from './rows';
import type { IGridHabits } from './settings';

/** What stands above rows: their conditions, how many they are, and how they are shown. */
export interface IGridBarProps {
  model: PagedModel;
  trans: TranslationBundle;
  habits: IGridHabits;
  /** Whether one record is shown beside the rows. */
  record: boolean;
  onEdit(condition: ICondition, at: IPoint): void;
  onAdd(at: IPoint): void;
  onRemove(condition: ICondition): void;
  onClear(): void;
  onColumns(at: IPoint): void;
  onRecord(): void;
  /** Offers the forms of export; null where another part of the page does. */
  onExport: ((at: IPoint) => void) | null;
  onHabits(part: Partial<IGridHabits>): void;
}

/** The line above a grid. */
export function GridBar(props: IGridBarProps): JSX.Element {
  const { model, trans, habits, record } = props;
  const { filters, columns, layout, source } = model;
  const hidden = layout.hidden.length;
  return (
    <>
      <div
        className="fc-Grid-chips"
        role="group"
        aria-label={trans.__('Conditions')}
      >
        {source.whole && (
          <button
            className="fc-Grid-add"
            aria-haspopup="menu"
            title={trans.__('Show only some rows')}
            onClick={event => props.onAdd(below(event))}
          >
            <filterIcon.react tag="span" className="fc-icon" />
            {!filters.length && trans.__('Filter')}
          </button>
        )}
        {filters.map((condition, at) => (
          <span key={at} className="fc-Chip">
            <button
              title={trans.__('Change this condition')}
              onClick={event => props.onEdit(condition, below(event))}
            >
              {conditionText(condition, columns, trans)}
            </button>
            <button
              aria-label={trans.__(
                'Remove the condition %1',
                conditionText(condition, columns, trans)
              )}
              onClick={() => props.onRemove(condition)}
            >
              <closeIcon.react tag="span" className="fc-icon" />
            </button>
          </span>
        ))}
        {filters.length > 1 && (
          <button className="fc-Link" onClick={() => props.onClear()}>
            {trans.__('Remove all')}
          </button>
        )}
      </div>
      <span className="fc-Grid-count" role="status">
        {model.total === null && !model.failed
          ? trans.__('Loading…')
          : filters.length > 0 && countText(model, trans)}
      </span>
      {hidden > 0 && (
        <button
          className="fc-Link"
          aria-haspopup="menu"
          onClick={event => props.onColumns(below(event))}
        >
          {trans._n('%1 hidden column', '%1 hidden columns', hidden)}
        </button>
      )}
      {props.onExport && (
        <button
          className="fc-Grid-toggle"
          aria-haspopup="menu"
          title={trans.__('Save every row as a file')}
          onClick={event => props.onExport?.(below(event))}
        >
          {trans.__('Export ▾')}
        </button>
      )}
      <Toggle
        label={trans.__('Record')}
        title={trans.__('Show one row, a value a line (Enter)')}
        pressed={record}
        onToggle={() => props.onRecord()}
      />
      {source.whole && !habits.plain && (
        <Toggle
          label={trans.__('Distributions')}
          title={trans.__('Show how values are spread below each heading')}
          pressed={habits.spread}
          onToggle={() => props.onHabits({ spread: !habits.spread })}
        />
      )}
      <Toggle
        label={trans.__('Plain table')}
        title={trans.__('Show rows as a plain table, for screen readers')}
        pressed={habits.plain}
        onToggle={() => props.onHabits({ plain: !habits.plain })}
      />
    </>
  );
}

function Toggle(props: {
  label: string;
  title: string;
  pressed: boolean;
  onToggle(): void;
}): JSX.Element {
  const { label, title, pressed, onToggle } = props;
  return (
    <button
      className="fc-Grid-toggle"
      title={title}
      aria-pressed={pressed}
      onClick={onToggle}
    >
      {label}
    </button>
  );
}

function countText(model: PagedModel, trans: TranslationBundle): string {
  const { total, unfiltered, failed } = model;
  if (total === null || failed) {
    return '';
  }
  const shown = total.toLocaleString('en');
  return unfiltered === null
    ? trans._n('%2 row', '%2 rows', total, shown)
    : trans._n(
        '%2 of %3 row',
        '%2 of %3 rows',
        unfiltered,
        shown,
        unfiltered.toLocaleString('en')
      );
}

/** The place below a button. */
function below(event: React.MouseEvent<HTMLElement>): IPoint {
  const { left, bottom } = event.currentTarget.getBoundingClientRect();
  return { x: left, y: bottom };
}
