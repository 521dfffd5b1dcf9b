import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { catalogPlugin } from './plugins/catalog';

const plugins: JupyterFrontEndPlugin<unknown>[] = [catalogPlugin];

export default plugins;
