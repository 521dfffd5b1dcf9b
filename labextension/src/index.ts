import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { catalogPlugin } from './plugins/catalog';
import { sidebarPlugin } from './plugins/sidebar';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  catalogPlugin,
  sidebarPlugin
];

export default plugins;
