import type { CodeEditor } from '@jupyterlab/codeeditor';
import { Widget } from '@lumino/widgets';

import type { CompleteReply, CompleteRequest } from '../../src/api/types';
import {
  type ISqlCompletionsOptions,
  SqlCompletions
} from '../../src/sql/complete';

const icon = {} as ReturnType<ISqlCompletionsOptions['icon']>;

function make(start: number, answer: CompleteReply) {
  const sent: CompleteRequest[] = [];
  const completions = new SqlCompletions({
    client: {
      complete: async request => {
        sent.push(request);
        return answer;
      }
    },
    part: () => ({ start, names: { catalog: 'c', schema: 's' } }),
    icon: () => icon
  });
  return { sent, completions };
}

const CARRIER: CompleteReply = {
  start: 7,
  end: 9,
  items: [
    {
      label: 'a b',
      insert: '`a b`',
      kind: 'column',
      detail: 'string · flights'
    }
  ]
};

describe('proposals', () => {
  it('are inserted as the server quotes them', async () => {
    const { completions, sent } = make(0, CARRIER);
    const reply = await completions.fetch({ text: 'SELECT ca', offset: 9 });
    expect(sent[0]).toEqual({
      text: 'SELECT ca',
      position: 9,
      catalog: 'c',
      schema: 's'
    });
    expect(reply).toMatchObject({ start: 7, end: 9 });
    expect(reply.items[0]).toMatchObject({
      label: 'a b',
      insertText: '`a b`',
      type: 'string\u00a0·\u00a0flights'
    });
  });

  it('are for the SQL below the magic’s line', async () => {
    const magic = '%%catalog_sql\n';
    const { completions, sent } = make(magic.length, CARRIER);
    const text = `${magic}SELECT ca`;
    const reply = await completions.fetch({ text, offset: text.length });
    expect(sent[0]).toMatchObject({ text: 'SELECT ca', position: 9 });
    expect(reply.start).toBe(magic.length + 7);
  });

  it('are none in the magic’s line', async () => {
    const { completions, sent } = make(14, CARRIER);
    const reply = await completions.fetch({
      text: '%%catalog_sql\n',
      offset: 5
    });
    expect(sent).toEqual([]);
    expect(reply.items).toEqual([]);
  });

  it('asked for before a run do not come after it', async () => {
    const { completions } = make(0, CARRIER);
    const late = completions.fetch({ text: 'SELECT ca', offset: 9 });
    completions.forget();
    expect((await late).items).toEqual([]);
    const next = await completions.fetch({ text: 'SELECT ca', offset: 9 });
    expect(next.items).toHaveLength(1);
  });

  it('come to nobody who has left the editor', async () => {
    const { completions } = make(0, CARRIER);
    const editor = { hasFocus: () => false } as CodeEditor.IEditor;
    const reply = await completions.fetch(
      { text: 'SELECT ca', offset: 9 },
      { editor, widget: new Widget() }
    );
    expect(reply.items).toEqual([]);
  });

  it('stand where editors count, past characters of two units', async () => {
    const text = "SELECT '😀', ca";
    const { completions, sent } = make(0, { ...CARRIER, start: 13, end: 15 });
    const characters = Array.from(text).length;
    const reply = await completions.fetch({ text, offset: characters });
    expect(sent[0].position).toBe(text.length);
    expect(reply).toMatchObject({ start: 12, end: 14 });
  });
});
