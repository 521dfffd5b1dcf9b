import { CatalogError } from '../../src/api/errors';
import type { ObjectPatch, ViewReply } from '../../src/api/types';
import { ViewModel } from '../../src/table/viewed';
import { FakeFeed, settle, view } from '../helpers';

class FakeServer {
  now: ViewReply | Error = view(7);
  asked = 0;

  view: () => Promise<ViewReply> = async () => {
    this.asked += 1;
    if (this.now instanceof Error) {
      throw this.now;
    }
    return this.now;
  };
  patchView = async (_: number, { description }: ObjectPatch) =>
    view(7, { description: description ?? null });
}

async function open() {
  const server = new FakeServer();
  const feed = new FakeFeed();
  const model = new ViewModel(7, server, feed);
  await model.load();
  return { server, feed, model };
}

describe('the page of a view', () => {
  it('tells what it is, and is told what is said of it', async () => {
    const { model } = await open();
    expect(model.view?.text).toContain('SELECT');
    await model.describe('late ones');
    expect(model.view?.description).toBe('late ones');
  });

  it('follows changes of the view and of where it is', async () => {
    const { server, feed } = await open();
    feed.tell([3, 2, 'table']);
    feed.tell([7, 2, 'view']);
    await settle();
    expect(server.asked).toBe(2);
  });

  it('says that the view is no more', async () => {
    const { server, feed, model } = await open();
    server.now = new CatalogError(404, {
      code: 'NotFound',
      message: 'There is no view 7.'
    } as never);
    feed.tell([7, 2, 'view']);
    await settle();
    expect([model.gone, model.editable]).toEqual([true, false]);
  });

  it('shows the answer to the last question, whichever comes first', async () => {
    const { server, model } = await open();
    const late: ((found: ViewReply) => void)[] = [];
    server.view = () => new Promise(resolve => late.push(resolve));
    const loads = [model.load(), model.load()];
    late[1](view(7, { description: 'new' }));
    late[0](view(7, { description: 'old' }));
    await Promise.all(loads);
    expect(model.view?.description).toBe('new');
  });

  it('is changed only by who may', async () => {
    const { server, model } = await open();
    expect(model.editable).toBe(true);
    server.now = view(7, { access: 'use', text: null });
    await model.load();
    expect(model.editable).toBe(false);
  });
});
