const KINDS = [
  'csv',
  'tsv',
  'txt',
  'json',
  'jsonl',
  'ndjson',
  'parquet',
  'arrow',
  'arrows',
  'feather',
  'ipc',
  'avro',
  'xlsx',
  'xlsb',
  'xls',
  'ods'
].join('|');
const PACKED = 'gz|zst|bz2|xz|zip';

/** Files that can be imported, by the end of their names. */
export const IMPORTABLE = new RegExp(
  `\\.(${KINDS})(\\.(${PACKED}))?$|\\.(${PACKED})$`,
  'i'
);
const ENDINGS = new RegExp(`\\.(${KINDS}|${PACKED})$`, 'i');
const PATTERN = /[*?[]/;
const SHORTEST = 2;

/** Whether a path can only mean a folder, by its name. */
export function isFolder(path: string): boolean {
  return !IMPORTABLE.test(path) && !PATTERN.test(path);
}

/** The last part of a path. */
export function fileName(path: string): string {
  return path.split('/').pop() || path;
}

/** A table's name after its file: without endings, without what names may not hold. */
export function tableName(path: string): string {
  let name = fileName(path);
  while (ENDINGS.test(name)) {
    name = name.replace(ENDINGS, '');
  }
  return plain(name) || 'table';
}

/** A table's name after several files or a pattern: what they have in common, or their folder. */
export function commonName(paths: readonly string[]): string {
  if (paths.length === 1 && !PATTERN.test(paths[0])) {
    return tableName(paths[0]);
  }
  const names = paths.map(path => tableName(path.replace(/[*?[\]]+/g, '')));
  const shared = names.reduce((some, name) => {
    let length = 0;
    while (length < some.length && some[length] === name[length]) {
      length += 1;
    }
    return some.slice(0, length);
  });
  const name = plain(shared.replace(/[\d_]+$/, ''));
  if (name.length >= SHORTEST && name !== 'table') {
    return name;
  }
  const folders = paths[0].split('/').slice(0, -1);
  const folder = folders.reverse().find(part => part && !PATTERN.test(part));
  const first = paths.find(path => !PATTERN.test(path));
  return folder || first ? tableName(folder ?? first ?? '') : 'table';
}

function plain(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}_]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
}

/** A name as a part of a SQL name. */
export function quote(name: string): string {
  return `\`${name.replace(/`/g, '``')}\``;
}

/** A name as it is compared: upper and lower case are the same. */
export function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** The types a person can choose, beside the one a column has and those that are typed in. */
export const TYPES = [
  'string',
  'boolean',
  'int',
  'bigint',
  'double',
  'decimal(18,2)',
  'decimal(38,10)',
  'date',
  'timestamp',
  'timestamp_ntz'
];
