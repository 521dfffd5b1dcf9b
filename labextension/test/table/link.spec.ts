import {
  linkOf,
  namedView,
  placedView,
  readLink,
  TABLE_LINK,
  withoutLink
} from '../../src/table/link';
import { column } from '../helpers';

const BASE = 'http://host:8888/user/a%40b/';
const COLUMNS = [column('year'), column('a&b=c', 'string')];

describe('a link to a table', () => {
  it('says the table, its version and what is looked at', () => {
    const view = namedView(
      {
        sort: { column: 1, desc: true },
        filters: [{ column: 0, op: '=', value: '2013 & more' }]
      },
      COLUMNS
    );
    const link = { name: 'demo.`a b`.`t&?#`', version: 3, view };
    const address = new URL(linkOf(BASE, link));
    expect(address.pathname).toBe('/user/a%40b/lab');
    expect(TABLE_LINK.test(address.search)).toBe(true);
    expect(readLink(address.search)).toEqual(link);
    expect(placedView(view, COLUMNS)).toEqual({
      sort: { column: 1, desc: true },
      filters: [{ column: 0, op: '=', value: '2013 & more' }]
    });
  });

  it('says no more than there is to say', () => {
    const view = { sort: null, filters: [] };
    const link = linkOf(BASE, { name: 't', version: null, view });
    expect(link).toBe('http://host:8888/user/a%40b/lab?flowcat-table=t');
    expect(readLink('?reset')).toBeNull();
  });

  it.each([
    '{',
    'null',
    '3',
    '[]',
    '{"sort":1,"filters":{}}',
    '{"filters":[null,1,{"column":1,"op":"="}]}',
    '{"sort":{"column":2}}'
  ])('takes nothing from an address that was cut or made up: %s', text => {
    const search = `?flowcat-table=t&flowcat-version=x&flowcat-view=${encodeURIComponent(text)}`;
    const link = readLink(search);
    expect(link).toMatchObject({ name: 't', version: null });
    expect(link?.view?.filters ?? []).toEqual([]);
    expect(link?.view?.sort ?? null).toBeNull();
  });

  it('leaves out columns that are no more', () => {
    const view = {
      sort: { column: 'gone', desc: false },
      filters: [{ column: 'gone', op: 'is_null' as const }]
    };
    expect(placedView(view, COLUMNS)).toEqual({ sort: null, filters: [] });
  });

  it('leaves the rest of an address', () => {
    expect(withoutLink('?a=1&flowcat-table=t&flowcat-version=1')).toBe('?a=1');
    expect(withoutLink('?flowcat-table=t')).toBe('');
  });
});
