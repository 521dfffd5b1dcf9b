import { LabIcon } from '@jupyterlab/ui-components';

import type { Completion } from './api/types';

/** A 16 by 16 drawing in the colour of the theme's icons. */
function icon(name: string, inner: string): LabIcon {
  return new LabIcon({
    name: `flowcat:${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">${inner}</svg>`
  });
}

/** Lines in the theme's colour. */
function lines(name: string, path: string): LabIcon {
  return icon(
    name,
    `<path class="jp-icon3 jp-icon-selectable" style="fill:none" stroke="#616161" stroke-width="1.2" stroke-linecap="round" stroke-linejoin="round" d="${path}"/>`
  );
}

/** Areas in the theme's colour. */
function solid(name: string, path: string): LabIcon {
  return icon(
    name,
    `<path class="jp-icon3 jp-icon-selectable" fill="#616161" d="${path}"/>`
  );
}

const CYLINDER =
  'M2.5 3.5c0-1.1 2.5-2 5.5-2s5.5.9 5.5 2v9c0 1.1-2.5 2-5.5 2s-5.5-.9-5.5-2z';

/** The extension's sign: a cylinder with three layers. */
export const catalogIcon = solid(
  'catalog',
  'M8 1c3.3 0 6 1 6 2.3S11.3 5.6 8 5.6 2 4.6 2 3.3 4.7 1 8 1zM2 5.2c1.1.9 3.4 1.5 6 1.5s4.9-.6 6-1.5v2.9c0 1.2-2.7 2.2-6 2.2s-6-1-6-2.2zm0 4.7c1.1.9 3.4 1.5 6 1.5s4.9-.6 6-1.5v2.9C14 14 11.3 15 8 15s-6-1-6-2.2z'
);

/** A catalog in the tree. */
export const databaseIcon = icon(
  'database',
  `<g class="jp-icon3 jp-icon-selectable" style="fill:none" stroke="#616161" stroke-width="1.2"><path d="${CYLINDER}"/></g><g class="jp-icon3 jp-icon-selectable" style="fill:none" stroke="#616161" stroke-width="1.2"><path d="M2.5 3.5c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2"/></g>`
);

export const schemaIcon = lines(
  'schema',
  'M2 4.5h4.6l1.4 1.6h6v7.4H2zM2 4.5V3h4M4.8 9h6.4M4.8 11.3h6.4'
);

export const tableIcon = lines(
  'table',
  'M2 2.5h12v11H2zM2 6h12M2 9.8h12M6.2 6v7.5'
);

export const viewIcon = lines('view', 'M8 1.8 14.2 8 8 14.2 1.8 8zM5.6 8h4.8');

export const warningIcon = lines(
  'warning',
  'M8 2 14.5 13.5h-13zM8 6.5v3.3M8 11.6v.1'
);

/** A file on its way in. */
export const importIcon = lines(
  'import',
  'M8 2v7.5M4.8 6.5 8 9.7l3.2-3.2M2.5 10v3.5h11V10'
);

export const numberIcon = lines(
  'number',
  'M6.4 2.8 5 13.2M11 2.8 9.6 13.2M3 6h10.6M2.4 10H13'
);

export const textIcon = lines(
  'text',
  'M3.5 4.8V3.2h9v1.6M8 3.2v9.6M6.2 12.8h3.6'
);

export const timeIcon = lines('time', 'M8 2a6 6 0 1 0 .01 0zM8 4.8V8l2.2 1.6');

export const dateIcon = lines(
  'date',
  'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.2 2v2.6M10.8 2v2.6'
);

export const booleanIcon = lines(
  'boolean',
  'M3 3h10v10H3zM5.4 8.2l1.9 1.9 3.4-4'
);

export const nestedIcon = lines(
  'nested',
  'M6 2.5C4 2.5 4.6 4 4.6 5.8S3.8 8 2.8 8c1 0 1.8.4 1.8 2.2S4 13.5 6 13.5M10 2.5c2 0 1.4 1.5 1.4 3.3S12.2 8 13.2 8c-1 0-1.8.4-1.8 2.2s.6 3.3-1.4 3.3'
);

export const binaryIcon = lines(
  'binary',
  'M3.6 3h2.6v4H3.6zM10.4 3h1.4v4M9.8 7h3.2M3.6 9.4H5v4M3 13.4h3.2M9.8 9.4h2.6v4H9.8z'
);

/** A SQL editor: a prompt and a line. */
export const queryIcon = lines(
  'query',
  'M2 2.5h12v11H2zM4.6 5.6 7 7.8l-2.4 2.2M8.4 10.4h3'
);

export const functionIcon = lines(
  'function',
  'M10.6 2.6c-1.8-.6-2.6.6-2.9 2.2L6.4 11.4c-.3 1.6-1.2 2.6-2.9 2M5.2 6.6h4.6'
);

export const keywordIcon = lines('keyword', 'M3 4.5h10M3 8h6M3 11.5h8');

/** The icon of a column by its Spark DDL type. */
export function typeIcon(type: string): LabIcon {
  const kind = /^[a-z_]*/i.exec(type)?.[0].toLowerCase() ?? '';
  switch (kind) {
    case 'string':
    case 'char':
    case 'varchar':
      return textIcon;
    case 'timestamp':
    case 'timestamp_ntz':
      return timeIcon;
    case 'date':
      return dateIcon;
    case 'boolean':
      return booleanIcon;
    case 'binary':
      return binaryIcon;
    case 'array':
    case 'map':
    case 'struct':
    case 'variant':
      return nestedIcon;
    default:
      return numberIcon;
  }
}

/** The picture of a proposal; a column's detail begins with its type. */
export function completionIcon({ kind, detail }: Completion): LabIcon {
  switch (kind) {
    case 'column':
      return typeIcon(detail ?? '');
    case 'table':
      return tableIcon;
    case 'schema':
      return schemaIcon;
    case 'catalog':
      return databaseIcon;
    case 'function':
      return functionIcon;
    default:
      return keywordIcon;
  }
}
