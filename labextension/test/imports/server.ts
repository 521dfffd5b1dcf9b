import type {
  ImportPreview,
  ImportPreviewRequest,
  ImportRequest,
  Node,
  RunReply,
  TableReply
} from '../../src/api/types';
import { ImportModel } from '../../src/imports/model';
import { Held, node, run, settle, table } from '../helpers';

/** A server that looks at files and runs imports as the test says. */
export class FakeServer {
  readonly looked: ImportPreviewRequest[] = [];
  readonly started: ImportRequest[] = [];
  readonly forgotten: unknown[] = [];
  readonly parts: number[] = [];
  readonly dropped: string[] = [];
  failing: Error | null = null;
  ended: RunReply = run(1, { state: 'succeeded' });
  /** What a preview answers beside a column and a row. */
  seen: Partial<ImportPreview> = {};
  /** Keeps a preview back. */
  readonly previews = new Held();
  /** Keeps back what a table is. */
  readonly facts = new Held();
  /** The names of tables that are there. */
  tables: string[] = [];

  tree = async (parent: number | null) => {
    const items: Node[] =
      parent === null
        ? [node(1, 'catalog', ['main'])]
        : parent === 1
          ? [node(2, 'schema', ['main', 'default'])]
          : this.tables.map((name, at) =>
              node(10 + at, 'table', ['main', 'default', name])
            );
    return { items, total: items.length, after: null };
  };
  table = async (id: number): Promise<TableReply> => {
    await this.facts.wait();
    return table(id);
  };
  importPreview = async (
    request: ImportPreviewRequest
  ): Promise<ImportPreview> => {
    this.looked.push(request);
    await this.previews.wait();
    if (this.failing) {
      throw this.failing;
    }
    return {
      format: 'csv',
      options: { delimiter: ',', bad_rows: 'stop', ...request.options },
      columns: [
        { name: 'a', type: 'int', reason: 'whole numbers', examples: ['1'] }
      ],
      rows: [[1]],
      rows_read: 1,
      warnings: [],
      notes: [],
      files: [],
      rejected: 0,
      rejects: [],
      detected: [],
      choices: {},
      drift: null,
      remembered: false,
      ...this.seen
    };
  };
  startImport = async (request: ImportRequest) => {
    this.started.push(request);
    return run(1);
  };
  forgetImport = async (source: unknown) => {
    this.forgotten.push(source);
    return { forgotten: 1 };
  };
  run = async () => this.ended;
  upload = async (name: string) => ({ upload_id: name, received: 0 });
  uploadChunk = async (_: string, offset: number, body: Blob) => {
    if (this.failing) {
      throw this.failing;
    }
    this.parts.push(body.size);
    return { upload_id: 'u', received: offset + body.size };
  };
  dropUpload = async (id: string) => void this.dropped.push(id);
  follow = async () => this.ended;
  cancel = async () => undefined;
}

/** An import page's model that has looked at a file. */
export async function begun(server = new FakeServer(), args = {}) {
  const defaults = { catalog: 'main', schema: 'default' };
  const model = new ImportModel(server, server, defaults, 0);
  await model.begin({ path: 'data/Flights 2013.csv.gz', ...args });
  await rest();
  return { server, model };
}

/** Lets what waits for the end of typing happen, too. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(resolve => setTimeout(resolve, 1));
    await settle();
  }
}
