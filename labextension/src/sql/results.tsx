import { Clipboard } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';
import * as React from 'react';

import { PagedGrid } from '../grid/widget';
import { Drawn } from '../parts/drawn';
import { type ITabsProps, Tabs } from '../parts/tabs';
import { ago, count, exact } from '../table/words';

import type { IPastRun, RunHistory } from './history';
import type { IFailure, QueryModel } from './model';
import type { ResultSource } from './source';
import { openSaveMenu } from './savemenu';
import { duration, isCut, outcome, type SaveForm, summary } from './words';

const TICK_MS = 100;

type Tab = 'results' | 'plan' | 'history';

/** What the results are made of. */
export interface IResultsOptions {
  model: QueryModel;
  history: RunHistory;
  trans: TranslationBundle;
  save(form: SaveForm): void;
  /** Takes a statement back into the editor. */
  open(query: string): void;
}

/** What came of the last run, how it was run, and what was run before. */
export class ResultsPane extends Widget {
  constructor(private readonly options: IResultsOptions) {
    super();
    this.addClass('fc-Results');
    const layout = new PanelLayout();
    this.layout = layout;
    this._head = new Drawn(() => this.drawHead());
    this._head.addClass('fc-Results-head');
    this._body = new Drawn(() => this.drawBody());
    this._body.addClass('fc-Results-body');
    layout.addWidget(this._head);
    layout.addWidget(this._body);
    options.model.changed.connect(this.onChanged, this);
    options.history.changed.connect(this.redraw, this);
    this.onChanged();
  }

  override dispose(): void {
    window.clearInterval(this._tick);
    this.options.history.changed.disconnect(this.redraw, this);
    super.dispose();
  }

  protected override onActivateRequest(_msg: Message): void {
    this._grid?.activate();
  }

  private onChanged(): void {
    const { model, trans } = this.options;
    const running = model.state === 'running';
    if (running !== this._running) {
      this._running = running;
      window.clearInterval(this._tick);
      if (running) {
        this._tab = 'results';
        this._tick = window.setInterval(() => this._head.update(), TICK_MS);
      }
    }
    const source = model.result?.source ?? null;
    if (source !== this._source) {
      this._source = source;
      this._grid?.dispose();
      this._grid = null;
      if (source) {
        this._grid = new PagedGrid(source, {
          trans,
          label: trans.__('Result')
        });
        (this.layout as PanelLayout).addWidget(this._grid);
      }
    }
    this.redraw();
  }

  private redraw(): void {
    const grid = this._tab === 'results' && this._grid !== null;
    this._grid?.setHidden(!grid);
    this._body.setHidden(grid);
    this._head.update();
    this._body.update();
  }

  private turnTo(tab: Tab): void {
    this._tab = tab;
    if (tab === 'plan') {
      void this.options.model.explain();
    }
    this.redraw();
  }

  private drawHead(): JSX.Element {
    const { model, history, trans, save } = this.options;
    const { result } = model;
    const tabs: ITabsProps<Tab>['tabs'][number][] = [
      { name: 'results', label: trans.__('Results') }
    ];
    if (result?.reply.engine) {
      tabs.push({ name: 'plan', label: trans.__('Plan') });
    }
    if (history.items.length) {
      tabs.push({ name: 'history', label: trans.__('History') });
    }
    return (
      <>
        <Tabs
          label={trans.__('Parts of the result')}
          tabs={tabs}
          shown={this._tab}
          onShow={tab => this.turnTo(tab)}
        />
        <Status model={model} trans={trans} />
        {result?.source && (
          <button
            className="fc-Link"
            aria-haspopup="menu"
            onClick={event => {
              const { left, bottom } =
                event.currentTarget.getBoundingClientRect();
              openSaveMenu(left, bottom, trans, save);
            }}
          >
            {trans.__('Save as ▾')}
          </button>
        )}
      </>
    );
  }

