import { Widget } from '@lumino/widgets';

import type { IFound } from '../../src/grid/rows';
import {
  GridSearch,
  type IFindable,
  type IGridSearch,
  literalOf,
  makeFindable
} from '../../src/grid/search';

/** Rows 3, 5 and 9 have what is looked for. */
class Rows implements IFindable {
  readonly cursorText = 'UA';
  readonly searches: IGridSearch[] = [];
  at = -1;

  async find(search: IGridSearch, from: 'start' | 'cursor'): Promise<IFound> {
    this.searches.push(search);
    const rows = [3, 5, 9];
    const after = from === 'start' ? -1 : this.at;
    const row = search.backwards
      ? (rows.filter(one => one < after).pop() ?? 9)
      : (rows.find(one => one > after) ?? 3);
    return { row, column: 0, matches: 3 };
  }

  reveal({ row }: IFound): void {
    this.at = row ?? -1;
  }
}

function make() {
  const widget = new Widget();
  const node = document.createElement('div');
  node.className = 'fc-Grid';
  widget.node.append(node);
  const rows = new Rows();
  makeFindable(node, rows);
  return { rows, search: new GridSearch(widget) };
}

describe('Find in a grid', () => {
  it('shows the first place, and how many there are', async () => {
    const { rows, search } = make();
    await search.startQuery(/UA/gim);
    expect(rows.at).toBe(3);
    expect([search.currentMatchIndex, search.matchesCount]).toEqual([0, 3]);
    expect(rows.searches[0]).toEqual({
      text: 'UA',
      matchCase: false,
      backwards: false
    });
  });

  it('goes on, and round in both directions', async () => {
    const { rows, search } = make();
    await search.startQuery(/UA/g);
    await search.highlightNext();
    expect([rows.at, search.currentMatchIndex]).toEqual([5, 1]);
    await search.highlightPrevious();
    await search.highlightPrevious();
    expect([rows.at, search.currentMatchIndex]).toEqual([9, 2]);
    expect(rows.searches[0].matchCase).toBe(true);
  });

  it('begins with what is under the cursor', () => {
    expect(make().search.getInitialQuery()).toBe('UA');
  });

  it('looks for text: no pattern finds anything', async () => {
    const { rows, search } = make();
    await search.startQuery(/U.A/g);
    expect(rows.searches).toEqual([]);
    expect(search.matchesCount).toBe(0);
  });
});

describe('the text Lab made a pattern of', () => {
  it.each(['a', 'a.b', '(1) [2] {3}', 'x\\y', 'a-b/c', 'c++ $5 ^ | ?*'])(
    'is %s again',
    text => {
      const source = text.replace(/[-[\]/{}()*+?.\\^$|]/g, '\\$&');
      expect(literalOf(new RegExp(source, 'g'))).toBe(text);
    }
  );
});
