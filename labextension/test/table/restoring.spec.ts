import { nullTranslator } from '@jupyterlab/translation';

import { CatalogError } from '../../src/api/errors';
import { whyNot } from '../../src/table/restoring';

const trans = nullTranslator.load('flowcat');

function said(
  code: string,
  condition: string | null,
  hint: string | null = null
): string {
  const reason = new CatalogError(409, {
    ...{ code, condition, hint, message: 'No.' },
    ...{ sqlstate: null, line: null, column: null }
  });
  return whyNot(reason, ['main', 'default', 't'], trans);
}

describe('why a table cannot come back', () => {
  it('says what to do about a name that is taken', () => {
    expect(said('AlreadyExists', 'TABLE_OR_VIEW_ALREADY_EXISTS')).toBe(
      'No. Rename the one that has the name now; then this one can be restored.'
    );
  });

  it('says which schema it needs', () => {
    expect(said('NotFound', 'SCHEMA_NOT_FOUND')).toBe(
      'No. Create the schema main.default first; then the table can be restored.'
    );
    expect(said('NotFound', 'CATALOG_NOT_FOUND')).toContain(
      'Create the catalog main with a schema default first'
    );
  });

  it('leaves advice to the server where it has some', () => {
    expect(said('AlreadyExists', null, 'Wait.')).toBe('No. Wait.');
    expect(said('Forbidden', null)).toBe('No.');
  });
});
