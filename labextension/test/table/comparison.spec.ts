import { Signal } from '@lumino/signaling';

import type { DiffReply, HistoryEntry } from '../../src/api/types';
import { Comparison, type IVersioned } from '../../src/table/comparison';
import { NOW, settle, table } from '../helpers';

function entry(version: number): HistoryEntry {
  return {
    version,
    timestamp: NOW,
    operation: 'WRITE',
    mode: 'append',
    user: 'local',
    rows_added: 1,
    rows_removed: null,
    maintenance: false,
    run_id: null
  };
}

function diff(from: number, to: number): DiffReply {
  return {
    before: { version: from, row_count: 1, files: 1 },
    after: { version: to, row_count: 2, files: 2 },
    columns: [],
    settings: [],
    compared: [],
    left_out: [],
    added: 1,
    removed: 0,
    sample: []
  };
}

/** A table of three versions. */
class FakeTable {
  readonly id = 4;
  readonly version = null;
  readonly table = table(4);
  history: HistoryEntry[] = [entry(3), entry(2), entry(0)];
  readonly changed = new Signal<this, void>(this);
}

class FakeClient {
  asked: [number, number][] = [];
  signals: AbortSignal[] = [];
  answers: ((failure?: Error) => void)[] = [];

  tableDiff = (
    _: number,
    { from, to }: { from: number; to: number },
    signal?: AbortSignal
  ): Promise<DiffReply> => {
    this.asked.push([from, to]);
    if (signal) {
      this.signals.push(signal);
    }
    return new Promise((resolve, reject) => {
      this.answers.push(failure =>
        failure ? reject(failure) : resolve(diff(from, to))
      );
    });
  };
}

function open() {
  const versions = new FakeTable();
  const client = new FakeClient();
  const comparison = new Comparison(versions as unknown as IVersioned, client);
  return { versions, client, comparison };
}

describe('a comparison of two versions', () => {
  it('takes the version before the one that is chosen', () => {
    const { client, comparison } = open();
    void comparison.compareWithPrevious(2);
    expect(client.asked).toEqual([[0, 2]]);
    expect([comparison.purpose, comparison.state]).toEqual([
      'compare',
      'loading'
    ]);
  });

  it('holds the oldest version against the newest', () => {
    const { client, comparison } = open();
    void comparison.compareWithPrevious(0);
    expect(client.asked).toEqual([[0, 3]]);
  });

  it('tells what differs, and the other way round', async () => {
    const { client, comparison } = open();
    void comparison.compare(2, 3);
    client.answers[0]();
    await settle();
    expect(comparison.diff?.added).toBe(1);
    void comparison.swap();
    expect(client.asked[1]).toEqual([3, 2]);
    expect(comparison.diff).toBeNull();
  });

  it('shows the versions asked for last, whatever answers first', async () => {
    const { client, comparison } = open();
    void comparison.compare(0, 3);
    void comparison.compare(2, 3);
    expect(client.signals[0].aborted).toBe(true);
    client.answers[1]();
    client.answers[0]();
    await settle();
    expect(comparison.diff?.before.version).toBe(2);
  });

  it('says why it failed, and tries again', async () => {
    const { client, comparison } = open();
    void comparison.compare(0, 3);
    client.answers[0](new Error('The files were removed.'));
    await settle();
    expect([comparison.state, comparison.error]).toEqual([
      'failed',
      'The files were removed.'
    ]);
    void comparison.again();
    expect(client.asked[1]).toEqual([0, 3]);
    expect(comparison.error).toBeNull();
  });

  it('is given up without an error', async () => {
    const { client, comparison } = open();
    void comparison.compare(0, 3);
    comparison.cancel();
    client.answers[0](new Error('aborted'));
    await settle();
    expect([comparison.state, comparison.error]).toEqual(['cancelled', null]);
    expect(client.signals[0].aborted).toBe(true);
  });

  it('previews a restore against the newest version, also when it moves on', async () => {
    const { versions, client, comparison } = open();
    void comparison.previewRestore(0);
    client.answers[0]();
    await settle();
    versions.changed.emit();
    expect(client.asked).toEqual([[3, 0]]);
    versions.history = [entry(4), ...versions.history];
    versions.changed.emit();
    expect(client.asked[1]).toEqual([4, 0]);
  });

  it('is closed, and what comes then is not shown', async () => {
    const { client, comparison } = open();
    void comparison.compare(0, 3);
    comparison.close();
    client.answers[0]();
    await settle();
    expect([comparison.purpose, comparison.diff]).toEqual([null, null]);
  });
});
