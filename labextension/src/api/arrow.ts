import type { Data, RecordBatch, Table } from 'apache-arrow';

/** How a column's values are to be read; `other` is anything a grid gets as text already. */
export type ColumnKind =
  | 'boolean'
  | 'integer'
  | 'float'
  | 'double'
  | 'string'
  | 'binary'
  | 'date'
  | 'timestamp'
  | 'timestamp_ntz'
  | 'other';

/** A value as it was sent: whole numbers may be bigints, dates count days, times microseconds. */
export type ArrowValue = string | number | bigint | boolean | Uint8Array | null;

/** A decoded page. */
export interface IArrowRows {
  /** The columns in order; names may repeat. */
  readonly columns: readonly { name: string; kind: ColumnKind }[];
  /** How many rows. */
  readonly length: number;
  /** One value; a timestamp is in microseconds since 1970 in UTC, or without a zone. */
  value(row: number, column: number): ArrowValue;
}

/**
 * Decodes an Arrow IPC stream. The decoder itself is loaded the first time it is needed.
 */
export async function decodeArrow(data: ArrayBuffer): Promise<IArrowRows> {
  const { Type, tableFromIPC } = await import('apache-arrow');
  const table: Table = tableFromIPC(new Uint8Array(data));
  const columns = table.schema.fields.map(field => {
    const type = field.type;
    return { name: field.name, ...kindOf(type, Type) };
  });
  const starts: number[] = [];
  let length = 0;
  for (const batch of table.batches) {
    starts.push(length);
    length += batch.numRows;
  }
  return {
    columns,
    length,
    value: (row, column) => {
      let at = starts.length - 1;
      while (at > 0 && starts[at] > row) {
        at -= 1;
      }
      return read(
        table.batches[at],
        column,
        row - starts[at],
        columns[column].unit
      );
    }
  };
}

/** A kind, and for times how many microseconds a unit has (negative: units a microsecond). */
interface IKind {
  kind: ColumnKind;
  unit?: number;
}

type TypeIds = (typeof import('apache-arrow'))['Type'];

function kindOf(
  type: { typeId: number; unit?: number; timezone?: string | null },
  ids: TypeIds
): IKind {
  switch (type.typeId) {
    case ids.Bool:
      return { kind: 'boolean' };
    case ids.Int:
      return { kind: 'integer' };
    case ids.Float:
      return {
        kind:
          (type as { precision?: number }).precision === 2 ? 'double' : 'float'
      };
    case ids.Utf8:
    case ids.LargeUtf8:
      return { kind: 'string' };
    case ids.Binary:
    case ids.LargeBinary:
      return { kind: 'binary' };
    case ids.Date:
      return { kind: 'date', unit: type.unit };
    case ids.Timestamp:
      return {
        kind: type.timezone ? 'timestamp' : 'timestamp_ntz',
        unit: [1_000_000, 1000, 1, -1000][type.unit ?? 2]
      };
    default:
      return { kind: 'other' };
  }
}

function read(
  batch: RecordBatch,
  column: number,
  row: number,
  unit: number | undefined
): ArrowValue {
  const data = batch.data.children[column] as Data;
  if (!data.getValid(row)) {
    return null;
  }
  if (unit === undefined) {
    return plain(batch.getChildAt(column)?.get(row));
  }
  const raw: number | bigint = data.values[row];
  if (typeof raw === 'bigint') {
    return unit > 0 ? raw * BigInt(unit) : floorDivide(raw, BigInt(-unit));
  }
  return raw;
}

/** Text, numbers and bytes as they are; anything else by its own words. */
function plain(value: unknown): ArrowValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    default:
      if (value instanceof Uint8Array) {
        return value;
      }
      return value === null || value === undefined ? null : String(value);
  }
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}
