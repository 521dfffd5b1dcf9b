import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { catalogPlugin } from './plugins/catalog';
import { sidebarPlugin } from './plugins/sidebar';
import { tablePlugin } from './plugins/table';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  catalogPlugin,
  sidebarPlugin,
  tablePlugin
];

export default plugins;
