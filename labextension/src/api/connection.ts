import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import { CatalogError, readError, unreachable } from './errors';

/** The protocol this front end speaks; the server says its own in its status. */
export const PROTOCOL = 1;

/** The media type of Arrow IPC streams. */
export const ARROW = 'application/vnd.apache.arrow.stream';

/** Values of a query string; absent ones are left out, lists are given value by value. */
export type Query = Record<
  string,
  string | number | boolean | readonly string[] | null | undefined
>;

/** A page of rows as Arrow IPC, with what its headers said. */
export interface IArrowPage {
  /** A whole Arrow stream. */
  data: ArrayBuffer;
  /** All rows there are. */
  total: number | null;
  /** The version the rows are of. */
  version: number | null;
}

/** Which rows of a table or result. */
export interface IRowsQuery {
  offset: number;
  limit: number;
  /** A column's name (tables) or its 0-based index (results). */
  sort?: string | number | null;
  desc?: boolean;
  version?: number | null;
  /** Conditions on a result, as JSON. */
  filter?: string | null;
}

/** What to send. */
export interface IInit {
  method?: string;
  query?: Query;
  json?: unknown;
  body?: Blob | ArrayBuffer;
  accept?: string;
  signal?: AbortSignal;
}

/**
 * Jupyter's own connection: its base URL, its cookies or token, its XSRF header. Every method
 * rejects with {@link CatalogError}.
 */
export class Connection {
  constructor(readonly settings = ServerConnection.makeSettings()) {}

  /** The absolute URL of a path under `flowcat/`. */
  url(path: string, query: Query = {}): string {
    const text = new URLSearchParams(
      Object.entries(query).flatMap(([key, value]) =>
        (Array.isArray(value) ? value : [value])
          .filter(item => item !== undefined && item !== null)
          .map(item => [key, String(item)])
      )
    ).toString();
    const base = URLExt.join(this.settings.baseUrl, 'flowcat', path);
    return text ? `${base}?${text}` : base;
  }

  /** Rows as Arrow: what a browser cannot hold exactly comes as text. */
  async arrow(path: string, rows: IRowsQuery): Promise<IArrowPage> {
    const { desc, ...rest } = rows;
    return page(
      await this.request(path, {
        query: {
          ...rest,
          desc: rest.sort === undefined || rest.sort === null ? null : +!!desc,
          display: 1
        },
        accept: ARROW
      })
    );
  }

  /** A reply's JSON. */
  async json<T>(path: string, init: IInit = {}): Promise<T> {
    const response = await this.request(path, init);
    return (await response.json()) as T;
  }

  /** A reply as it comes. */
  async request(path: string, init: IInit): Promise<Response> {
    const { method = 'GET', query, json, body, accept, signal } = init;
    const headers: Record<string, string> = {
      Accept: accept ?? 'application/json',
      'X-Flowcat-Protocol': String(PROTOCOL)
    };
    if (json !== undefined) {
      headers['Content-Type'] = 'application/json';
    } else if (body !== undefined) {
      headers['Content-Type'] = 'application/octet-stream';
    }
    let response: Response;
    try {
      response = await ServerConnection.makeRequest(
        this.url(path, query),
        {
          method,
          headers,
          body: json === undefined ? body : JSON.stringify(json),
          signal
        },
        this.settings
      );
    } catch (reason) {
      throw unreachable(reason, signal);
    }
    if (!response.ok) {
      throw new CatalogError(response.status, await readError(response));
    }
    return response;
  }
}

/** The rows of a reply. */
async function page(response: Response): Promise<IArrowPage> {
  return {
    data: await response.arrayBuffer(),
    total: number(response.headers.get('X-Flowcat-Total')),
    version: number(response.headers.get('X-Flowcat-Version'))
  };
}

function number(header: string | null): number | null {
  return header === null || header === '' ? null : Number(header);
}
