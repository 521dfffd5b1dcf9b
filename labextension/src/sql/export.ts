import type { CatalogClient } from '../api/client';
import type { SqlReply } from '../api/types';
import type { IPage } from '../grid/rows';

import { ResultSource } from './source';
import type { SaveForm } from './words';

const PAGE = 5000;

/** Forms of text a result can be written in. */
export type TextForm = Exclude<SaveForm, 'cell'>;

/** What an export needs of the client. */
export type IExportClient = Pick<CatalogClient, 'sqlRows' | 'sqlPage' | 'json'>;

/** A result as a file. */
export interface IExported {
  parts: BlobPart[];
  type: string;
  ending: string;
}

/** Writes the whole result; values are as stored, NULL is empty in CSV and TSV. */
export async function exported(
  client: IExportClient,
  reply: SqlReply,
  form: TextForm,
  zone: string
): Promise<IExported> {
  switch (form) {
    case 'json':
      return {
        parts: [await asJson(client, reply)],
        type: 'application/json',
        ending: 'json'
      };
    case 'markdown':
      return {
        parts: await lines(client, reply, zone, markdown),
        type: 'text/markdown',
        ending: 'md'
      };
    case 'tsv':
      return {
        parts: await lines(client, reply, zone, delimited('\t')),
        type: 'text/tab-separated-values',
        ending: 'tsv'
      };
    case 'csv':
      return {
        parts: await lines(client, reply, zone, delimited(',')),
        type: 'text/csv',
        ending: 'csv'
      };
  }
}

/** How a heading and a row are written. */
interface IWriter {
  heading(names: string[]): string;
  row(cells: (string | null)[]): string;
}

/** Comma- or tab-separated text as RFC 4180 quotes it; the empty text is told from NULL. */
function delimited(separator: string): IWriter {
  const quoted = (text: string) =>
    text === '' || /[",\t\r\n]/.test(text)
      ? `"${text.replace(/"/g, '""')}"`
      : text;
  const row = (cells: (string | null)[]) =>
    `${cells.map(cell => (cell === null ? '' : quoted(cell))).join(separator)}\n`;
  return { heading: row, row };
}

const markdown: IWriter = {
  heading: names => `${piped(names)}${piped(names.map(() => '---'))}`,
  row: cells => piped(cells.map(cell => cell ?? 'NULL'))
};

function piped(cells: string[]): string {
  const safe = cells.map(cell =>
    cell
      .replace(/\\/g, '\\\\')
      .replace(/\|/g, '\\|')
      .replace(/</g, '&lt;')
      .replace(/\r?\n/g, '<br>')
  );
  return `| ${safe.join(' | ')} |\n`;
}

async function lines(
  client: IExportClient,
  reply: SqlReply,
  zone: string,
  writer: IWriter
): Promise<string[]> {
  const { query_id, columns } = reply;
  const source = new ResultSource(client, query_id, columns, zone);
  const parts = [writer.heading(columns.map(({ name }) => name))];
  for (let offset = 0; offset < reply.row_count; offset += PAGE) {
    const page = await source.page({
      offset,
      limit: PAGE,
      sort: null,
      filters: []
    });
    parts.push(pageText(page, columns.length, writer));
  }
  return parts;
}

function pageText(page: IPage, width: number, writer: IWriter): string {
  const rows: string[] = [];
  for (let row = 0; row < page.length; row += 1) {
    const cells = Array.from({ length: width }, (_, column) =>
      page.cell(row, column)
    );
    rows.push(writer.row(cells));
  }
  return rows.join('');
}

/** Objects by heading; a heading met before becomes `x_2`, `x_3` … */
async function asJson(client: IExportClient, reply: SqlReply): Promise<string> {
  const names = unique(reply.columns.map(({ name }) => name));
  const objects: string[] = [];
  for (let offset = 0; offset < reply.row_count; offset += PAGE) {
    const { rows } = await client.sqlPage(reply.query_id, {
      offset,
      limit: PAGE
    });
    for (const row of rows) {
      objects.push(
        JSON.stringify(
          Object.fromEntries(names.map((name, at) => [name, row[at]]))
        )
      );
    }
  }
  return `[\n${objects.join(',\n')}\n]\n`;
}

function unique(names: string[]): string[] {
  const used = new Set<string>();
  return names.map(name => {
    let free = name;
    for (let number = 2; used.has(free); number += 1) {
      free = `${name}_${number}`;
    }
    used.add(free);
    return free;
  });
}
