import { Clipboard } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  caretLeftIcon,
  caretRightIcon,
  closeIcon,
  copyIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';

import { messageOf } from '../api/errors';

import { namedValue } from './conditions';
import { LOADING, type PagedModel } from './model';
import { folded, type NestedNode, parseNested } from './nested';
import { isClipped, isNested, specialOf } from './special';

/** Which record is shown, and what can be done from there. */
export interface IRecordProps {
  model: PagedModel;
  row: number;
  /** The column that was being looked at. */
  column: number | null;
  trans: TranslationBundle;
  onRow(row: number): void;
  onClose(): void;
}

/** One row, a value a line. */
export function RecordView(props: IRecordProps): JSX.Element {
  const { model, row, column, trans, onRow, onClose } = props;
  const total = model.total ?? 0;
  const focused = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    focused.current?.scrollIntoView({ block: 'nearest' });
  }, [column]);
  const whole = model.source.whole;
  return (
    <div
      className="fc-Record"
      role="region"
      aria-label={trans.__('Record')}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <div className="fc-Record-head">
        <Step
          label={trans.__('Previous row')}
          off={row <= 0}
          onClick={() => onRow(row - 1)}
          icon={caretLeftIcon}
        />
        <span role="status">
          {trans.__(
            'Row %1 of %2',
            (row + 1).toLocaleString('en'),
            total.toLocaleString('en')
          )}
        </span>
        <Step
          label={trans.__('Next row')}
          off={row >= total - 1}
          onClick={() => onRow(row + 1)}
          icon={caretRightIcon}
        />
        <Step
          label={trans.__('Close the record')}
          off={false}
          onClick={onClose}
          icon={closeIcon}
        />
      </div>
      <dl>
        {model.columns.map(({ name, type }, at) => (
          <div key={at} ref={at === column ? focused : undefined}>
            <dt className={at === column ? 'fc-mod-current' : ''}>
              {name} <code>{type}</code>
            </dt>
            <dd>
              <Value
                key={`${row}/${JSON.stringify(model.view)}`}
                value={model.value(row, at)}
                type={type}
                trans={trans}
                whole={whole ? () => whole.value(row, at, model.view) : null}
              />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Step(props: {
  label: string;
  off: boolean;
  onClick(): void;
  icon: typeof closeIcon;
}): JSX.Element {
  const { label, off, onClick, icon: Icon } = props;
  return (
    <button
      className="fc-IconButton"
      title={label}
      aria-label={label}
      disabled={off}
      onClick={onClick}
    >
      <Icon.react tag="span" className="fc-icon" />
    </button>
  );
}

/** A value, whole when it is asked for; nested ones unfold. */
function Value(props: {
  value: string | null | typeof LOADING;
  type: string;
  trans: TranslationBundle;
  whole: (() => Promise<string | null>) | null;
}): JSX.Element {
  const { value, type, trans, whole } = props;
  const [all, setAll] = React.useState<string | null>(null);
  const [error, setError] = React.useState<string | null>(null);
  if (value === LOADING) {
    return <span className="fc-Quiet">…</span>;
  }
  const special = specialOf(value, type);
  if (value === null || special) {
    return (
      <span className="fc-mod-special">
        {special === 'empty' ? trans.__('empty text') : namedValue(value)}
      </span>
    );
  }
  const text = all ?? value;
  const clipped = all === null && isClipped(value) && whole !== null;
  const nested = isNested(type) && !clipped ? parseNested(text) : null;
  const show = () =>
    whole?.().then(setAll, (reason: unknown) => setError(messageOf(reason)));
  return (
    <>
      {nested ? (
        <Nested node={nested} open />
      ) : (
        <Plain text={text} trans={trans} />
      )}
      {clipped && (
        <button className="fc-Link" onClick={() => void show()}>
          {trans.__('Show all of it')}
        </button>
      )}
      {error && <span role="alert">{error}</span>}
      <button
        className="fc-IconButton fc-Record-copy"
        title={trans.__('Copy this value')}
        aria-label={trans.__('Copy this value')}
        onClick={() => Clipboard.copyToSystem(text)}
      >
        <copyIcon.react tag="span" className="fc-icon" />
      </button>
    </>
  );
}

/** Text with the blanks at its end marked. */
function Plain(props: { text: string; trans: TranslationBundle }): JSX.Element {
  const { text, trans } = props;
  const blanks = /[ \t\u00a0]+$/.exec(text)?.[0] ?? '';
  const marked = blanks.replace(/[ \u00a0]/g, '·').replace(/\t/g, '⇥');
  return (
    <span className="fc-Record-text">
      {text.slice(0, text.length - blanks.length)}
      {blanks && (
        <span
          className="fc-mod-special"
          title={trans._n(
            '%1 blank at the end',
            '%1 blanks at the end',
            blanks.length
          )}
        >
          {marked}
        </span>
      )}
    </span>
  );
}

/** A nested value; its parts unfold one by one. */
function Nested(props: {
  node: NestedNode;
  name?: string;
  open?: boolean;
}): JSX.Element {
  const { node, name, open } = props;
  const label = name === undefined ? null : <b>{name}: </b>;
  if (node.kind === 'text' || node.kind === 'bare') {
    return (
      <span className="fc-Record-text">
        {label}
        {folded(node)}
      </span>
    );
  }
  const items: readonly (readonly [string, NestedNode])[] =
    node.kind === 'object'
      ? node.items
      : node.items.map((item, at) => [String(at), item] as const);
  return (
    <details open={open}>
      <summary>
        {label}
        {folded(node)}
      </summary>
      <ul>
        {items.map(([key, item], at) => (
          <li key={at}>
            <Nested node={item} name={key} />
          </li>
        ))}
      </ul>
    </details>
  );
}
