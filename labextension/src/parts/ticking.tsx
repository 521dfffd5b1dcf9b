import * as React from 'react';

import { Clock } from './clock';

const clock = new Clock(document);
const listen = (listener: () => void) => clock.listen(listener);

/** Draws a component anew as time goes by. */
export function useClock(): void {
  React.useSyncExternalStore(listen, () => clock.ticks);
}
