import { nullTranslator } from '@jupyterlab/translation';

import { didOf } from '../../src/table/history';

const trans = nullTranslator.load('flowcat');

describe('what a commit did', () => {
  it.each([
    ['create', 'Created'],
    ['append', 'Appended'],
    ['overwrite', 'Overwritten'],
    ['replace', 'Replaced']
  ] as const)('is told by how rows were written: %s', (mode, words) => {
    expect(didOf({ mode, operation: 'WRITE' }, trans)).toBe(words);
  });

  it.each([
    ['MERGE', 'Merged'],
    ['UPDATE', 'Updated'],
    ['DELETE', 'Deleted'],
    ['OPTIMIZE', 'Optimized'],
    ['ADD CONSTRAINT', 'Rules changed'],
    ['CLONE', 'CLONE']
  ])('is else what the log calls it: %s', (operation, words) => {
    expect(didOf({ mode: null, operation }, trans)).toBe(words);
  });
});
