import { Signal } from '@lumino/signaling';

import { LOADING, PagedModel } from '../../src/grid/model';
import type { IPage, IPageRequest, IPageSource } from '../../src/grid/rows';
import { settle } from '../helpers';

const PAGING = { rows: 10, kept: 3, parallel: 2, waiting: 2 };

/** A thousand rows, whose pages arrive when the test lets them. */
class Rows implements IPageSource {
  readonly asked: IPageRequest[] = [];
  readonly changed: Signal<IPageSource, void> = new Signal<IPageSource, void>(
    this
  );
  total = 1000;
  held: (() => void)[] | null = null;
  failing: Error | null = null;

  async page(request: IPageRequest): Promise<IPage> {
    this.asked.push(request);
    if (this.held) {
      await new Promise<void>(resolve => this.held?.push(resolve));
    }
    if (this.failing) {
      throw this.failing;
    }
    const { offset, limit, sort } = request;
    return {
      columns: [
        { name: 'n', type: 'int' },
        { name: 't', type: 'string' }
      ],
      length: Math.max(0, Math.min(limit, this.total - offset)),
      total: this.total,
      cell: (row, column) => {
        const at = sort?.desc ? this.total - 1 - offset - row : offset + row;
        return column === 0 ? String(at) : at % 2 ? null : 'a\tb';
      }
    };
  }

  get offsets(): number[] {
    return this.asked.map(({ offset }) => offset);
  }
}

async function loaded(rows = new Rows()) {
  const model = new PagedModel(rows, PAGING);
  model.load();
  await settle();
  return { model, rows };
}

describe('rows, a page at a time', () => {
  it('knows columns and total from the first page', async () => {
    const { model, rows } = await loaded();
    expect(rows.offsets).toEqual([0]);
    expect(model.rowCount('body')).toBe(1000);
    expect(model.columnCount('body')).toBe(2);
    expect(model.data('body', 3, 0)).toBe('3');
    expect(model.data('body', 3, 1)).toBeNull();
  });

  it('fetches a page when it is looked at, and says which cells arrived', async () => {
    const { model, rows } = await loaded();
    const changes: unknown[] = [];
    model.changed.connect((_, change) => changes.push(change));
    expect(model.data('body', 505, 0)).toBe(LOADING);
    await settle();
    expect(rows.offsets).toEqual([0, 500]);
    expect(model.data('body', 505, 0)).toBe('505');
    expect(changes).toMatchObject([{ type: 'cells-changed', row: 500 }]);
  });

  it('drops wishes a person has scrolled past', async () => {
    const { model, rows } = await loaded();
    rows.held = [];
    for (const row of [100, 200, 300, 400, 500, 600]) {
      model.data('body', row, 0);
    }
    rows.held.splice(0).forEach(let_ => let_());
    await settle();
    rows.held.splice(0).forEach(let_ => let_());
    await settle();
    expect(rows.offsets).toEqual([0, 100, 200, 600, 500]);
  });

  it('keeps a bounded number of pages', async () => {
    const { model, rows } = await loaded();
    for (const row of [100, 200, 300]) {
      model.data('body', row, 0);
      await settle();
    }
    rows.asked.length = 0;
    model.data('body', 0, 0);
    await settle();
    expect(rows.offsets).toEqual([0]);
  });

  it('sorts by the source and forgets pages of the old order', async () => {
    const { model, rows } = await loaded();
    rows.held = [];
    model.data('body', 500, 0);
    const [late] = rows.held;
    rows.held = null;
    model.setSort({ column: 0, desc: true });
    await settle();
    late();
    await settle();
    expect(model.data('body', 0, 0)).toBe('999');
    expect(model.data('body', 500, 0)).toBe(LOADING);
  });

  it('begins anew when the source is another', async () => {
    const { model, rows } = await loaded();
    rows.total = 5;
    rows.changed.emit();
    await settle();
    expect(model.rowCount('body')).toBe(5);
  });

  it('tells an error once and can try again', async () => {
    const { model, rows } = await loaded();
    const told: (string | undefined)[] = [];
    model.settled.connect((_, error) => told.push(error?.message));
    rows.failing = new Error('The table was dropped.');
    model.data('body', 500, 0);
    await settle();
    model.data('body', 500, 0);
    await settle();
    expect(told).toEqual(['The table was dropped.']);
    rows.failing = null;
    model.retry();
    await settle();
    expect(model.data('body', 500, 0)).toBe('500');
  });

  it('gives cells that are not loaded yet, for copying', async () => {
    const { model } = await loaded();
    const cells = await model.block({
      rows: { first: 508, last: 511 },
      columns: [1, 0]
    });
    expect(cells).toEqual([
      ['a\tb', '508'],
      [null, '509'],
      ['a\tb', '510'],
      [null, '511']
    ]);
  });

  it('asks for the rows that fulfil the conditions, and knows how many there were', async () => {
    const { model, rows } = await loaded();
    rows.total = 7;
    model.setFilters([{ column: 0, op: '<', value: '7' }]);
    await settle();
    expect(rows.asked.at(-1)).toMatchObject({
      offset: 0,
      filters: [{ column: 0, op: '<', value: '7' }]
    });
    expect([model.total, model.unfiltered]).toEqual([7, 1000]);
  });

  it('puts frozen columns beside the row numbers', async () => {
    const { model } = await loaded();
    model.layout.freeze(1, true);
    expect(model.columnCount('row-header')).toBe(2);
    expect(model.columnCount('body')).toBe(1);
    expect(model.data('row-header', 4, 0)).toBe(5);
    expect(model.data('row-header', 4, 1)).toBe('a\tb');
    expect(model.data('corner-header', 0, 1)).toMatchObject({ name: 't' });
    expect(model.metadata('row-header', 4, 1)).toEqual({
      type: 'string',
      column: 1
    });
    model.layout.freeze(1, false);
    model.layout.hide(0);
    expect(model.data('body', 4, 0)).toBe('a\tb');
  });

  it('keeps its columns as they are laid out when rows are others', async () => {
    const { model } = await loaded();
    model.layout.hide(0);
    model.setSort({ column: 1, desc: true });
    await settle();
    expect(model.layout.hidden).toEqual([0]);
  });
});
