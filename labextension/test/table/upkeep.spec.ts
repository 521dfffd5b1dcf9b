import type { UpkeepReply } from '../../src/api/types';
import { refusalOf, Upkeep } from '../../src/table/upkeep';
import { settle, table } from '../helpers';

function reply(rest: Partial<UpkeepReply> = {}): UpkeepReply {
  return {
    action: 'vacuum',
    changed: false,
    dry_run: false,
    note: null,
    version_before: 3,
    version: 3,
    files_removed: 0,
    files_added: 0,
    bytes_freed: 0,
    table: table(4),
    ...rest
  };
}

class FakeTable {
  readonly id = 4;
  readonly table = table(4);
  loads = 0;
  load = async () => {
    this.loads += 1;
  };
}

class FakeClient {
  asked: string[] = [];
  failure: Error | null = null;
  held: Promise<void> = Promise.resolve();

  restoreTable = (_: number, version: number) =>
    this.answer(
      `restore ${version}`,
      reply({ action: 'restore', changed: true, version: 4 })
    );
  optimizeTable = () =>
    this.answer('optimize', reply({ action: 'optimize', changed: true }));
  vacuumTable = (_: number, { dry_run }: { dry_run: boolean }) =>
    this.answer(
      dry_run ? 'look' : 'vacuum',
      reply({ dry_run, files_removed: 2, changed: !dry_run })
    );

  private async answer(
    what: string,
    answer: UpkeepReply
  ): Promise<UpkeepReply> {
    this.asked.push(what);
    await this.held;
    if (this.failure) {
      throw this.failure;
    }
    return answer;
  }
}

function open() {
  const model = new FakeTable();
  const client = new FakeClient();
  return { model, client, upkeep: new Upkeep(model, client) };
}

describe('the care for a table', () => {
  it('tells what a vacuum would remove before it removes anything', async () => {
    const { model, client, upkeep } = open();
    await upkeep.look();
    expect(upkeep.would?.files_removed).toBe(2);
    expect([client.asked, model.loads]).toEqual([['look'], 0]);
    await upkeep.vacuum();
    expect([upkeep.would, upkeep.done?.files_removed]).toEqual([null, 2]);
    expect(model.loads).toBe(1);
  });

  it('does one thing at a time', async () => {
    const { client, upkeep } = open();
    let go = (): void => undefined;
    client.held = new Promise(resolve => {
      go = resolve;
    });
    void upkeep.optimize();
    expect(upkeep.task).toBe('optimize');
    await upkeep.look();
    expect(client.asked).toEqual(['optimize']);
    go();
    await settle();
    expect([upkeep.task, upkeep.done?.action]).toEqual([null, 'optimize']);
  });

  it('says why something failed, until the next thing is done', async () => {
    const { client, upkeep } = open();
    client.failure = new Error('The table uses deletion vectors.');
    await upkeep.look();
    expect([upkeep.error, upkeep.would]).toEqual([
      'The table uses deletion vectors.',
      null
    ]);
    client.failure = null;
    await upkeep.look();
    expect(upkeep.error).toBeNull();
  });

  it('is given up without an error', async () => {
    const { client, upkeep } = open();
    client.held = new Promise(() => undefined);
    client.optimizeTable = () =>
      new Promise((_, reject) => {
        setTimeout(() => reject(new Error('aborted')), 0);
      });
    const done = upkeep.optimize();
    upkeep.cancel();
    await done;
    expect([upkeep.task, upkeep.error, upkeep.done]).toEqual([
      null,
      null,
      null
    ]);
  });

  it('restores a version and loads the table anew', async () => {
    const { model, client, upkeep } = open();
    const done = await upkeep.restore(1);
    expect([done?.version, client.asked, model.loads]).toEqual([
      4,
      ['restore 1'],
      1
    ]);
  });
});

describe('who looks after a table', () => {
  it.each([
    [table(4), null],
    [table(4, { access: 'manage' }), null],
    [table(4, { format: 'iceberg' }), null],
    [table(4, { access: 'use' }), 'access'],
    [table(4, { format: 'parquet' }), 'format'],
    [null, 'format']
  ] as const)('is told by rights and format', (known, refusal) => {
    expect(refusalOf(known)).toBe(refusal);
  });
});
