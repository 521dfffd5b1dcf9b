import { caretDownIcon, caretRightIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { quoted } from '../browser/items';
import { CommandIDs } from '../commands';
import { tableIcon, typeIcon } from '../icons';
import {
  type IFrame,
  type IFrameRow,
  type IKernelFrames,
  type INodeDrag,
  NODE_MIME
} from '../tokens';

import { expandable, keyRow } from './model';

/** What the section is drawn from. */
export interface IKernelSectionProps {
  frames: IKernelFrames;
  trans: TranslationBundle;
  /** Runs a command by its id. */
  execute(command: string): void;
}

/** The frames in the kernel; nothing where no kernel tells of any. */
export function KernelSection(props: IKernelSectionProps): JSX.Element | null {
  const { frames, trans } = props;
  const [open, setOpen] = React.useState(true);
  if (frames.frames === null) {
    return null;
  }
  const Caret = open ? caretDownIcon : caretRightIcon;
  const title = trans.__('In This Kernel');
  return (
    <section className="fc-Frames" aria-label={title}>
      <h3>
        <button
          className="fc-Frames-title"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Caret.react tag="span" className="fc-Frames-caret" />
          <span>{title}</span>
        </button>
      </h3>
      {open && <Lines {...props} />}
    </section>
  );
}

function Lines(props: IKernelSectionProps): JSX.Element {
  const { frames, trans, execute } = props;
  const box = React.useRef<HTMLDivElement>(null);
  const current = frames.selected ?? frames.rows[0];
  React.useLayoutEffect(() => {
    if (box.current?.contains(document.activeElement)) {
      box.current.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    }
  }, [current?.key]);
  if (!frames.rows.length) {
    return (
      <p className="fc-Frames-note">
        {trans.__('Frames made in the notebook show here.')}
      </p>
    );
  }
  const onKey = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    if (act(event.key, frames, execute)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    <div
      className="fc-Frames-lines"
      ref={box}
      role="tree"
      aria-label={trans.__('Frames in this kernel')}
      onKeyDown={onKey}
    >
      {frames.rows.map(row => (
        <Line key={row.key} {...props} row={row} current={row === current} />
      ))}
    </div>
  );
}

/** Does what a key means; false where it means nothing. */
function act(
  key: string,
  frames: IKernelFrames,
  execute: (command: string) => void
): boolean {
  const row = frames.selected;
  const isFrame = row !== null && row.column === null;
  if (isFrame && (key === 'Enter' || key === ' ')) {
    execute(CommandIDs.previewFrame);
    return true;
  }
  const opens = key === 'ArrowRight' && isFrame && !row.expanded;
  const closes = key === 'ArrowLeft' && isFrame && row.expanded;
  if (opens || closes) {
    frames.setExpanded(row.frame.name, opens);
    return true;
  }
  const next = keyRow(frames, key);
  if (next) {
    frames.select(next.key);
  }
  return next !== null;
}

function Line(
  props: IKernelSectionProps & { row: IFrameRow; current: boolean }
): JSX.Element {
  const { frames, row, current, trans } = props;
  const { frame, column } = row;
  const selected = frames.selected === row;
  const open = column === null && expandable(frame);
  const toggle = () => {
    if (open) {
      frames.setExpanded(frame.name, !row.expanded);
    }
  };
  const Icon = column ? typeIcon(column.type) : tableIcon;
  const Caret = row.expanded ? caretDownIcon : caretRightIcon;
  return (
    <div
      className={`fc-Frames-row ${column ? 'fc-mod-column' : ''} ${selected ? 'jp-mod-selected' : ''}`}
      role="treeitem"
      aria-level={column ? 2 : 1}
      aria-posinset={row.position}
      aria-setsize={row.size}
      aria-selected={selected}
      aria-expanded={open ? row.expanded : undefined}
      tabIndex={current ? 0 : -1}
      title={tip(row, trans)}
      draggable
      onDragStart={event => onDrag(event, row)}
      onFocus={() => !selected && frames.select(row.key)}
      onContextMenu={() => frames.select(row.key)}
      onClick={() => frames.select(row.key)}
      onDoubleClick={toggle}
    >
      <span
        className="fc-Frames-caret"
        onClick={event => {
          event.stopPropagation();
          toggle();
        }}
      >
        {open && <Caret.react tag="span" />}
      </span>
      <Icon.react tag="span" className="fc-Frames-caret" />
      <span className="fc-Frames-name">{column?.name ?? frame.name}</span>
      <span className="fc-Frames-end">
        {column ? column.type : shape(frame, trans)}
      </span>
    </div>
  );
}

/** How large a frame is: rows × columns. */
function shape(
  { kind, rows, columns_total }: IFrame,
  trans: TranslationBundle
): string {
  if (rows === null || columns_total === null) {
    return kind === 'lazy' ? trans.__('lazy') : trans.__('stream');
  }
  return `${rows.toLocaleString('en')} × ${columns_total.toLocaleString('en')}`;
}

function tip({ frame, column }: IFrameRow, trans: TranslationBundle): string {
  if (column) {
    return `${column.name}: ${column.type}`;
  }
  const kinds: Record<IFrame['kind'], string> = {
    polars: trans.__('polars DataFrame'),
    lazy: trans.__('polars LazyFrame'),
    pandas: trans.__('pandas DataFrame'),
    arrow: trans.__('Arrow data')
  };
  const size =
    frame.bytes === null
      ? ''
      : trans.__('%1 MB', (frame.bytes / 1e6).toFixed(1));
  const read = trans.__('In SQL: FROM :%1', frame.name);
  return [kinds[frame.kind], size, read].filter(Boolean).join('\n');
}

function onDrag(event: React.DragEvent, { frame, column }: IFrameRow): void {
  const drag: INodeDrag = column
    ? {
        kind: 'column',
        path: [frame.name, column.name],
        sqlName: quoted(column.name)
      }
    : { kind: 'frame', path: [frame.name], sqlName: `:${frame.name}` };
  event.dataTransfer.effectAllowed = 'copy';
  event.dataTransfer.setData('text/plain', drag.sqlName);
  event.dataTransfer.setData(NODE_MIME, JSON.stringify(drag));
}
