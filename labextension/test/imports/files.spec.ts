import { ImportFiles } from '../../src/imports/files';
import { commonName, IMPORTABLE, tableName } from '../../src/imports/names';
import { sendFile } from '../../src/imports/upload';
import { settle } from '../helpers';

import { FakeServer } from './server';

const file = (name: string) => new File(['0123456789'], name);

describe('the files of an import', () => {
  it('are sent one after the other, and are one choice', async () => {
    const files = new ImportFiles(new FakeServer());
    let chosen = 0;
    files.chosen.connect(() => (chosen += 1));
    await files.send([file('a.csv'), file('b.csv')]);
    expect(files.request).toEqual({ upload_ids: ['a.csv', 'b.csv'] });
    expect(chosen).toBe(1);
  });

  it('are all of one place', async () => {
    const server = new FakeServer();
    const files = new ImportFiles(server);
    await files.send([file('a.csv')]);
    files.addPaths(['in', ' ', 'in/*.csv', 'in']);
    expect(files.request).toEqual({ paths: ['in', 'in/*.csv'] });
    expect(server.dropped).toEqual(['a.csv']);
  });

  it('leave nothing behind when one of them cannot be sent', async () => {
    const server = new FakeServer();
    const { uploadChunk } = server;
    server.uploadChunk = (id, offset, body) => {
      server.failing = id === 'b.csv' ? new Error('The disk is full.') : null;
      return uploadChunk(id, offset, body);
    };
    const files = new ImportFiles(server);
    await files.send([file('a.csv'), file('b.csv')]);
    await settle();
    expect(files.empty).toBe(true);
    expect(server.dropped).toEqual(['b.csv', 'a.csv']);
    expect(files.error).toBe('The disk is full.');
  });

  it('can be let go one by one', () => {
    const files = new ImportFiles(new FakeServer());
    files.addPaths(['a.csv', 'b.csv']);
    files.remove('a.csv', 0);
    expect(files.names).toEqual(['b.csv']);
  });
});

describe('sending a file', () => {
  it('goes in parts, in order', async () => {
    const server = new FakeServer();
    const sent: number[] = [];
    const abort = new AbortController();
    const progress = (bytes: number) => sent.push(bytes);
    const id = await sendFile(server, file('a.csv'), progress, abort.signal, 4);
    expect(id).toBe('a.csv');
    expect(server.parts).toEqual([4, 4, 2]);
    expect(sent).toEqual([4, 8, 10]);
  });

  it('leaves nothing behind when it fails', async () => {
    const server = new FakeServer();
    server.failing = new Error('The disk is full.');
    const { signal } = new AbortController();
    await expect(
      sendFile(server, file('a.csv'), () => undefined, signal, 4)
    ).rejects.toThrow('The disk is full.');
    await settle();
    expect(server.dropped).toEqual(['a.csv']);
  });
});

describe('names of files', () => {
  it.each([
    ['a/b/Flights 2013.csv.gz', 'flights_2013'],
    ['.csv', 'table'],
    ['Größe.parquet', 'größe'],
    ['x.tar', 'x_tar'],
    ['book.xlsx', 'book'],
    ['data.csv.zst', 'data']
  ])('%s becomes %s', (path, name) => {
    expect(tableName(path)).toBe(name);
  });

  it.each([
    [['in/sales_2024-05.csv', 'in/sales_2024-06.csv'], 'sales'],
    [['in/*.csv'], 'in'],
    [['in/**/*.csv'], 'in'],
    [['a.csv', 'b.csv'], 'a'],
    [['*.csv'], 'table'],
    [['in/a.csv', 'in/b.csv'], 'in'],
    [['sales/'], 'sales']
  ])('%s become %s', (paths, name) => {
    expect(commonName(paths)).toBe(name);
  });

  it.each([
    'a.csv',
    'a.TSV',
    'a.ndjson',
    'a.json.gz',
    'a.parquet',
    'a.zip',
    'a.feather',
    'a.avro',
    'a.xlsx',
    'a.csv.zst'
  ])('%s can be imported', path => {
    expect(IMPORTABLE.test(path)).toBe(true);
  });

  it.each(['a.ipynb', 'a.py', 'csv', 'a.notebook.yaml'])('%s cannot', path => {
    expect(IMPORTABLE.test(path)).toBe(false);
  });
});
