import type { ImportPreview } from '../api/types';

/**
 * Whether some line is rejected for the type of a column that could be text instead: text does
 * not mend a line with too few fields, nor a column whose type is the table's.
 */
export function textHelps({ columns, rejects }: ImportPreview): boolean {
  return columns.some(
    ({ name, reason }) =>
      !reason.startsWith('as in the table') &&
      rejects.some(reject => reject.reason.startsWith(`column ${name}: `))
  );
}
