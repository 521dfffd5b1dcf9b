import { damageOf } from '../../src/notebook/damage';

const model = (flowcat: unknown) => ({ getMetadata: () => flowcat });

describe('damage', () => {
  it('is what the server found', () => {
    const damaged = { reason: 'Torn.', hint: 'Repair it.', line: 3 };
    expect(damageOf(model({ damaged }))).toEqual(damaged);
  });

  it.each([undefined, null, 'x', {}, { damaged: null }, { damaged: {} }])(
    'is none in %j',
    flowcat => {
      expect(damageOf(model(flowcat))).toBeNull();
    }
  );

  it('is none without a notebook', () => {
    expect(damageOf(null)).toBeNull();
  });
});
