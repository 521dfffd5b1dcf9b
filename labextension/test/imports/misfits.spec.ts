import { textHelps } from '../../src/imports/misfits';
import { FakeServer } from './server';

async function preview(reason: string, why = 'as asked') {
  const server = new FakeServer();
  server.seen = {
    columns: [{ name: 'n', type: 'int', reason: why, examples: ['1'] }],
    rejected: 1,
    rejects: [{ file: 'a.csv', line: 2, reason, text: 'x' }]
  };
  return server.importPreview({ paths: ['a.csv'] });
}

describe('keeping columns as text', () => {
  const misfit = "column n: 'x' is not a value of type int";

  it('helps where a value does not fit the type of its column', async () => {
    expect(textHelps(await preview(misfit))).toBe(true);
  });

  it('does not mend a line with a wrong number of fields', async () => {
    expect(textHelps(await preview('1 field instead of 2'))).toBe(false);
  });

  it('is no way out where the type is the one of the table', async () => {
    const found = await preview(misfit, 'as in the table');
    expect(textHelps(found)).toBe(false);
  });
});
