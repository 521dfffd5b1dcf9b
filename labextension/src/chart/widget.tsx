import { Clipboard } from '@jupyterlab/apputils';
import { type IRenderMimeRegistry, MimeModel } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import type { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';
import * as React from 'react';

import type { ChartAggregate, ChartMark } from '../api/types';
import { Drawn } from '../parts/drawn';

import type { ChartModel } from './model';
import { themed } from './theme-widget';

const MIME = 'application/vnd.vegalite.v5+json';

/** What a chart is shown with. */
export interface IChartPaneOptions {
  model: ChartModel;
  rendermime: IRenderMimeRegistry;
  trans: TranslationBundle;
  /** The same chart as Python; null where nothing can say it. */
  python: (() => string) | null;
}

/** A chart drawn by Lab's own renderer, and the five choices it is made of. */
export class ChartPane extends Widget {
  constructor(private readonly options: IChartPaneOptions) {
    super();
    this.addClass('fc-Chart');
    this._controls = new Drawn(() => this.drawControls());
    this._controls.addClass('fc-Chart-controls');
    this._host = new Widget();
    this._host.addClass('fc-Chart-picture');
    const layout = new PanelLayout();
    this.layout = layout;
    layout.addWidget(this._controls);
    layout.addWidget(this._host);
    options.model.changed.connect(this.onChanged, this);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._themes?.disconnect();
      this._sizes?.disconnect();
      this.options.model.dispose();
      this._picture?.dispose();
      super.dispose();
    }
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this._themes ??= new MutationObserver(() => void this.paint());
    this._themes.observe(document.body, {
      attributes: true,
      attributeFilter: ['data-jp-theme-name', 'data-jp-theme-light']
    });
    this._sizes ??= new ResizeObserver(() => {
      window.clearTimeout(this._later);
      this._later = window.setTimeout(() => void this.paint(), 200);
    });
    this._sizes.observe(this._host.node);
  }

  protected override onBeforeDetach(msg: Message): void {
    this._themes?.disconnect();
    this._sizes?.disconnect();
    window.clearTimeout(this._later);
    super.onBeforeDetach(msg);
  }

  private onChanged(): void {
    const { model } = this.options;
    this._controls.update();
    if (model.reply !== this._drawn) {
      this._drawn = model.reply;
      void this.paint();
    }
  }

  /** Draws what the server said, in the colours of the theme and as large as there is room. */
  private async paint(): Promise<void> {
    const { model, rendermime, trans } = this.options;
    const { reply } = model;
    const { clientWidth: width, clientHeight: height } = this._host.node;
    if (!reply || !this.isVisible || width < 40 || height < 40) {
      return;
    }
    const spec = themed(reply.spec, this.node, { width, height });
    const key = JSON.stringify([spec, this._themeName]);
    if (key === this._painted) {
      return;
    }
    this._painted = key;
    const data = { [MIME]: spec as unknown as ReadonlyPartialJSONObject };
    const metadata = { [MIME]: { embed_options: { actions: false } } };
    if (!rendermime.preferredMimeType(data)) {
      this._host.node.textContent = trans.__(
        'There is no renderer of Vega-Lite in this JupyterLab.'
      );
      return;
    }
    const picture = rendermime.createRenderer(MIME);
    const old = this._picture;
    this._picture = picture;
    Widget.attach(picture, this._host.node);
    await picture.renderModel(new MimeModel({ data, metadata }));
    old?.dispose();
  }

  private get _themeName(): string {
    return document.body.dataset.jpThemeName ?? '';
  }

  private drawControls(): JSX.Element {
    const { model, trans, python } = this.options;
    const { reply, error, busy } = model;
    const chosen = reply?.chosen;
    const marks: [ChartMark, string][] = [
      ['bar', trans.__('Bars')],
      ['line', trans.__('Line')],
      ['area', trans.__('Area')],
      ['point', trans.__('Points')],
      ['histogram', trans.__('Histogram')]
    ];
    const aggregates: [ChartAggregate, string][] = [
      ['none', trans.__('as they are')],
      ['count', trans.__('count of rows')],
      ['sum', trans.__('sum')],
      ['avg', trans.__('average')],
      ['median', trans.__('median')],
      ['min', trans.__('least')],
      ['max', trans.__('greatest')]
    ];
    const columns = model.columns.map(
      ({ name }, at) => [model.nameOf(at), name] as const
    );
    const none = [['', trans.__('none')] as const];
    const count = chosen?.aggregate === 'count';
    return (
      <>
        <div className="fc-Chart-choices">
          <Choice
            label={trans.__('Type')}
            value={chosen?.mark ?? ''}
            entries={marks}
            onChoose={mark => model.choose({ mark: mark as ChartMark })}
          />
          <Choice
            label={trans.__('x')}
            value={chosen?.x ?? ''}
            entries={columns}
            onChoose={x => model.choose({ x })}
          />
          <Choice
            label={trans.__('y')}
            value={chosen?.y ?? ''}
            entries={count || !chosen?.y ? [...none, ...columns] : columns}
            onChoose={y =>
              model.choose(
                y && count ? { y, aggregate: 'avg' } : { y: y || null }
              )
            }
          />
          <Choice
            label={trans.__('Colour')}
            value={chosen?.colour ?? ''}
            entries={[...none, ...columns]}
            onChoose={colour => model.choose({ colour: colour || null })}
          />
          <Choice
            label={trans.__('Values')}
            value={chosen?.aggregate ?? ''}
            entries={aggregates}
            onChoose={aggregate =>
              model.choose({ aggregate: aggregate as ChartAggregate })
            }
          />
          <button className="fc-Link" onClick={() => void model.reset()}>
            {trans.__('Choose for me')}
          </button>
          {python && chosen && (
            <button
              className="fc-Link"
              onClick={() => Clipboard.copyToSystem(python())}
            >
              {trans.__('Copy as Python')}
            </button>
          )}
        </div>
        <div role="status" className="fc-Chart-notes">
          {busy && !reply && trans.__('Drawing…')}
          {error && <span role="alert">{error}</span>}
          {!error && reply?.warnings.map(text => <p key={text}>{text}</p>)}
        </div>
      </>
    );
  }

  private readonly _controls: Drawn;
  private readonly _host: Widget;
  private _drawn: ChartModel['reply'] = null;
  private _painted = '';
  private _picture: IRenderMime.IRenderer | null = null;
  private _themes: MutationObserver | null = null;
  private _sizes: ResizeObserver | null = null;
  private _later = 0;
}

function Choice(props: {
  label: string;
  value: string;
  entries: readonly (readonly [string, string])[];
  onChoose(value: string): unknown;
}): JSX.Element {
  const { label, value, entries, onChoose } = props;
  const known = entries.some(([name]) => name === value);
  return (
    <label className="fc-Chart-choice">
      <span>{label}</span>
      <HTMLSelect
        value={value}
        onChange={event => void onChoose(event.target.value)}
      >
        {!known && <option value={value} />}
        {entries.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </HTMLSelect>
    </label>
  );
}
