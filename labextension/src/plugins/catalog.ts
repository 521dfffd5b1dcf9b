import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';

import { CatalogClient } from '../api/client';
import { CatalogFeed } from '../api/feed';
import { RunWatcher } from '../api/runs';
import { ICatalog, PACKAGE } from '../tokens';

const CHANGES_SCHEMA = 'https://schemas.flowcat.dev/events/changes/v1';

/** Reaches the catalog of this Jupyter server and follows its changes. */
export const catalogPlugin: JupyterFrontEndPlugin<ICatalog> = {
  id: `${PACKAGE}:catalog`,
  description: 'Reaches the data catalog of this Jupyter server.',
  autoStart: true,
  provides: ICatalog,
  activate: (app: JupyterFrontEnd): ICatalog => {
    const { serverSettings, events } = app.serviceManager;
    const client = new CatalogClient(serverSettings);
    const feed = new CatalogFeed(client);
    const runs = new RunWatcher(client, feed);
    events.stream.connect((_, event) => {
      if (event.schema_id === CHANGES_SCHEMA) {
        feed.hint(Number(event.seq));
      }
    });
    void app.restored.then(() => feed.start());
    return { client, feed, runs };
  }
};