  private drawBody(): JSX.Element {
    const { model, history, trans, open } = this.options;
    switch (this._tab) {
      case 'plan':
        return (
          <pre className="fc-Results-plan">
            {model.plan?.lines.join('\n') ?? trans.__('Loading…')}
          </pre>
        );
      case 'history':
        return (
          <Past
            runs={history.items}
            zone={model.zone}
            trans={trans}
            onOpen={open}
          />
        );
      default:
        return <Outcome model={model} trans={trans} />;
    }
  }

  private readonly _head: Drawn;
  private readonly _body: Drawn;
  private _grid: PagedGrid | null = null;
  private _source: ResultSource | null = null;
  private _tab: Tab = 'results';
  private _running = false;
  private _tick = 0;
}

/** How the run stands, in one line. */
function Status(props: {
  model: QueryModel;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, trans } = props;
  const { result, state } = model;
  if (state === 'running') {
    return (
      <span className="fc-Results-status">
        <span aria-live="off">
          {trans.__('Running, %1', duration(Date.now() - model.since))}
        </span>
        <button className="fc-Link" onClick={() => void model.cancel()}>
          {trans.__('Cancel')}
        </button>
      </span>
    );
  }
  if (!result?.source) {
    return <span className="fc-Results-status" />;
  }
  return (
    <span className="fc-Results-status" role="status">
      {summary(result.reply, trans)}
      {isCut(result.reply) && (
        <button className="fc-Link" onClick={() => void model.runForAll()}>
          {trans.__('Show all')}
        </button>
      )}
    </span>
  );
}

/** What there is to say where there are no rows. */
function Outcome(props: {
  model: QueryModel;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, trans } = props;
  const { state, failure, result } = model;
  if (failure) {
    return <Failure failure={failure} trans={trans} />;
  }
  if (state === 'cancelled') {
    return <p role="status">{trans.__('Cancelled.')}</p>;
  }
  return <p role="status">{result ? outcome(result.reply, trans) : ''}</p>;
}

function Failure(props: {
  failure: IFailure;
  trans: TranslationBundle;
}): JSX.Element {
  const { failure, trans } = props;
  const { message, hint, condition, sqlstate, code } = failure;
  const technical = [condition ?? code, sqlstate && `SQLSTATE ${sqlstate}`]
    .filter(Boolean)
    .join(' · ');
  return (
    <div role="alert" className="fc-Results-failure">
      <p>{message}</p>
      {hint && <p>{hint}</p>}
      <p className="fc-Quiet">
        <code>{technical}</code>{' '}
        <button
          className="fc-Link"
          onClick={() =>
            Clipboard.copyToSystem(
              [message, hint, technical].filter(Boolean).join('\n')
            )
          }
        >
          {trans.__('Copy')}
        </button>
      </p>
    </div>
  );
}

function Past(props: {
  runs: readonly IPastRun[];
  zone: string;
  trans: TranslationBundle;
  onOpen(query: string): void;
}): JSX.Element {
  const { runs, zone, trans, onOpen } = props;
  return (
    <table className="fc-Table">
      <thead>
        <tr>
          <th scope="col">{trans.__('When')}</th>
          <th scope="col">{trans.__('Query')}</th>
          <th scope="col">{trans.__('Outcome')}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run, at) => (
          <tr key={at}>
            <td title={exact(run.at, zone)}>{ago(run.at)}</td>
            <td>
              <button
                className="fc-Link fc-Results-query"
                title={trans.__('Take it into the editor')}
                onClick={() => onOpen(run.query)}
              >
                {run.query}
              </button>
            </td>
            <td>{cameOf(run, trans)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function cameOf(run: IPastRun, trans: TranslationBundle): string {
  if (run.state === 'cancelled') {
    return trans.__('Cancelled');
  }
  if (run.state === 'failed') {
    return run.message ?? trans.__('Failed');
  }
  const rows =
    run.rows === null
      ? trans.__('Done')
      : trans._n('%2 row', '%2 rows', run.rows, count(run.rows));
  return run.milliseconds === null
    ? rows
    : `${rows} · ${duration(run.milliseconds)}`;
}
