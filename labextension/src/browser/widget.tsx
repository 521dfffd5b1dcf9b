import { ReactWidget } from '@jupyterlab/apputils';
import { addIcon, refreshIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { CommandIDs } from '../commands';
import { catalogIcon } from '../icons';
import { KernelSection } from '../frames/section';
import type { ICatalog, IKernelFrames } from '../tokens';

import type { SidebarActions } from './actions';
import type { ISearch, TreeModel } from './model';
import { Notice } from './notice';
import { Tree } from './tree';

const TYPING_MS = 180;

/** What the sidebar is made of. */
export interface ISidebarOptions {
  catalog: ICatalog;
  model: TreeModel;
  actions: SidebarActions;
  /** What is in the kernel; null without notebooks. */
  frames: IKernelFrames | null;
  trans: TranslationBundle;
  /** Runs a command by its id. */
  execute(command: string): void;
  /** Opens the menu of what can be made, at a place on the screen. */
  addMenu(x: number, y: number): void;
}

/** The catalog in the left area. */
export class CatalogSidebar extends ReactWidget {
  constructor(private readonly options: ISidebarOptions) {
    super();
    this.id = 'flowcat-sidebar';
    this.addClass('fc-Sidebar');
    this.title.icon = catalogIcon;
    this.title.caption = options.trans.__('Catalog');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', options.trans.__('Catalog'));
    const { model, catalog } = options;
    model.changed.connect(this.update, this);
    catalog.feed.stateChanged.connect(this.update, this);
    catalog.runs.changed.connect(this.update, this);
    options.frames?.changed.connect(this.update, this);
  }

  /** Whether one click opens a row, as in the file browser. */
  get singleClick(): boolean {
    return this._singleClick;
  }

  set singleClick(value: boolean) {
    this._singleClick = value;
    this.update();
  }

  /** Begins to edit the name of the selected row. */
  editName(): void {
    this._editing = this.options.model.selected?.key ?? null;
    this.update();
  }

  /** Puts a text into the search box and searches for it. */
  searchFor(text: string): void {
    this._text = text;
    this.options.model.setQuery(text);
    this.update();
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this.watch(true);
  }

  protected override onAfterHide(msg: Message): void {
    super.onAfterHide(msg);
    this.watch(false);
  }

  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    const focus = () =>
      this.node
        .querySelector<HTMLElement>(
          '.fc-Tree-row[tabindex="0"], .fc-Sidebar-search'
        )
        ?.focus();
    requestAnimationFrame(focus);
  }

  protected render(): JSX.Element {
    const { catalog, model, actions, frames, trans, execute, addMenu } =
      this.options;
    const ready = model.catalogs !== null;
    return (
      <>
        <div className="fc-Sidebar-header">
          <h2>{trans.__('Catalog')}</h2>
          <button
            className="jp-Button jp-mod-minimal"
            title={trans.__('Refresh the catalog')}
            aria-label={trans.__('Refresh the catalog')}
            onClick={() => execute(CommandIDs.refresh)}
          >
            <refreshIcon.react tag="span" />
          </button>
          <button
            className="jp-Button jp-mod-minimal"
            title={trans.__('Add to the catalog')}
            aria-label={trans.__('Add to the catalog')}
            aria-haspopup="menu"
            onClick={event => {
              const box = event.currentTarget.getBoundingClientRect();
              addMenu(box.left, box.bottom);
            }}
          >
            <addIcon.react tag="span" />
          </button>
        </div>
        <input
          className="fc-Sidebar-search"
          type="search"
          value={this._text}
          placeholder={trans.__('Search tables, columns')}
          aria-label={trans.__('Search tables and columns')}
          onChange={event => this.type(event.target.value)}
          onKeyDown={event => this.onSearchKey(event)}
        />
        <Notice
          catalog={catalog}
          model={model}
          trans={trans}
          execute={execute}
        />
        <SearchNote search={model.search} trans={trans} />
        {ready && (
          <Tree
            model={model}
            actions={actions}
            trans={trans}
            singleClick={this._singleClick}
            editing={this._editing}
            onEdit={key => {
              this._editing = key;
              this.update();
            }}
          />
        )}
        {frames && (
          <KernelSection frames={frames} trans={trans} execute={execute} />
        )}
      </>
    );
  }

  /** The kernel is asked only while the sidebar is in sight. */
  private watch(watched: boolean): void {
    if (this.options.frames) {
      this.options.frames.watched = watched;
    }
  }

  private type(text: string): void {
    this._text = text;
    this.update();
    clearTimeout(this._timer);
    this._timer = setTimeout(
      () => this.options.model.setQuery(text),
      text ? TYPING_MS : 0
    );
  }

  private onSearchKey(event: React.KeyboardEvent<HTMLInputElement>): void {
    const { model } = this.options;
    if (event.key === 'Escape' && this._text) {
      this.type('');
      event.stopPropagation();
    } else if (event.key === 'ArrowDown') {
      const row = model.rows.find(({ type }) => type === 'item');
      if (row?.type === 'item') {
        model.select(model.selected?.key ?? row.item.key);
        requestAnimationFrame(() =>
          this.node
            .querySelector<HTMLElement>('.fc-Tree-row[tabindex="0"]')
            ?.focus()
        );
      }
      event.preventDefault();
    }
  }

  private _text = '';
  private _editing: string | null = null;
  private _singleClick = false;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

function SearchNote(props: {
  search: ISearch | null;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { search, trans } = props;
  if (!search) {
    return null;
  }
  return (
    <div className="fc-Sidebar-note" role="status">
      {noteText(search, trans)}
    </div>
  );
}

function noteText(search: ISearch, trans: TranslationBundle): string {
  const { query, items, total, loading, error } = search;
  if (error) {
    return error;
  }
  if (loading && !items.length) {
    return trans.__('Searching…');
  }
  if (!items.length) {
    return trans.__(
      'Nothing in the catalog has “%1” in its name, its tags or its comments.',
      query
    );
  }
  return items.length < total
    ? trans.__('The first %1 of %2 matches', items.length, total)
    : trans._n('%1 match', '%1 matches', total);
}
