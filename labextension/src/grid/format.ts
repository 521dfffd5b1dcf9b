import type { ArrowValue, ColumnKind, IArrowRows } from '../api/arrow';
import type { IArrowPage } from '../api/connection';

import type { IGridColumn, IPage } from './rows';

const MAX_BYTES = 64;
const SECOND = 1_000_000n;
const DAY_MS = 86_400_000;
/** Digits that count, of a number that was computed. */
const DIGITS = 6;

/** Turns an Arrow page into text, with the types the catalog gave its columns. */
export async function textPage(
  page: IArrowPage,
  columns: readonly IGridColumn[] | null,
  zone: string
): Promise<IPage> {
  const { decodeArrow } = await import('../api/arrow');
  const rows = await decodeArrow(page.data);
  return {
    columns: columns ?? columnsOf(rows),
    length: rows.length,
    total: page.total ?? rows.length,
    cell: (row, column) =>
      text(rows.value(row, column), rows.columns[column].kind, zone)
  };
}

/** A value's one spelling; `zone` is the session's, for instants. */
export function text(
  value: ArrowValue,
  kind: ColumnKind,
  zone: string
): string | null {
  if (value === null) {
    return null;
  }
  switch (kind) {
    case 'date':
      return day(Number(value));
    case 'timestamp':
      return instant(BigInt(value as bigint), zone);
    case 'timestamp_ntz':
      return clock(BigInt(value as bigint));
    case 'float':
      return typeof value === 'number' ? real(single(value)) : String(value);
    case 'double':
      return typeof value === 'number' ? real(repr(value)) : String(value);
    case 'binary':
      return value instanceof Uint8Array ? hex(value) : String(value);
    default:
      return String(value);
  }
}

/**
 * A computed number in six digits that count, or two after the point if that is more; its whole
 * part always stays. Not for values: they are shown as they are.
 */
export function readable(exact: string): string {
  const [, sign, whole, fraction] = /^(-?)(\d+)\.(\d+)$/.exec(exact) ?? [];
  if (fraction === undefined) {
    return /^-?\d\.\d{6,}e/i.test(exact) ? exponential(exact) : exact;
  }
  const places =
    whole === '0'
      ? fraction.length - fraction.replace(/^0+/, '').length + DIGITS
      : Math.max(2, DIGITS - whole.length);
  if (fraction.length <= places) {
    return exact;
  }
  const up = fraction[places] >= '5' ? 1n : 0n;
  const digits = String(BigInt(whole + fraction.slice(0, places)) + up);
  const padded = digits.padStart(places + 1, '0');
  const rest = padded.slice(-places).replace(/0+$/, '') || '0';
  return `${sign}${padded.slice(0, -places)}.${rest}`;
}

function exponential(exact: string): string {
  return Number(exact).toExponential(DIGITS - 1);
}

function columnsOf(rows: IArrowRows): IGridColumn[] {
  const names: Partial<Record<ColumnKind, string>> = {
    integer: 'bigint',
    other: 'string'
  };
  return rows.columns.map(({ name, kind }) => ({
    name,
    type: names[kind] ?? kind
  }));
}

/** A real number never looks like a whole one. */
function real(digits: string): string {
  return /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
}

function repr(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** The shortest digits that give the same 32-bit number back. */
function single(value: number): string {
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) {
      return repr(short);
    }
  }
  return repr(value);
}

function hex(bytes: Uint8Array): string {
  const shown = Array.from(bytes.subarray(0, MAX_BYTES), byte =>
    byte.toString(16).padStart(2, '0')
  ).join('');
  return `0x${shown}${bytes.length > MAX_BYTES ? '…' : ''}`;
}

function day(days: number): string {
  return isoDay(new Date(days * DAY_MS));
}

function isoDay(date: Date): string {
  const year = date.getUTCFullYear();
  const sign = year < 0 ? '-' : '';
  return [
    sign + pad(Math.abs(year), 4),
    pad(date.getUTCMonth() + 1, 2),
    pad(date.getUTCDate(), 2)
  ].join('-');
}

/** Microseconds since 1970 as a clock without a zone shows them. */
function clock(micros: bigint): string {
  const within = ((micros % SECOND) + SECOND) % SECOND;
  const date = new Date(Number((micros - within) / 1000n));
  const time = [
    pad(date.getUTCHours(), 2),
    pad(date.getUTCMinutes(), 2),
    pad(date.getUTCSeconds(), 2)
  ].join(':');
  const fraction = within
    ? `.${String(within).padStart(6, '0').replace(/0+$/, '')}`
    : '';
  return `${isoDay(date)} ${time}${fraction}`;
}

function instant(micros: bigint, zone: string): string {
  return clock(micros + BigInt(offset(micros, zone)) * 1000n);
}

const zones = new Map<string, Intl.DateTimeFormat | null>();

/** How far the zone's clock is ahead of UTC then, in milliseconds. */
function offset(micros: bigint, zone: string): number {
  const format = zoned(zone);
  if (!format) {
    return 0;
  }
  const within = ((micros % SECOND) + SECOND) % SECOND;
  const then = Number((micros - within) / 1000n);
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(new Date(then))) {
    parts[type] = Number(value);
  }
  const shown = new Date(0);
  shown.setUTCFullYear(parts.year, parts.month - 1, parts.day);
  shown.setUTCHours(parts.hour, parts.minute, parts.second);
  return shown.getTime() - then;
}

function zoned(zone: string): Intl.DateTimeFormat | null {
  if (zone === 'UTC') {
    return null;
  }
  const known = zones.get(zone);
  if (known !== undefined) {
    return known;
  }
  let format: Intl.DateTimeFormat | null;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric'
    });
  } catch {
    format = null;
  }
  zones.set(zone, format);
  return format;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
