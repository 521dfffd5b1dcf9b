import { nullTranslator } from '@jupyterlab/translation';

import { canPick, conditionText, operatorsOf } from '../../src/grid/conditions';

const trans = nullTranslator.load('flowcat_jupyter');
const columns = [{ name: 'carrier', type: 'string' }];
const text = (part: object) =>
  conditionText({ column: 0, op: '=', ...part }, columns, trans);

describe('a condition', () => {
  it('fits the type of its column', () => {
    expect(operatorsOf('string')[0]).toBe('contains');
    expect(operatorsOf('double')).toContain('is_nan');
    expect(operatorsOf('int')).not.toContain('is_nan');
    expect(operatorsOf('array<int>')).toEqual(['not_null', 'is_null']);
    expect(canPick('map<string,int>')).toBe(false);
  });

  it('is said in one line', () => {
    expect(text({ value: 'UA' })).toBe('carrier = UA');
    expect(text({ op: '>=', value: '' })).toBe('carrier ≥ “”');
    expect(text({ op: 'is_null' })).toBe('carrier is NULL');
    expect(text({ op: 'in', values: ['UA', null, ' x', 'y', 'z'] })).toBe(
      'carrier is one of UA, NULL, “ x” and 2 more'
    );
  });
});
