import type { SavedQueryCreate, SavedQueryReply } from '../../src/api/types';
import { type ISavedClient, SavedQueries } from '../../src/sql/saved';
import { NOW } from '../helpers';

/** A server that keeps queries, two on a page. */
class Server implements ISavedClient {
  items: SavedQueryReply[] = [];

  async savedQueries(after: string | null) {
    const start = Number(after ?? 0);
    const end = start + 2;
    return {
      items: this.items.slice(start, end),
      total: this.items.length,
      after: end < this.items.length ? String(end) : null
    };
  }

  async saveQuery(query: SavedQueryCreate) {
    const saved: SavedQueryReply = {
      id: this.items.length + 1,
      catalog: null,
      schema: null,
      dialect: null,
      chart: null,
      created_at: NOW,
      updated_at: NOW,
      ...query
    } as SavedQueryReply;
    this.items.push(saved);
    return saved;
  }

  async changeQuery(id: number, query: Partial<SavedQueryReply>) {
    const at = this.items.findIndex(item => item.id === id);
    this.items[at] = { ...this.items[at], ...query };
    return this.items[at];
  }

  async dropQuery(id: number) {
    this.items = this.items.filter(item => item.id !== id);
  }
}

describe('saved queries', () => {
  it('are listed whole, and known by their names', async () => {
    const saved = new SavedQueries(new Server());
    for (const name of ['a', 'b', 'Late']) {
      await saved.save({ name, text: `SELECT '${name}'` });
    }
    expect(saved.items).toHaveLength(3);
    expect(saved.named(' late ')?.text).toBe("SELECT 'Late'");
  });

  it('of one name take the place of each other', async () => {
    const saved = new SavedQueries(new Server());
    await saved.save({ name: 'a', text: 'old' });
    await saved.save({ name: 'A', text: 'new' });
    expect(saved.items?.map(({ text }) => text)).toEqual(['new']);
    await saved.remove(saved.items?.[0].id ?? 0);
    expect(saved.items).toEqual([]);
  });
});
