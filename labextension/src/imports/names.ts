const ENDINGS = /\.(gz|zip|csv|tsv|txt|json|jsonl|ndjson|parquet)$/i;

/** Files that can be imported, by the end of their names. */
export const IMPORTABLE =
  /\.(csv|tsv|json|jsonl|ndjson|parquet)(\.gz)?$|\.(gz|zip)$/i;

/** The last part of a path. */
export function fileName(path: string): string {
  return path.split('/').pop() ?? path;
}

/** A table's name after its file: without endings, without what names may not hold. */
export function tableName(path: string): string {
  let name = fileName(path);
  while (ENDINGS.test(name)) {
    name = name.replace(ENDINGS, '');
  }
  const plain = name
    .replace(/[^\p{L}\p{N}_]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
  return plain || 'table';
}

/** A name as a part of a SQL name. */
export function quote(name: string): string {
  return `\`${name.replace(/`/g, '``')}\``;
}

/** The types a person can choose, beside the one a column has. */
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
