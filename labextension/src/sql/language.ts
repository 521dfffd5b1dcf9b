import type { IEditorLanguage } from '@jupyterlab/codemirror';

/** The MIME type of SQL as the catalog speaks it. */
export const SQL_MIME = 'text/x-flowcat-sql';

/** The catalog's SQL for Lab's editors; its parser is loaded with the first text. */
export function catalogSql(displayName: string): IEditorLanguage {
  return {
    name: 'Catalog SQL',
    displayName,
    mime: SQL_MIME,
    load: async () => {
      const { sql, SQLDialect, SQLite } = await import('@codemirror/lang-sql');
      // Nearest to the standard of the dialects that list their words.
      const { spec } = SQLite;
      const dialect = SQLDialect.define({
        ...spec,
        keywords: `${spec.keywords ?? ''} ${KEYWORDS}`,
        types: `${spec.types ?? ''} ${TYPES}`,
        backslashEscapes: true,
        doubleQuotedStrings: true,
        identifierQuotes: '`',
        operatorChars: '*+-%<>!=&|~^/',
        caseInsensitiveIdentifiers: true
      });
      return sql({ dialect });
    }
  };
}

const KEYWORDS =
  'anti semi qualify tablesample lateral pivot unpivot show describe explain schemas catalogs tables columns history ilike rlike div version timestamp of limit offset overwrite partitioned comment merge matched truncate';

const TYPES =
  'string tinyint bigint double long short byte timestamp_ntz timestamp_ltz binary array map struct variant';
