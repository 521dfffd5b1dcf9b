import type { INames } from '../sql/model';

/** What the first line of a SQL cell begins with. */
export const MAGIC = '%%catalog_sql';

const FIRST_LINE = /^%%catalog_sql(?=[ \t\n]|$)[^\n]*\n?/;

/** Whether a code cell's source is SQL. */
export function isSql(source: string): boolean {
  return FIRST_LINE.test(source);
}

/** Where the SQL of a SQL cell begins. */
export function sqlStart(source: string): number {
  return FIRST_LINE.exec(source)?.[0].length ?? 0;
}

/** The source as a SQL cell. */
export function asSql(source: string): string {
  return isSql(source) ? source : `${MAGIC}\n${source}`;
}

/** The source without what makes it a SQL cell. */
export function asPlain(source: string): string {
  return source.slice(sqlStart(source));
}

/** Options that take no value. */
const FLAGS = ['--quiet', '--dry-run'];

/** What the magic's line says of a cell. */
export interface IMagicLine extends INames {
  /** The variable that gets the result; null without one. */
  output: string | null;
}

/** Reads a SQL cell's first line, as far as it can be read without running it. */
export function magicLine(source: string): IMagicLine {
  const line = FIRST_LINE.exec(source)?.[0] ?? '';
  const words = wordsOf(line.slice(MAGIC.length));
  const said: IMagicLine = { output: null, catalog: null, schema: null };
  for (let at = 0; at < words.length; at += 1) {
    const [option, joined] = parted(words[at]);
    if (!option.startsWith('-')) {
      said.output ??= option;
    } else if (!FLAGS.includes(option)) {
      const value = joined ?? words[(at += 1)] ?? null;
      if (option === '--catalog') {
        said.catalog = value;
      } else if (option === '--schema') {
        said.schema = value;
      }
    }
  }
  return said;
}

/** A SQL cell that runs a query where its names resolve. */
export function sqlCell(query: string, names: Partial<INames> = {}): string {
  const options = [
    names.catalog ? ` --catalog ${word(names.catalog)}` : '',
    names.schema ? ` --schema ${word(names.schema)}` : ''
  ];
  return `${MAGIC}${options.join('')}\n${query}`;
}

/** A SQL cell that shows a table. */
export function tableInSql(sqlName: string): string {
  return sqlCell(`SELECT *\nFROM ${sqlName}\nLIMIT 100`);
}

/** Python that reads a table. */
export function tableInPython(sqlName: string): string {
  return `flowfile_ctx.read_catalog_table(${JSON.stringify(sqlName)})`;
}

function parted(text: string): [string, string | null] {
  const at = text.startsWith('--') ? text.indexOf('=') : -1;
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

/** Words between blanks; quotes hold a word together. */
function wordsOf(line: string): string[] {
  const found = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return found.map(text => text.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

function word(name: string): string {
  if (/^[\p{L}\p{N}_.-]+$/u.test(name)) {
    return name;
  }
  return name.includes("'") ? `"${name}"` : `'${name}'`;
}
