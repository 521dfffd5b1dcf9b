import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ISearchProviderRegistry } from '@jupyterlab/documentsearch';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { Widget } from '@lumino/widgets';

import { findableIn, GridSearch } from '../grid/search';
import { gridHabits } from '../grid/settings';
import { PACKAGE } from '../tokens';

const ID = `${PACKAGE}:grid`;

/** Lets Lab's Find search grids, and Lab's settings keep how a person likes them. */
export const gridPlugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'Searches grids, and keeps how a person likes them.',
  autoStart: true,
  optional: [ISettingRegistry, ISearchProviderRegistry],
  activate: (
    _app: JupyterFrontEnd,
    registry: ISettingRegistry | null,
    search: ISearchProviderRegistry | null
  ): void => {
    if (registry) {
      void follow(registry);
    }
    search?.add('flowcat:grid', {
      isApplicable: (widget): widget is Widget =>
        widget.hasClass('fc-Page') && findableIn(widget) !== null,
      createNew: widget => new GridSearch(widget)
    });
  }
};

async function follow(registry: ISettingRegistry): Promise<void> {
  const settings = await registry.load(ID);
  const read = () => {
    const { plain, spread, formulaSafe } = settings.composite;
    gridHabits.load({
      plain: plain === true,
      spread: spread === true,
      formulaSafe: formulaSafe === true
    });
  };
  settings.changed.connect(read);
  gridHabits.keep = habits => {
    for (const [name, value] of Object.entries(habits)) {
      if (settings.composite[name] !== value) {
        void settings.set(name, value);
      }
    }
  };
  read();
}
