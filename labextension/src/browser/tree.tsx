import * as React from 'react';

import type { Row } from './items';
import { treeKey } from './keys';
import { type ITreeProps, LINE, Line } from './line';
import type { TreeModel } from './model';

const OVERSCAN = 12;

/** The tree: only the lines in sight are drawn, so that its length does not matter. */
export function Tree(props: ITreeProps): JSX.Element {
  const { model, trans, editing } = props;
  const box = React.useRef<HTMLDivElement>(null);
  const view = useScroll(box);
  const rows = model.rows;
  const at = model.selected ? model.index(model.selected.key) : -1;
  const first = Math.max(0, Math.floor(view.top / LINE) - OVERSCAN);
  const last = Math.min(
    rows.length,
    Math.ceil((view.top + view.height) / LINE) + OVERSCAN
  );
  const drawn: number[] = [];
  for (let line = first; line < last; line += 1) {
    drawn.push(line);
  }
  if (at >= 0 && (at < first || at >= last)) {
    drawn.push(at);
  }
  useMore(model, rows, first, last);
  useFollow(box, at, editing !== null);
  return (
    <div
      className="fc-Tree"
      ref={box}
      role="tree"
      aria-label={trans.__('Catalog')}
      aria-busy={rows.some(row => row.type === 'more')}
      onKeyDown={event => {
        const modified = event.altKey || event.ctrlKey || event.metaKey;
        const page = Math.max(1, Math.floor(view.height / LINE) - 1);
        // Before anything is selected the first line has the focus.
        const line = Math.max(0, at);
        if (!modified && treeKey(event.key, { ...props, at: line, page })) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
    >
      <div
        className="fc-Tree-lines"
        role="presentation"
        style={{ height: rows.length * LINE }}
      >
        {drawn.map(line => (
          <Line
            key={keyOf(rows[line], line)}
            {...props}
            row={rows[line]}
            line={line}
            current={at < 0 ? line === 0 : line === at}
          />
        ))}
      </div>
    </div>
  );
}

function keyOf(row: Row, line: number): string {
  return row.type === 'item' ? row.item.key : `${row.type}${line}`;
}

/** Where the box is scrolled to, and how high it is. */
function useScroll(box: React.RefObject<HTMLDivElement>): {
  top: number;
  height: number;
} {
  const [view, setView] = React.useState({ top: 0, height: 600 });
  React.useLayoutEffect(() => {
    const node = box.current;
    if (!node) {
      return;
    }
    const look = () =>
      setView({ top: node.scrollTop, height: node.clientHeight });
    const sized = new ResizeObserver(look);
    sized.observe(node);
    node.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      sized.disconnect();
      node.removeEventListener('scroll', look);
    };
  }, [box]);
  return view;
}

/** Loads the next page once its place comes into sight. */
function useMore(
  model: TreeModel,
  rows: readonly Row[],
  first: number,
  last: number
): void {
  React.useEffect(() => {
    for (const row of rows.slice(first, last)) {
      if (row.type === 'more' && (row.item?.children ?? true)) {
        void model.loadMore(row.item);
      }
    }
  }, [model, rows, first, last]);
}

/** Keeps the selected line in sight, and the focus on it. */
function useFollow(
  box: React.RefObject<HTMLDivElement>,
  at: number,
  editing: boolean
): void {
  React.useLayoutEffect(() => {
    const node = box.current;
    if (!node || at < 0) {
      return;
    }
    const top = at * LINE;
    if (top < node.scrollTop) {
      node.scrollTop = top;
    } else if (top + LINE > node.scrollTop + node.clientHeight) {
      node.scrollTop = top + LINE - node.clientHeight;
    }
    if (!editing && node.contains(document.activeElement)) {
      node
        .querySelector<HTMLElement>('.fc-Tree-row[tabindex="0"]')
        ?.focus({ preventScroll: true });
    }
  }, [box, at, editing]);
}
