import { droppedText } from '../../src/notebook/drop';
import type { INodeDrag } from '../../src/tokens';

const TABLE: INodeDrag = {
  kind: 'table',
  path: ['demo', 'nyc', 'a b'],
  sqlName: 'demo.nyc.`a b`'
};
const COLUMN: INodeDrag = {
  kind: 'column',
  path: ['demo', 'nyc', 'a b', 'x y'],
  sqlName: '`x y`'
};

describe('what is dropped', () => {
  it('is a quoted name in SQL', () => {
    expect(droppedText(TABLE, true)).toBe('demo.nyc.`a b`');
    expect(droppedText(COLUMN, true)).toBe('`x y`');
  });

  it('is a call or a text in Python', () => {
    expect(droppedText(TABLE, false)).toBe(
      'flowfile_ctx.read_catalog_table("demo.nyc.`a b`")'
    );
    expect(droppedText(COLUMN, false)).toBe('"x y"');
    expect(
      droppedText({ kind: 'schema', path: ['a', 'b'], sqlName: 'a.b' }, false)
    ).toBe('"a.b"');
  });

  it('of a kernel is a frame in SQL and a variable in Python', () => {
    const frame = { kind: 'frame', path: ['df'], sqlName: ':df' } as const;
    const drag = { ...frame, path: [...frame.path] };
    expect(droppedText(drag, true)).toBe(':df');
    expect(droppedText(drag, false)).toBe('df');
  });
});
