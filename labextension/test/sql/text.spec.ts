import {
  offsetOf,
  statementAt,
  statements,
  trimmed,
  wordAt
} from '../../src/sql/text';

const texts = (text: string) =>
  statements(text).map(({ start, end }) => text.slice(start, end));

const at = (text: string) => {
  const cursor = text.indexOf('|');
  const plain = text.replace('|', '');
  const span = statementAt(plain, cursor);
  return span && plain.slice(span.start, span.end);
};

describe('statements', () => {
  it('stand between semicolons', () => {
    expect(texts('SELECT 1;\n\n SELECT 2 ;;')).toEqual([
      'SELECT 1',
      'SELECT 2'
    ]);
  });

  it.each([
    "SELECT ';'",
    'SELECT ";" ',
    'SELECT `a;b`',
    'SELECT 1 -- one; two\n + 1',
    'SELECT /* ; /* ; */ ; */ 1',
    "SELECT 'it''s; ' , 'a\\';'",
    'SELECT `a\\` , `b``;`'
  ])('are not divided within %s', text => {
    expect(texts(text)).toEqual([text.trim()]);
  });

  it('may end in the middle of a literal or a comment', () => {
    expect(texts("SELECT 'a; b")).toEqual(["SELECT 'a; b"]);
    expect(texts('SELECT 1 /* ; ')).toEqual(['SELECT 1 /* ;']);
    expect(texts("SELECT 'a\\")).toEqual(["SELECT 'a\\"]);
  });

  it('are none in an empty text', () => {
    expect(texts(' \n;; ')).toEqual([]);
  });
});

describe('the statement at the cursor', () => {
  it('holds it', () => {
    expect(at('SELECT 1; SEL|ECT 2; SELECT 3')).toBe('SELECT 2');
  });

  it('is the one that ends there', () => {
    expect(at('SELECT 1|; SELECT 2')).toBe('SELECT 1');
    expect(at('SELECT 1;| SELECT 2')).toBe('SELECT 1');
  });

  it('is the one before, where it stands between', () => {
    expect(at('SELECT 1;\n\n|\n\nSELECT 2')).toBe('SELECT 1');
  });

  it('is the first, where there is none before', () => {
    expect(at('\n|\n\nSELECT 1; SELECT 2')).toBe('SELECT 1');
  });

  it('is none in an empty text', () => {
    expect(at(' | ')).toBeNull();
  });
});

describe('places', () => {
  const text = 'SELECT 1;\nSELECT a,\n  b';

  it('are counted from the part that was sent', () => {
    const start = text.indexOf('SELECT a');
    expect(offsetOf(text, start, { line: 1, column: 8 })).toBe(start + 7);
    expect(offsetOf(text, start, { line: 2, column: 3 })).toBe(
      text.indexOf('b')
    );
  });

  it('past the end are the end', () => {
    expect(offsetOf(text, 0, { line: 9, column: 1 })).toBe(text.length);
    expect(offsetOf(text, 0, { line: 1, column: 99 })).toBe(9);
  });

  it('begin a word, a quoted name, or one character', () => {
    const part = (source: string, offset: number) => {
      const { start, end } = wordAt(source, offset);
      return source.slice(start, end);
    };
    expect(part('SELECT größe, b', 7)).toBe('größe');
    expect(part('SELECT `a ``b`, c', 7)).toBe('`a ``b`');
    expect(part('a = = b', 4)).toBe('=');
    expect(part('SELECT', 6)).toBe('T');
  });

  it('lose the white space around them', () => {
    expect(trimmed('  a b  ', { start: 0, end: 7 })).toEqual({
      start: 2,
      end: 5
    });
    expect(trimmed('   ', { start: 0, end: 3 })).toEqual({ start: 3, end: 3 });
  });
});
