import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { catalogPlugin } from './plugins/catalog';
import { cellsPlugin } from './plugins/cells';
import { filesPlugin } from './plugins/files';
import { framesPlugin } from './plugins/frames';
import { gridPlugin } from './plugins/grid';
import { importsPlugin } from './plugins/imports';
import { launcherPlugin } from './plugins/launcher';
import { notebookPlugin } from './plugins/notebook';
import { statusPlugin } from './plugins/status';
import { sqlPlugin } from './plugins/sql';
import { sidebarPlugin } from './plugins/sidebar';
import { tablePlugin } from './plugins/table';
import { viewPlugin } from './plugins/view';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  catalogPlugin,
  cellsPlugin,
  filesPlugin,
  framesPlugin,
  gridPlugin,
  importsPlugin,
  launcherPlugin,
  notebookPlugin,
  statusPlugin,
  sidebarPlugin,
  sqlPlugin,
  tablePlugin,
  viewPlugin
];

export default plugins;
