/** What kind of value a cell has, where its text alone would not tell. */
export type Special = 'null' | 'empty' | 'nan' | 'infinite';

/** The kind of a value that is to be told apart from ordinary text; null for any other. */
export function specialOf(value: string | null, type: string): Special | null {
  if (value === null) {
    return 'null';
  }
  if (value === '') {
    return 'empty';
  }
  if (/^(float|double)/i.test(type)) {
    if (value === 'NaN') {
      return 'nan';
    }
    return /^-?Infinity$/.test(value) ? 'infinite' : null;
  }
  return null;
}

/** Whether a type's values have parts of their own. */
export function isNested(type: string): boolean {
  return /^(array|map|struct|variant)/i.test(type);
}

/** Blanks and line breaks at the end of a text, made visible; a tab and a break anywhere are. */
export function visible(text: string): string {
  return text
    .replace(/\r\n|\r|\n/g, '↵')
    .replace(/\t/g, '⇥')
    .replace(/ +$/, blanks => '·'.repeat(blanks.length))
    .replace(/\u00a0/g, '⍽');
}

/** Texts are cut at this length in pages of rows; an ellipsis follows. */
export const CLIP = 2000;

/** Whether a page may hold only the beginning of a value. */
export function isClipped(value: string | null): boolean {
  return value !== null && value.length === CLIP + 1 && value.endsWith('…');
}
