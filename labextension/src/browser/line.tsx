import {
  caretDownIcon,
  caretRightIcon,
  type LabIcon
} from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import {
  databaseIcon,
  schemaIcon,
  tableIcon,
  typeIcon,
  viewIcon,
  warningIcon
} from '../icons';
import { type INodeDrag, NODE_MIME } from '../tokens';

import type { SearchMatch } from '../api/types';

import { expandable, type IItem, nameOf, type Row, sqlNameOf } from './items';
import { type ITreeActions, opens } from './keys';
import type { TreeModel } from './model';

/** The height of a line, in pixels. */
export const LINE = 24;
const INDENT = 14;

/** What a tree is drawn from. */
export interface ITreeProps {
  model: TreeModel;
  actions: ITreeActions;
  trans: TranslationBundle;
  /** Whether one click opens, as the file browser is set to. */
  singleClick: boolean;
  /** The key of the row whose name is being edited. */
  editing: string | null;
  onEdit(key: string | null): void;
}

/** A line, and where it stands. */
export interface ILineProps extends ITreeProps {
  row: Row;
  line: number;
  current: boolean;
}

/** One line of the tree. */
export function Line(props: ILineProps): JSX.Element {
  const { row, line, trans } = props;
  const depth = row.type === 'item' ? row.item.depth : row.depth;
  const style = { top: line * LINE, paddingLeft: 4 + depth * INDENT };
  if (row.type === 'item') {
    return <ItemLine {...props} item={row.item} style={style} />;
  }
  if (row.type === 'match') {
    const text = matchText(row.match, trans);
    return (
      <div
        className="fc-Tree-row fc-mod-note fc-mod-match"
        role="presentation"
        style={style}
        title={text}
      >
        <span>{text}</span>
      </div>
    );
  }
  return (
    <div className="fc-Tree-row fc-mod-note" role="presentation" style={style}>
      {row.type === 'note' ? (
        <span title={row.text}>{row.text}</span>
      ) : (
        <span>{trans.__('Loading…')}</span>
      )}
    </div>
  );
}

function ItemLine(
  props: ILineProps & { item: IItem; style: React.CSSProperties }
): JSX.Element {
  const { item, row, model, actions, singleClick, current, style } = props;
  const selected = model.selected === item;
  const size = row.type === 'item' ? row.size : 0;
  const position = row.type === 'item' ? row.position : 0;
  const open = expandable(item);
  const toggle = () => void model.setExpanded(item, !item.expanded);
  const act = () => (opens(item) ? actions.open(item) : toggle());
  return (
    <div
      className={classesOf(item, selected)}
      style={style}
      role="treeitem"
      aria-level={item.depth + 1}
      aria-setsize={size}
      aria-posinset={position}
      aria-selected={selected}
      aria-expanded={open ? item.expanded : undefined}
      data-kind={item.kind}
      data-key={item.key}
      tabIndex={current ? 0 : -1}
      title={tip(item, props.trans)}
      aria-description={
        (item.matched ?? [])
          .map(match => matchText(match, props.trans))
          .join('. ') || undefined
      }
      draggable={props.editing !== item.key}
      onDragStart={event => onDrag(event, item)}
      onContextMenu={() => model.select(item.key)}
      onClick={() => {
        model.select(item.key);
        if (singleClick) {
          act();
        }
      }}
      onDoubleClick={() => {
        if (!singleClick) {
          act();
        }
      }}
    >
      <span
        className="fc-Tree-caret"
        onClick={event => {
          event.stopPropagation();
          model.select(item.key);
          if (open) {
            toggle();
          }
        }}
      >
        {open &&
          (item.expanded ? (
            <caretDownIcon.react tag="span" />
          ) : (
            <caretRightIcon.react tag="span" />
          ))}
      </span>
      <ItemIcon item={item} />
      <ItemName {...props} />
      <ItemEnd {...props} />
    </div>
  );
}

