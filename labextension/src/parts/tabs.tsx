import * as React from 'react';

/** The tabs of a page, and which is shown. */
export interface ITabsProps<T extends string> {
  /** What they are the tabs of, for those who hear it. */
  label: string;
  /** `note` is said less loudly. */
  tabs: readonly { name: T; label: string; note?: string }[];
  shown: T;
  onShow(name: T): void;
}

/** A row of tabs; the arrow keys go from one to the next, and the one shown is within sight. */
export function Tabs<T extends string>(props: ITabsProps<T>): JSX.Element {
  const { label, tabs, shown, onShow } = props;
  const move = (step: number) => {
    const at = tabs.findIndex(({ name }) => name === shown);
    onShow(tabs[(at + step + tabs.length) % tabs.length].name);
  };
  const list = React.useRef<HTMLDivElement>(null);
  const note = tabs.find(({ name }) => name === shown)?.note;
  React.useLayoutEffect(
    () => uncover(list.current),
    [shown, note, tabs.length]
  );
  return (
    <div
      ref={list}
      className="fc-Page-tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={event => {
        if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
          move(event.key === 'ArrowRight' ? 1 : -1);
          event.preventDefault();
        }
      }}
    >
      {tabs.map(tab => (
        <button
          key={tab.name}
          role="tab"
          aria-selected={tab.name === shown}
          tabIndex={tab.name === shown ? 0 : -1}
          ref={node => {
            const list = node?.parentElement;
            if (tab.name === shown && list?.contains(document.activeElement)) {
              node?.focus();
            }
          }}
          onClick={() => onShow(tab.name)}
        >
          {tab.label}
          {tab.note && <span className="fc-Quiet"> {tab.note}</span>}
        </button>
      ))}
    </div>
  );
}

/** Scrolls the row, and nothing else, until the tab shown is in it. */
function uncover(list: HTMLElement | null): void {
  const tab = list?.querySelector<HTMLElement>('[aria-selected="true"]');
  const frame = list?.parentElement;
  if (!tab || !frame) {
    return;
  }
  const { left, right } = tab.getBoundingClientRect();
  const seen = frame.getBoundingClientRect();
  if (left < seen.left) {
    frame.scrollLeft -= seen.left - left;
  } else if (right > seen.right) {
    frame.scrollLeft += right - seen.right;
  }
}
