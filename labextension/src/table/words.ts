import { Time } from '@jupyterlab/coreutils';

import { text } from '../grid/format';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** A count with separators; only counts have them, values never. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** A size with one digit after the point from 1 KB on. */
export function bytes(size: number): string {
  let value = size;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit ? value.toFixed(1) : value} ${UNITS[unit]}`;
}

/** How long ago something was. */
export function ago(iso: string): string {
  return Time.formatHuman(new Date(iso));
}

/** A moment in the session's zone, which is named. */
export function exact(iso: string, zone: string): string {
  const seconds = BigInt(Math.floor(Date.parse(iso) / 1000));
  return `${text(seconds * 1_000_000n, 'timestamp', zone)} ${zone}`;
}
