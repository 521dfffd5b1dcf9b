import type { TranslationBundle } from '@jupyterlab/translation';
import { PanelLayout, Widget } from '@lumino/widgets';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { typeIcon, viewIcon } from '../icons';
import { Drawn } from '../parts/drawn';
import { Editable } from '../parts/editable';

import type { ViewModel } from './viewed';
import { exact } from './words';

/** What a view's page is made of. */
export interface IViewPageOptions {
  model: ViewModel;
  trans: TranslationBundle;
  name: string;
  /** Opens a SQL editor on the view; null where there is none. */
  query: ((model: ViewModel) => void) | null;
}

/** A view: its query, its columns and facts. */
export class ViewPage extends Widget {
  constructor(private readonly options: IViewPageOptions) {
    super();
    const { model, name, trans } = options;
    this.id = `flowcat-view-${model.id}`;
    this.addClass('fc-Page');
    this.title.label = name;
    this.title.icon = viewIcon;
    this.title.closable = true;
    const layout = new PanelLayout();
    this.layout = layout;
    this._header = new Drawn(() => <Header {...options} />);
    this._header.addClass('fc-Page-header');
    this._pane = new Drawn(() => <Definition {...options} />);
    this._pane.addClass('fc-Page-pane');
    this._pane.node.tabIndex = 0;
    this._pane.node.setAttribute('role', 'region');
    this._pane.node.setAttribute('aria-label', trans.__('What the view is'));
    layout.addWidget(this._header);
    layout.addWidget(this._pane);
    model.changed.connect(this.onChanged, this);
  }

  /** The view shown. */
  get model(): ViewModel {
    return this.options.model;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.model.dispose();
      super.dispose();
    }
  }

  protected override onActivateRequest(_msg: Message): void {
    this._pane.node.focus();
  }

  private onChanged(): void {
    const { view } = this.model;
    if (view) {
      this.title.label = view.name;
      this.title.caption = view.full_name.join('.');
    }
    this._header.update();
    this._pane.update();
  }

  private readonly _header: Drawn;
  private readonly _pane: Drawn;
}

function Header(props: IViewPageOptions): JSX.Element {
  const { model, trans, name, query } = props;
  const { view, gone, error } = model;
  const facts = view && [
    trans._n('%1 column', '%1 columns', view.columns.length),
    trans.__('owner %1', view.owner)
  ];
  return (
    <>
      <div className="fc-Page-title">
        <viewIcon.react tag="span" className="fc-icon" />
        <h2>{view ? view.full_name.join('.') : name}</h2>
        <div className="fc-Page-description">
          {view && (
            <Editable
              label={trans.__('Description')}
              text={view.description ?? ''}
              empty={trans.__('Add a description')}
              trans={trans}
              save={model.editable ? text => model.describe(text) : null}
            />
          )}
        </div>
        {query && view && !gone && (
          <button
            className="jp-mod-styled jp-mod-accept"
            onClick={() => query(model)}
          >
            {trans.__('Query')}
          </button>
        )}
      </div>
      <div className="fc-Page-facts" role="status">
        {gone
          ? trans.__('This view is no longer in the catalog.')
          : (error ?? (facts ? facts.join(' · ') : trans.__('Loading…')))}
      </div>
    </>
  );
}

function Definition({ model, trans }: IViewPageOptions): JSX.Element | null {
  const { view, gone, zone } = model;
  if (!view || gone) {
    return null;
  }
  const properties = Object.entries(view.properties);
  const facts: [string, string | null][] = [
    [trans.__('Name in SQL'), view.sql_name],
    [
      trans.__('Names in it are looked for in'),
      view.catalog && `${view.catalog}.${view.schema ?? ''}`
    ],
    [trans.__('Written in'), view.dialect === 'house' ? null : view.dialect],
    ...properties,
    [trans.__('Created'), exact(view.created_at, zone)],
    [
      trans.__('Changed'),
      trans.__('%1 by %2', exact(view.updated_at, zone), view.updated_by)
    ]
  ];
  return (
    <>
      <h3>{trans.__('Definition')}</h3>
      {view.text === null ? (
        <p className="fc-Quiet">
          {trans.__('Only who manages the view may read its query.')}
        </p>
      ) : (
        <pre className="fc-Definition">
          <code>{view.text}</code>
        </pre>
      )}
      <table className="fc-Table">
        <caption>{trans.__('Columns')}</caption>
        <tbody>
          {view.columns.map(({ name, type, comment }, at) => {
            const TypeIcon = typeIcon(type);
            return (
              <tr key={`${at}/${name}`}>
                <th scope="row">{name}</th>
                <td className="fc-Table-type">
                  <TypeIcon.react tag="span" className="fc-icon" />
                  <code>{type}</code>
                </td>
                <td className="fc-Table-comment">{comment}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <h3>{trans.__('Facts')}</h3>
      <dl className="fc-Facts">
        {facts
          .filter(([, fact]) => fact)
          .map(([name, fact]) => (
            <React.Fragment key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </React.Fragment>
          ))}
      </dl>
    </>
  );
}
