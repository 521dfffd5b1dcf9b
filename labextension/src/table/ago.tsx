import * as React from 'react';

import { useClock } from '../parts/ticking';

import { ago } from './words';

/** How long ago something was, kept up as time goes by. */
export function Ago({ at }: { at: string }): JSX.Element {
  useClock();
  return <>{ago(at)}</>;
}
