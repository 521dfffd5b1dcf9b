import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

const SECOND_MS = 1000;

/** What is being done, and since when; a way to stop it. */
export interface IWorkingProps {
  text: string;
  /** In milliseconds. */
  since: number;
  trans: TranslationBundle;
  onCancel(): void;
}

/** Says that something goes on; from the first second on for how long, and how to stop it. */
export function Working(props: IWorkingProps): JSX.Element {
  const { text, since, trans, onCancel } = props;
  const seconds = useSeconds(since);
  return (
    <p className="fc-Working">
      <span role="status">{text}</span>
      {seconds > 0 && (
        <>
          <span className="fc-Quiet" aria-hidden="true">
            {trans.__('%1 s', seconds)}
          </span>
          <button className="fc-Link" onClick={onCancel}>
            {trans.__('Cancel')}
          </button>
        </>
      )}
    </p>
  );
}

/** Whole seconds since a moment; draws anew each second. */
function useSeconds(since: number): number {
  const [now, setNow] = React.useState(Date.now());
  React.useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => window.clearInterval(timer);
  }, [since]);
  return Math.max(0, Math.floor((now - since) / SECOND_MS));
}
