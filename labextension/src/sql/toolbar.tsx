import { ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect, runIcon, stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { QueryPanel } from './widget';

/** What an editor's toolbar shows: where names resolve, run, cancel and the engine. */
export class QueryToolbar extends ReactWidget {
  constructor(
    private readonly panel: QueryPanel,
    private readonly trans: TranslationBundle
  ) {
    super();
    this.addClass('fc-Query-toolbar');
    panel.scope.changed.connect(this.update, this);
    panel.model.changed.connect(this.update, this);
  }

  protected render(): JSX.Element {
    const { panel, trans } = this;
    const { scope, model } = panel;
    const running = model.state === 'running';
    const run = trans.__('Run the statement at the cursor (Shift+Enter)');
    const preview = trans.__(
      'Tell what the INSERT, UPDATE, DELETE or MERGE at the cursor would change, without changing it'
    );
    const cancel = trans.__('Cancel the query');
    return (
      <>
        <Choice
          label={trans.__('Catalog')}
          names={scope.catalogs}
          chosen={scope.catalog}
          onChoose={name => void scope.choose(name)}
        />
        <Choice
          label={trans.__('Schema')}
          names={scope.schemas}
          chosen={scope.schema}
          onChoose={name => scope.chooseSchema(name)}
        />
        <button
          className="jp-ToolbarButtonComponent jp-mod-minimal jp-Button"
          title={run}
          aria-label={run}
          onClick={() => panel.run()}
        >
          <runIcon.react tag="span" />
          <span className="jp-ToolbarButtonComponent-label">
            {trans.__('Run')}
          </span>
        </button>
        <button
          className="jp-ToolbarButtonComponent jp-mod-minimal jp-Button"
          title={preview}
          onClick={() => panel.preview()}
        >
          <span className="jp-ToolbarButtonComponent-label">
            {trans.__('Preview Changes')}
          </span>
        </button>
        <button
          className="jp-ToolbarButtonComponent jp-mod-minimal jp-Button"
          title={cancel}
          aria-label={cancel}
          disabled={!running}
          onClick={() => void model.cancel()}
        >
          <stopIcon.react tag="span" />
        </button>
        {scope.engines.length > 1 && (
          <Engine
            label={trans.__('Engine')}
            first={trans.__('%1 first', scope.defaultEngine ?? '')}
            engines={scope.engines}
            chosen={scope.engine}
            onChoose={engine => scope.chooseEngine(engine)}
          />
        )}
      </>
    );
  }
}

/** What runs the query: the server's own choice comes first. */
function Engine(props: {
  label: string;
  first: string;
  engines: readonly string[];
  chosen: string | null;
  onChoose(engine: string | null): void;
}): JSX.Element {
  const { label, first, engines, chosen, onChoose } = props;
  return (
    <label className="fc-Query-choice">
      <span>{label}</span>
      <HTMLSelect
        value={chosen ?? ''}
        onChange={event => onChoose(event.target.value || null)}
      >
        <option value="">{first}</option>
        {engines.map(name => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </HTMLSelect>
    </label>
  );
}

function Choice(props: {
  label: string;
  names: readonly string[];
  chosen: string | null;
  onChoose(name: string): void;
}): JSX.Element {
  const { label, names, chosen, onChoose } = props;
  return (
    <label className="fc-Query-choice">
      <span>{label}</span>
      <HTMLSelect
        value={chosen ?? ''}
        onChange={event => onChoose(event.target.value)}
      >
        {chosen === null && <option value="" />}
        {names.map(name => (
          <option key={name}>{name}</option>
        ))}
      </HTMLSelect>
    </label>
  );
}
