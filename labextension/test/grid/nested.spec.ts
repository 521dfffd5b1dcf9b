import { folded, parseNested } from '../../src/grid/nested';

describe('a nested value', () => {
  it('keeps the digits of its numbers', () => {
    const node = parseNested('{"id": 9007199254740993, "x": [1.50, null]}');
    expect(node).toEqual({
      kind: 'object',
      items: [
        ['id', { kind: 'bare', text: '9007199254740993' }],
        [
          'x',
          {
            kind: 'list',
            items: [
              { kind: 'bare', text: '1.50' },
              { kind: 'bare', text: 'null' }
            ]
          }
        ]
      ]
    });
  });

  it('says in one line what it is when folded', () => {
    expect(folded(parseNested('[1, 2]') ?? { kind: 'bare', text: '' })).toBe(
      '[ 2 ]'
    );
    const node = parseNested('{"a": 1, "b": 2}');
    expect(node && folded(node)).toBe('{ a, b }');
  });

  it.each(['', '[1, ', '{"a"}', '[1] x', '['.repeat(1000)])(
    'is no value where it is cut or broken: %s',
    text => {
      expect(parseNested(text)).toBeNull();
    }
  );
});
