import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';
import * as React from 'react';

import type { ExportFormat, SavedQueryReply } from '../api/types';
import type { ChartMemory } from '../chart/memory';
import { exportEntries } from '../grid/export-widget';
import type { IView } from '../grid/rows';
import { Drawn } from '../parts/drawn';
import { openMenu } from '../parts/menu-widget';
import { Tabs } from '../parts/tabs';

import type { RunHistory } from './history';
import type { QueryModel } from './model';
import { Outcome } from './outcome';
import { Past } from './past';
import { Plan } from './plan';
import { ResultViews } from './views-widget';
import type { SavedQueries } from './saved';
import { Status } from './status';

const TICK_MS = 100;

type Tab = 'results' | 'chart' | 'plan' | 'history';

/** How a result can be kept besides as a file. */
export type SaveForm = 'query' | 'cell';

/** What the results are made of. */
export interface IResultsOptions {
  model: QueryModel;
  history: RunHistory;
  saved: SavedQueries;
  charts: ChartMemory;
  /** Draws charts; null where nothing does. */
  rendermime: IRenderMimeRegistry | null;
  trans: TranslationBundle;
  save(form: SaveForm): void;
  /** Exports the result that is shown. */
  export(format: ExportFormat, view: IView): void;
  /** Takes a statement back into the editor. */
  open(query: string): void;
  openSaved(query: SavedQueryReply): void;
  removeSaved(query: SavedQueryReply): void;
}

/** What came of the last run, how it was run, and what was run before. */
export class ResultsPane extends Widget {
  constructor(private readonly options: IResultsOptions) {
    super();
    this.addClass('fc-Results');
    const layout = new PanelLayout();
    this.layout = layout;
    this._views = new ResultViews(options);
    this._head = new Drawn(() => this.drawHead());
    this._head.addClass('fc-Results-head');
    this._statements = new Drawn(() => this.drawStatements());
    this._statements.addClass('fc-Results-statements');
    this._body = new Drawn(() => this.drawBody());
    this._body.addClass('fc-Results-body');
    layout.addWidget(this._head);
    layout.addWidget(this._statements);
    layout.addWidget(this._body);
    layout.addWidget(this._views);
    options.model.changed.connect(this.onChanged, this);
    options.history.changed.connect(this.redraw, this);
    options.saved.changed.connect(this.redraw, this);
    this.onChanged();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    window.clearInterval(this._tick);
    this.options.history.changed.disconnect(this.redraw, this);
    this.options.saved.changed.disconnect(this.redraw, this);
    super.dispose();
  }

  protected override onActivateRequest(_msg: Message): void {
    this._views.activate();
  }

  private onChanged(): void {
    const { model } = this.options;
    const running = model.state === 'running';
    if (running !== this._running) {
      this._running = running;
      window.clearInterval(this._tick);
      if (running) {
        this._tab = 'results';
        this._tick = window.setInterval(() => this._head.update(), TICK_MS);
      }
    }
    if (this.tab === 'plan' && model.shown?.id !== this._explained) {
      this.explain();
    }
    this._views.follow();
    this.redraw();
  }

  private redraw(): void {
    const { result } = this.options.model;
    const { tab } = this;
    const drawn = tab === 'results' || tab === 'chart';
    const rows = drawn && result?.source !== null && result !== null;
    this._views.setHidden(!rows);
    if (rows) {
      this._views.turnTo(tab === 'chart' ? 'chart' : 'grid');
    }
    this._body.setHidden(rows);
    // What was run before is not of any statement of this run.
    const several = this.options.model.runs.length > 1;
    this._statements.setHidden(!several || tab === 'history');
    this._head.update();
    this._statements.update();
    this._body.update();
  }

  private turnTo(tab: Tab): void {
    this._tab = tab;
    if (tab === 'plan') {
      this.explain();
    }
    if (tab === 'history') {
      // Without the server the runs are still there.
      this.options.saved.load().catch(() => undefined);
    }
    this.redraw();
  }

