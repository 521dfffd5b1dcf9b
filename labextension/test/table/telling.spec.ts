import { nullTranslator } from '@jupyterlab/translation';

import type { DiffReply, UpkeepReply } from '../../src/api/types';
import {
  columnText,
  doneText,
  keptText,
  nothingDiffers,
  restoreText,
  rowsText,
  settingText,
  wouldText
} from '../../src/table/telling';
import { column, table } from '../helpers';

const trans = nullTranslator.load('flowcat');

function diff(rest: Partial<DiffReply> = {}): DiffReply {
  return {
    before: { version: 1, row_count: 1200, files: 1 },
    after: { version: 2, row_count: 1300, files: 2 },
    columns: [],
    settings: [],
    compared: [column('a')],
    left_out: [],
    added: 150,
    removed: 50,
    sample: [],
    ...rest
  };
}

function upkeep(rest: Partial<UpkeepReply>): UpkeepReply {
  return {
    action: 'vacuum',
    changed: true,
    dry_run: false,
    note: null,
    version_before: 1,
    version: 2,
    files_removed: 0,
    files_added: 0,
    bytes_freed: 0,
    table: table(4),
    ...rest
  };
}

describe('what differs, in words', () => {
  it('counts rows', () => {
    expect(rowsText(diff(), trans)).toBe('Rows: 1,200 → 1,300 (+150 −50)');
    expect(rowsText(diff({ added: 0, removed: 0 }), trans)).toBe(
      'Rows: 1,200 → 1,300, the same ones'
    );
    expect(rowsText(diff({ added: null, removed: null }), trans)).toBe(
      'Rows: 1,200 → 1,300'
    );
  });

  it('knows when there is nothing', () => {
    expect(nothingDiffers(diff({ added: 0, removed: 0 }))).toBe(true);
    expect(nothingDiffers(diff())).toBe(false);
    const settings = [{ name: 'p', before: null, after: '1' }];
    expect(nothingDiffers(diff({ added: 0, removed: 0, settings }))).toBe(
      false
    );
  });

  it.each([
    [null, column('a'), 'a (int) is new'],
    [column('a'), null, 'a (int) is gone'],
    [column('a'), column('a', 'bigint'), 'a: int → bigint'],
    [
      column('a'),
      { ...column('A'), nullable: false, comment: 'key' },
      'A: was called a, may not be NULL any more, comment: key'
    ]
  ])('tells what became of a column', (before, after, text) => {
    expect(columnText({ before, after }, trans)).toBe(text);
  });

  it('calls a rule by its name', () => {
    const name = 'delta.constraints.positive';
    const change = { name, before: null, after: 'a > 0' };
    expect(settingText(change, trans)).toBe('Check positive: not set → a > 0');
    expect(settingText({ ...change, name: 'p' }, trans)).toBe(
      'p: not set → a > 0'
    );
  });

  it('tells what a restore takes and brings', () => {
    expect(restoreText(diff({ removed: 1 }), trans)).toContain(
      '1 row goes and 150 come back.'
    );
    expect(restoreText(null, trans)).toContain('stay in the history');
  });
});

describe('what was done, in words', () => {
  it.each([
    [
      { action: 'optimize', files_removed: 3, files_added: 1 },
      '3 files became 1.'
    ],
    [
      { action: 'optimize', changed: false },
      'There was nothing to put together.'
    ],
    [
      { files_removed: 2, bytes_freed: 1500 },
      '2 files are removed, 1.5 KB are free.'
    ],
    [{ files_removed: 0 }, 'There was nothing to remove.'],
    [
      { action: 'restore', changed: false },
      'That version is the newest already.'
    ]
  ] as const)('is a sentence', (done, text) => {
    expect(doneText(upkeep(done), trans)).toBe(text);
  });

  it('is a sentence for what would go, too', () => {
    const would = upkeep({ files_removed: 1, bytes_freed: 999 });
    expect(wouldText(would, trans)).toBe('1 file would go, which frees 999 B.');
    expect(wouldText(upkeep({}), trans)).toContain('Nothing would go');
  });

  it.each([
    [undefined, '7 days'],
    ['interval 30 days', '30 days'],
    ['interval 1 week', '7 days'],
    ['interval 36 hours', '36 hours'],
    ['whatever', 'whatever']
  ])('says how long old files are kept: %s', (own, text) => {
    const properties: Record<string, string> = own
      ? { 'delta.deletedFileRetentionDuration': own }
      : {};
    expect(keptText(table(4, { properties }), trans)).toBe(text);
  });
});
