import {
  asPlain,
  asSql,
  isSql,
  magicLine,
  sqlCell,
  sqlStart,
  tableInPython,
  tableInSql
} from '../../src/notebook/magic';

describe('a SQL cell', () => {
  it.each(['%%catalog_sql', '%%catalog_sql df\nSELECT 1', '%%catalog_sql\n'])(
    'is one that begins with the magic: %j',
    source => {
      expect(isSql(source)).toBe(true);
    }
  );

  it.each([
    '%%catalog_sqlx',
    '\n%%catalog_sql',
    ' %%catalog_sql',
    '# %%catalog_sql',
    ''
  ])('is not %j', source => {
    expect(isSql(source)).toBe(false);
    expect(sqlStart(source)).toBe(0);
  });

  it('is made and unmade without a change to its text', () => {
    const text = 'SELECT 1\nFROM t';
    expect(asSql(text)).toBe('%%catalog_sql\nSELECT 1\nFROM t');
    expect(asPlain(asSql(text))).toBe(text);
    expect(asSql(asSql(text))).toBe(asSql(text));
    expect(asPlain(text)).toBe(text);
  });

  it('says what it calls its result and where names resolve', () => {
    expect(
      magicLine(
        "%%catalog_sql --max-rows 10 df --catalog 'my cat' --schema=nyc --quiet\nSELECT 1"
      )
    ).toEqual({ output: 'df', catalog: 'my cat', schema: 'nyc' });
    expect(magicLine('%%catalog_sql\nSELECT x')).toEqual({
      output: null,
      catalog: null,
      schema: null
    });
  });

  it('of a query carries its names, and reads them back', () => {
    const cell = sqlCell('SELECT 1', { catalog: 'a b', schema: "it's" });
    expect(cell).toBe(
      `%%catalog_sql --catalog 'a b' --schema "it's"\nSELECT 1`
    );
    expect(magicLine(cell)).toMatchObject({ catalog: 'a b', schema: "it's" });
  });
});

describe('a table', () => {
  it('is read in either language', () => {
    expect(tableInSql('demo.nyc.`a b`')).toBe(
      '%%catalog_sql\nSELECT *\nFROM demo.nyc.`a b`\nLIMIT 100'
    );
    expect(tableInPython('demo.nyc.`a"b`')).toBe(
      'flowfile_ctx.read_catalog_table("demo.nyc.`a\\"b`")'
    );
  });
});
