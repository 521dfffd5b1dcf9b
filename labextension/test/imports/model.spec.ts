import type {
  ImportPreview,
  ImportPreviewRequest,
  ImportRequest,
  RunReply
} from '../../src/api/types';
import { ImportModel } from '../../src/imports/model';
import { IMPORTABLE, tableName } from '../../src/imports/names';
import { sendFile } from '../../src/imports/upload';
import { node, run, settle } from '../helpers';

/** A server that looks at files and runs imports as the test says. */
class FakeServer {
  readonly looked: ImportPreviewRequest[] = [];
  readonly started: ImportRequest[] = [];
  readonly parts: number[] = [];
  readonly dropped: string[] = [];
  failing: Error | null = null;
  ended: RunReply = run(1, { state: 'succeeded' });

  tree = async (parent: number | null) => ({
    items:
      parent === null
        ? [node(1, 'catalog', ['main'])]
        : [node(2, 'schema', ['main', 'default'])],
    total: 1,
    after: null
  });
  importPreview = async (
    request: ImportPreviewRequest
  ): Promise<ImportPreview> => {
    this.looked.push(request);
    if (this.failing) {
      throw this.failing;
    }
    return {
      format: 'csv',
      options: { delimiter: ',' },
      columns: [
        { name: 'a', type: 'int', reason: 'whole numbers', examples: ['1'] }
      ],
      rows: [[1]],
      rows_read: 1,
      warnings: []
    };
  };
  startImport = async (request: ImportRequest) => {
    this.started.push(request);
    return run(1);
  };
  upload = async () => ({ upload_id: 'u', received: 0 });
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

async function begun() {
  const server = new FakeServer();
  const defaults = { catalog: 'main', schema: 'default' };
  const model = new ImportModel(server, server, defaults);
  await model.begin({ path: 'data/Flights 2013.csv.gz' });
  return { server, model };
}

describe('an import', () => {
  it('looks at the file and proposes a name', async () => {
    const { model } = await begun();
    expect(model.preview?.columns[0].type).toBe('int');
    expect(model.destination).toEqual({
      catalog: 'main',
      schema: 'default',
      name: 'flights_2013'
    });
    expect(model.ready).toBe(true);
  });

  it('looks again when an option or a type is changed, and takes both along', async () => {
    const { model, server } = await begun();
    await model.setOption('delimiter', ';');
    await model.setType('a', 'string');
    await model.setOption('delimiter', null);
    await model.start();
    expect(server.looked.map(({ options }) => options)).toEqual([
      {},
      { delimiter: ';' },
      { delimiter: ';' },
      {}
    ]);
    expect(server.started[0]).toMatchObject({
      path: 'data/Flights 2013.csv.gz',
      table: '`main`.`default`.`flights_2013`',
      types: { a: 'string' },
      mode: 'error'
    });
  });

  it('keeps the last preview when a change makes the file unreadable', async () => {
    const { model, server } = await begun();
    server.failing = new Error('The file is not UTF-16.');
    await model.setOption('encoding', 'utf-16');
    expect(model.error).toBe('The file is not UTF-16.');
    expect(model.preview).not.toBeNull();
  });

  it('cannot start without a name', async () => {
    const { model, server } = await begun();
    model.setDestination({ name: '  ' });
    expect(model.ready).toBe(false);
    await model.start();
    expect(server.started).toEqual([]);
  });

  it('goes on after its page is closed', async () => {
    const { model, server } = await begun();
    const started = model.start();
    model.dispose();
    await started;
    expect(server.started).toHaveLength(1);
    expect(model.run?.state).toBe('succeeded');
  });
});

describe('sending a file', () => {
  const file = new File(['0123456789'], 'a.csv');

  it('goes in parts, in order', async () => {
    const server = new FakeServer();
    const sent: number[] = [];
    const abort = new AbortController();
    const progress = (bytes: number) => sent.push(bytes);
    const id = await sendFile(server, file, progress, abort.signal, 4);
    expect(id).toBe('u');
    expect(server.parts).toEqual([4, 4, 2]);
    expect(sent).toEqual([4, 8, 10]);
  });

  it('leaves nothing behind when it fails', async () => {
    const server = new FakeServer();
    server.failing = new Error('The disk is full.');
    const { signal } = new AbortController();
    await expect(
      sendFile(server, file, () => undefined, signal, 4)
    ).rejects.toThrow('The disk is full.');
    await settle();
    expect(server.dropped).toEqual(['u']);
  });
});

describe('names of files', () => {
  it.each([
    ['a/b/Flights 2013.csv.gz', 'flights_2013'],
    ['.csv', 'table'],
    ['Größe.parquet', 'größe'],
    ['x.tar', 'x_tar']
  ])('%s becomes %s', (file, name) => {
    expect(tableName(file)).toBe(name);
  });

  it.each(['a.csv', 'a.TSV', 'a.ndjson', 'a.json.gz', 'a.parquet', 'a.zip'])(
    '%s can be imported',
    file => {
      expect(IMPORTABLE.test(file)).toBe(true);
    }
  );

  it.each(['a.ipynb', 'a.py', 'csv', 'a.notebook.yaml'])('%s cannot', file => {
    expect(IMPORTABLE.test(file)).toBe(false);
  });
});