/** What a row's menu is chosen by. */
function classesOf(item: IItem, selected: boolean): string {
  return [
    'fc-Tree-row fc-mod-item',
    item.kind === 'column' ? '' : 'fc-mod-node',
    opens(item) ? 'fc-mod-table' : '',
    selected ? 'jp-mod-selected' : ''
  ].join(' ');
}

function ItemIcon({ item }: { item: IItem }): JSX.Element {
  const drawing = iconOf(item);
  return <drawing.react tag="span" className="fc-Tree-icon" />;
}

function ItemName(props: ILineProps & { item: IItem }): JSX.Element {
  const { item, editing, onEdit, actions, trans } = props;
  if (editing !== item.key) {
    return <span className="fc-Tree-name">{nameOf(item)}</span>;
  }
  const finish = async (name: string) => {
    if (!name || name === nameOf(item) || (await actions.rename(item, name))) {
      onEdit(null);
    }
  };
  return (
    <input
      className="fc-Tree-edit"
      aria-label={trans.__('New name')}
      defaultValue={nameOf(item)}
      autoFocus
      onFocus={event => event.target.select()}
      onClick={event => event.stopPropagation()}
      onDoubleClick={event => event.stopPropagation()}
      onBlur={() => onEdit(null)}
      onKeyDown={event => {
        event.stopPropagation();
        if (event.key === 'Enter') {
          void finish(event.currentTarget.value.trim());
        } else if (event.key === 'Escape') {
          onEdit(null);
        }
      }}
    />
  );
}

/** What stands at the right: a type, a count, or where a hit is from. */
function ItemEnd(props: ILineProps & { item: IItem }): JSX.Element {
  const { item, model, trans } = props;
  const fresh = model.isNew(item);
  return (
    <span className="fc-Tree-end">
      {endText(item, model.search !== null, trans)}
      {fresh && (
        <span
          className="fc-Tree-dot"
          role="img"
          aria-label={trans.__('Changed since you last opened it')}
          title={trans.__('Changed since you last opened it')}
        />
      )}
    </span>
  );
}

function endText(
  item: IItem,
  found: boolean,
  trans: TranslationBundle
): string {
  const { node, column, kind } = item;
  if (column) {
    return column.type;
  }
  if (found) {
    return node.full_name.slice(0, -1).join('.');
  }
  if (kind === 'view') {
    return trans.__('view');
  }
  const count = kind === 'table' ? node.row_count : item.total;
  return count === null ? '' : count.toLocaleString('en');
}

/** Why something was found that does not show it. */
function matchText(
  { field, text }: SearchMatch,
  trans: TranslationBundle
): string {
  return field === 'tag' ? trans.__('Tag: %1', text) : `“${text}”`;
}

function tip(item: IItem, trans: TranslationBundle): string {
  const { node, column } = item;
  if (column) {
    const type = column.nullable
      ? column.type
      : trans.__('%1, never null', column.type);
    return [`${column.name}: ${type}`, column.comment]
      .filter(Boolean)
      .join('\n');
  }
  return [node.full_name.join('.'), node.description, node.broken]
    .filter(Boolean)
    .join('\n');
}

function iconOf({ kind, node, column }: IItem): LabIcon {
  if (column) {
    return typeIcon(column.type);
  }
  if (node.broken) {
    return warningIcon;
  }
  return {
    catalog: databaseIcon,
    schema: schemaIcon,
    table: tableIcon,
    view: viewIcon,
    column: tableIcon
  }[kind];
}

function onDrag(event: React.DragEvent, item: IItem): void {
  const drag: INodeDrag = {
    kind: item.kind,
    path: item.column
      ? [...item.node.full_name, item.column.name]
      : item.node.full_name,
    sqlName: sqlNameOf(item)
  };
  event.dataTransfer.effectAllowed = 'copy';
  event.dataTransfer.setData('text/plain', drag.sqlName);
  event.dataTransfer.setData(NODE_MIME, JSON.stringify(drag));
}
