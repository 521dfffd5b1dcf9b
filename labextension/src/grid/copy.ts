import type { IGridColumn } from './rows';
import { isNumeric } from './rows';

/** In what form cells can be copied. */
export type CopyForm = 'tsv' | 'csv' | 'markdown' | 'python';

/** Cells as they are copied, row by row. */
export interface ICopied {
  columns: readonly IGridColumn[];
  rows: readonly (readonly (string | null)[])[];
}

/** Text for a clipboard; `headings` matters to TSV alone, the others always have them. */
export function copied(
  cells: ICopied,
  form: CopyForm,
  headings = false
): string {
  switch (form) {
    case 'tsv':
      return tsv(cells, headings);
    case 'csv':
      return csv(cells);
    case 'markdown':
      return markdown(cells);
    case 'python':
      return python(cells);
  }
}

/** Tab-separated text as spreadsheets read it; NULL is empty. */
function tsv({ columns, rows }: ICopied, headings: boolean): string {
  const quote = (cell: string | null) =>
    /[\t\n\r"]/.test(cell ?? '') ? doubled(cell ?? '') : (cell ?? '');
  const lines = headings ? [columns.map(({ name }) => name), ...rows] : rows;
  return lines.map(line => line.map(quote).join('\t')).join('\n');
}

/** RFC 4180 with lines as Unix has them; the empty text is told from NULL. */
function csv({ columns, rows }: ICopied): string {
  const quote = (cell: string | null) => {
    if (cell === null) {
      return '';
    }
    return cell === '' || /[",\n\r]/.test(cell) ? doubled(cell) : cell;
  };
  return [columns.map(({ name }) => name), ...rows]
    .map(line => line.map(quote).join(','))
    .join('\n');
}

function doubled(text: string): string {
  return `"${text.replace(/"/g, '""')}"`;
}

function markdown({ columns, rows }: ICopied): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(piped).join(' | ')} |`;
  return [
    line(columns.map(({ name }) => name)),
    `| ${columns.map(({ type }) => (isNumeric(type) ? '---:' : '---')).join(' | ')} |`,
    ...rows.map(row => line(row.map(cell => cell ?? 'NULL')))
  ].join('\n');
}

function piped(cell: string): string {
  return cell
    .replace(/\\/g, '\\\\')
    .replace(/\|/g, '\\|')
    .replace(/</g, '&lt;')
    .replace(/\r\n|\r|\n/g, '<br>');
}

/** A polars frame's making, exact: decimals and times are built, not read from floats. */
function python({ columns, rows }: ICopied): string {
  const kinds = columns.map(({ type }) => pythonKind(type));
  const used = new Set<string>();
  const names = unique(columns.map(({ name }) => name));
  const lists = columns.map((_, at) => {
    const values = rows.map(row => literal(row[at], kinds[at], used));
    return `    ${quoted(names[at])}: [${values.join(', ')}],`;
  });
  return [...[...used].sort(), 'data = {', ...lists, '}'].join('\n');
}

type PythonKind =
  'whole' | 'real' | 'decimal' | 'boolean' | 'date' | 'time' | 'text';

function pythonKind(type: string): PythonKind {
  if (/^(tinyint|smallint|int|bigint)/i.test(type)) {
    return 'whole';
  }
  if (/^(float|double)/i.test(type)) {
    return 'real';
  }
  const kinds: [RegExp, PythonKind][] = [
    [/^decimal/i, 'decimal'],
    [/^boolean/i, 'boolean'],
    [/^date/i, 'date'],
    [/^timestamp/i, 'time']
  ];
  return kinds.find(([pattern]) => pattern.test(type))?.[1] ?? 'text';
}

function literal(
  value: string | null,
  kind: PythonKind,
  used: Set<string>
): string {
  if (value === null) {
    return 'None';
  }
  switch (kind) {
    case 'whole':
      return value;
    case 'real':
      return /^-?[\d.]+(e[+-]?\d+)?$/i.test(value)
        ? value
        : `float(${quoted(value)})`;
    case 'decimal':
      used.add('from decimal import Decimal');
      return `Decimal(${quoted(value)})`;
    case 'boolean':
      return value === 'true' ? 'True' : 'False';
    case 'date':
      used.add('from datetime import date');
      return `date.fromisoformat(${quoted(value)})`;
    case 'time':
      used.add('from datetime import datetime');
      return `datetime.fromisoformat(${quoted(value)})`;
    case 'text':
      return quoted(value);
  }
}

/** A text as Python writes it; JSON's escapes are Python's, but for lone halves of pairs. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A heading met before becomes `x_2`, `x_3` … */
function unique(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map(name => {
    let free = name;
    for (let number = 2; taken.has(free); number += 1) {
      free = `${name}_${number}`;
    }
    taken.add(free);
    return free;
  });
}
