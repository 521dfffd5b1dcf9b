import { ColumnLayout } from '../../src/grid/layout';

function layout() {
  const columns = new ColumnLayout();
  columns.reset(4);
  return columns;
}

describe('the columns of a grid', () => {
  it('are all shown at first', () => {
    expect(layout().shown).toEqual([0, 1, 2, 3]);
  });

  it('can be frozen, hidden and shown again', () => {
    const columns = layout();
    columns.freeze(2, true);
    columns.hide(0);
    expect(columns.frozen).toEqual([2]);
    expect(columns.free).toEqual([1, 3]);
    expect(columns.hidden).toEqual([0]);
    columns.hide(2);
    expect(columns.frozen).toEqual([]);
    columns.show(0);
    expect(columns.shown).toEqual([0, 1, 3]);
    columns.showAll();
    expect(columns.shown).toEqual([0, 1, 2, 3]);
  });

  it('are never all hidden', () => {
    const columns = layout();
    [0, 1, 2, 3].forEach(column => columns.hide(column));
    expect(columns.shown).toEqual([3]);
  });

  it('wrap one by one', () => {
    const columns = layout();
    columns.wrap(1, true);
    expect([columns.wraps, columns.isWrapped(1)]).toEqual([true, true]);
    columns.wrap(1, false);
    expect(columns.wraps).toBe(false);
  });
});
