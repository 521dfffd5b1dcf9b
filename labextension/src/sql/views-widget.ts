import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { ChartMemory } from '../chart/memory';
import { ChartModel } from '../chart/model';
import { pythonOf } from '../chart/python';
import { ChartPane } from '../chart/widget';
import type { IView } from '../grid/rows';
import { PagedGrid } from '../grid/widget';

import type { QueryModel } from './model';
import type { IStatementRun } from './runs';
import type { ResultSource } from './source';

/** What the views of results are made of. */
export interface IResultViewsOptions {
  model: QueryModel;
  charts: ChartMemory;
  /** Draws charts; null where nothing does. */
  rendermime: IRenderMimeRegistry | null;
  trans: TranslationBundle;
}

/** What is shown of one result. */
interface IViews {
  grid: PagedGrid;
  chart: ChartPane | null;
  chartModel: ChartModel | null;
  /** The view the chart was drawn of. */
  drawn: string | null;
}

/** The grids and charts of a run's results: each stays as a person left it. */
export class ResultViews extends Widget {
  constructor(private readonly options: IResultViewsOptions) {
    super();
    this.addClass('fc-Results-views');
    this.layout = new PanelLayout();
  }

  /** Which rows the grid that is shown has, and in what order. */
  get view(): IView {
    const views = this.current;
    return views?.grid.model.view ?? { sort: null, filters: [] };
  }

  /** Forgets what is of no result any more. */
  follow(): void {
    const kept = new Set(
      this.options.model.runs.map(({ result }) => result?.source ?? null)
    );
    for (const [source, { grid, chart }] of this._views) {
      if (!kept.has(source)) {
        grid.dispose();
        chart?.dispose();
        this._views.delete(source);
      }
    }
  }

  /** Shows the result that is chosen, as rows or as a chart. */
  turnTo(as: 'grid' | 'chart'): void {
    const { shown } = this.options.model;
    const source = shown?.result?.source;
    if (!shown || !source) {
      return;
    }
    const views = this._views.get(source) ?? this.make(source);
    if (as === 'chart' && !views.chart) {
      this.addChart(views, shown, source);
    }
    for (const [other, { grid, chart }] of this._views) {
      grid.setHidden(other !== source || as !== 'grid');
      chart?.setHidden(other !== source || as !== 'chart');
    }
    const drawn = JSON.stringify(views.grid.model.view.filters);
    if (as === 'chart' && views.drawn !== drawn) {
      views.drawn = drawn;
      void views.chartModel?.load();
    }
  }

  protected override onActivateRequest(_msg: Message): void {
    this.current?.grid.activate();
  }

  private get current(): IViews | null {
    const source = this.options.model.result?.source;
    return (source && this._views.get(source)) ?? null;
  }

  private make(source: ResultSource): IViews {
    const { trans } = this.options;
    const grid = new PagedGrid(source, { trans, label: trans.__('Result') });
    const views = { grid, chart: null, chartModel: null, drawn: null };
    this._views.set(source, views);
    (this.layout as PanelLayout).addWidget(grid);
    return views;
  }

  private addChart(
    views: IViews,
    { query, result }: IStatementRun,
    source: ResultSource
  ): void {
    const { rendermime, charts, trans } = this.options;
    const columns = result?.reply.columns;
    if (!rendermime || !columns) {
      return;
    }
    const model = new ChartModel({
      client: source.client,
      place: source.place,
      columns,
      view: () => ({ sort: null, filters: views.grid.model.filters }),
      chosen: charts.get(query),
      keep: choice => charts.keep(query, choice)
    });
    views.chartModel = model;
    views.chart = new ChartPane({
      model,
      rendermime,
      trans,
      python: () =>
        model.reply
          ? pythonOf({ query, columns, chosen: model.reply.chosen })
          : ''
    });
    (this.layout as PanelLayout).addWidget(views.chart);
  }

  private readonly _views = new Map<ResultSource, IViews>();
}
