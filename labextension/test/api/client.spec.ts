import { ServerConnection } from '@jupyterlab/services';

import { CatalogClient } from '../../src/api/client';
import { CatalogError, messageOf } from '../../src/api/errors';

/** A client whose requests end in the test. */
function make(answer: (request: Request) => Response) {
  const sent: Request[] = [];
  const settings = ServerConnection.makeSettings({
    baseUrl: 'http://localhost/user/a%40b/',
    fetch: async (info: RequestInfo) => {
      const request = info as Request;
      sent.push(request);
      return answer(request);
    }
  });
  return { client: new CatalogClient(settings), sent };
}

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status });
}

describe('the client of the catalog', () => {
  it('keeps to the base URL of its server', async () => {
    const { client, sent } = make(() => json({ items: [], total: 0 }));
    await client.tree(7, { limit: 5, after: 'a/b' });
    const url = new URL(sent[0].url);
    expect(url.pathname).toBe('/user/a%40b/flowcat/catalog/namespaces/tree');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      parent: '7',
      limit: '5',
      after: 'a/b'
    });
  });

  it('passes on what went wrong and what to do', async () => {
    const { client } = make(() =>
      json(
        { code: 'Conflict', message: 'It changed.', hint: 'Reload it.' },
        409
      )
    );
    const failed = client.table(1);
    await expect(failed).rejects.toBeInstanceOf(CatalogError);
    await expect(failed).rejects.toMatchObject({ status: 409 });
    const reason: unknown = await client
      .table(1)
      .catch((error: unknown) => error);
    expect(messageOf(reason)).toBe('It changed. Reload it.');
  });

  it('has words for an answer that is no JSON', async () => {
    const { client } = make(
      () => new Response('<html>', { status: 502, statusText: 'Bad Gateway' })
    );
    await expect(client.table(1)).rejects.toMatchObject({
      code: 'Unexpected',
      message: 'Bad Gateway'
    });
  });

  it('says when the server did not answer', async () => {
    const { client } = make(() => {
      throw new TypeError('Failed to fetch');
    });
    await expect(client.status()).rejects.toMatchObject({
      status: 0,
      code: 'Unreachable'
    });
  });

  it('asks for rows made for a grid and reads their headers', async () => {
    const { client, sent } = make(
      () =>
        new Response(new ArrayBuffer(8), {
          headers: { 'X-Flowcat-Total': '336776', 'X-Flowcat-Version': '3' }
        })
    );
    const page = await client.tableRows(4, {
      offset: 200,
      limit: 100,
      sort: 'dep delay',
      desc: true
    });
    expect(page).toMatchObject({ total: 336776, version: 3 });
    const query = new URL(sent[0].url).searchParams;
    expect(query.get('display')).toBe('1');
    expect(query.get('sort')).toBe('dep delay');
    expect(query.get('desc')).toBe('1');
    expect(sent[0].headers.get('Accept')).toContain('arrow');
  });
});
