import { isClipped, specialOf, visible } from '../../src/grid/special';

describe('a value', () => {
  it('that is none is told apart from text that looks like it', () => {
    expect(specialOf(null, 'string')).toBe('null');
    expect(specialOf('NULL', 'string')).toBeNull();
    expect(specialOf('', 'string')).toBe('empty');
    expect(specialOf('NaN', 'double')).toBe('nan');
    expect(specialOf('NaN', 'string')).toBeNull();
    expect(specialOf('-Infinity', 'float')).toBe('infinite');
  });

  it('shows its line breaks, tabs and the blanks at its end', () => {
    expect(visible('a\r\nb\tc  ')).toBe('a↵b⇥c··');
  });

  it('that was cut is told from one that only ends in dots', () => {
    expect(isClipped(`${'x'.repeat(2000)}…`)).toBe(true);
    expect(isClipped('wait…')).toBe(false);
    expect(isClipped(null)).toBe(false);
  });
});