  private explain(): void {
    const { model } = this.options;
    this._explained = model.shown?.id ?? null;
    void model.explain();
  }

  /** The parts there are of what is shown: only rows are drawn, and only a query is explained. */
  private get tabs(): Tab[] {
    const { model, rendermime } = this.options;
    const { result } = model;
    const tabs: Tab[] = ['results'];
    if (result?.source && rendermime) {
      tabs.push('chart');
    }
    if (result?.source && result.reply.engine) {
      tabs.push('plan');
    }
    return [...tabs, 'history'];
  }

  /** The part shown: the one asked for, if the statement has it. */
  private get tab(): Tab {
    return this.tabs.includes(this._tab) ? this._tab : 'results';
  }

  private drawHead(): JSX.Element {
    const { model, trans } = this.options;
    const { result } = model;
    const labels: Record<Tab, string> = {
      results: trans.__('Results'),
      chart: trans.__('Chart'),
      plan: trans.__('Plan'),
      history: trans.__('History')
    };
    return (
      <>
        <Tabs
          label={trans.__('Parts of the result')}
          tabs={this.tabs.map(name => ({ name, label: labels[name] }))}
          shown={this.tab}
          onShow={tab => this.turnTo(tab)}
        />
        <Status
          model={model}
          trans={trans}
          onEngine={() => this.turnTo('plan')}
          onExport={at => openMenu(this.exports(), at)}
        />
        {result?.source && (
          <button
            className="fc-Link"
            aria-haspopup="menu"
            onClick={event => {
              const { left, bottom } =
                event.currentTarget.getBoundingClientRect();
              this.openSave({ x: left, y: bottom });
            }}
          >
            {trans.__('Save as ▾')}
          </button>
        )}
      </>
    );
  }

  private openSave(at: { x: number; y: number }): void {
    const { trans, save } = this.options;
    openMenu(
      [
        { label: trans.__('Saved Query…'), run: () => save('query') },
        { label: trans.__('Notebook Cell'), run: () => save('cell') },
        null,
        ...this.exports()
      ],
      at
    );
  }

  private exports() {
    const { trans } = this.options;
    return exportEntries(trans, format =>
      this.options.export(format, this._views.view)
    );
  }

  /** Which statement of the run is shown. */
  private drawStatements(): JSX.Element {
    const { model, trans } = this.options;
    return (
      <Tabs
        label={trans.__('Statements')}
        tabs={model.runs.map(({ query, state, result }, at) => ({
          name: String(at),
          label: `${at + 1}. ${shortened(query)}`,
          note:
            state === 'failed'
              ? trans.__('failed')
              : result?.source
                ? result.reply.row_count.toLocaleString('en')
                : ''
        }))}
        shown={String(model.at)}
        onShow={at => model.show(Number(at))}
      />
    );
  }

  private drawBody(): JSX.Element {
    const { model, history, saved, trans, open } = this.options;
    switch (this.tab) {
      case 'plan':
        return <Plan plan={model.plan} trans={trans} />;
      case 'history':
        return (
          <Past
            runs={history.items}
            saved={saved.items ?? []}
            zone={model.zone}
            trans={trans}
            onOpen={open}
            onOpenSaved={query => this.options.openSaved(query)}
            onRemove={query => this.options.removeSaved(query)}
          />
        );
      default:
        return <Outcome model={model} trans={trans} />;
    }
  }

  private readonly _head: Drawn;
  private readonly _statements: Drawn;
  private readonly _body: Drawn;
  private readonly _views: ResultViews;
  private _tab: Tab = 'results';
  private _running = false;
  /** The statement whose plan was asked for last. */
  private _explained: string | null = null;
  private _tick = 0;
}

const SHORT = 32;

/** The beginning of a statement, in one line. */
function shortened(query: string): string {
  const line = query.replace(/\s+/g, ' ');
  return line.length > SHORT ? `${line.slice(0, SHORT).trimEnd()}…` : line;
}
