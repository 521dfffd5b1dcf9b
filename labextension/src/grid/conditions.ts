import type { TranslationBundle } from '@jupyterlab/translation';

import type { ICondition, IGridColumn, Operator } from './rows';
import { isNumeric } from './rows';
import { isNested } from './special';

/** The operators that need no value. */
const UNARY: ReadonlySet<Operator> = new Set<Operator>([
  'is_null',
  'not_null',
  'is_nan'
]);

/** Whether an operator compares with a value. */
export function needsValue(op: Operator): boolean {
  return !UNARY.has(op);
}

/** What can be asked of values of a type, the likeliest first. */
export function operatorsOf(type: string): Operator[] {
  if (isNested(type) || /^binary/i.test(type)) {
    return ['not_null', 'is_null'];
  }
  if (/^boolean/i.test(type)) {
    return ['=', '!=', 'not_null', 'is_null'];
  }
  const order: Operator[] = ['=', '!=', '<', '<=', '>', '>='];
  if (isNumeric(type) || /^(date|timestamp)/i.test(type)) {
    const nan: Operator[] = /^(float|double)/i.test(type) ? ['is_nan'] : [];
    return [...order, 'not_null', 'is_null', ...nan];
  }
  return ['contains', 'starts_with', ...order, 'not_null', 'is_null'];
}

/** Whether values of a type can be picked from a list. */
export function canPick(type: string): boolean {
  return !isNested(type) && !/^binary/i.test(type);
}

/** An operator in words, as it stands in a list. */
export function operatorName(op: Operator, trans: TranslationBundle): string {
  switch (op) {
    case '=':
      return trans.__('is');
    case '!=':
      return trans.__('is not');
    case '<':
      return trans.__('is less than');
    case '<=':
      return trans.__('is at most');
    case '>':
      return trans.__('is more than');
    case '>=':
      return trans.__('is at least');
    case 'contains':
      return trans.__('contains');
    case 'starts_with':
      return trans.__('starts with');
    case 'is_null':
      return trans.__('is NULL');
    case 'not_null':
      return trans.__('is not NULL');
    case 'is_nan':
      return trans.__('is NaN');
    case 'in':
      return trans.__('is one of');
    case 'not_in':
      return trans.__('is none of');
  }
}

/** A value as it stands in a list of values. */
export function namedValue(value: string | null): string {
  return value === null ? 'NULL' : value || '""';
}

const NAMED = 3;

/** A condition in one line. */
export function conditionText(
  { column, op, value, values }: ICondition,
  columns: readonly IGridColumn[],
  trans: TranslationBundle
): string {
  const name = columns[column]?.name ?? '';
  const sign = /^[=<>!]+$/.test(op)
    ? op.replace('!=', '≠').replace('<=', '≤').replace('>=', '≥')
    : operatorName(op, trans);
  if (!needsValue(op)) {
    return `${name} ${sign}`;
  }
  if (op !== 'in' && op !== 'not_in') {
    return `${name} ${sign} ${named(value ?? null)}`;
  }
  const all = values ?? [];
  const shown = all.slice(0, NAMED).map(named).join(', ');
  const more = all.length - NAMED;
  return more > 0
    ? trans.__('%1 %2 %3 and %4 more', name, sign, shown, more)
    : `${name} ${sign} ${shown}`;
}

function named(value: string | null): string {
  if (value === null) {
    return 'NULL';
  }
  return value === '' || value.trim() !== value ? `“${value}”` : value;
}
