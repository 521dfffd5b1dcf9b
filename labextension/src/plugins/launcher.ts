import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { CommandIDs } from '../commands';
import { ICatalog, PACKAGE } from '../tokens';

/** The catalog's section of the Launcher. */
export const launcherPlugin: JupyterFrontEndPlugin<void> = {
  id: `${PACKAGE}:launcher`,
  description: 'Adds the catalog to the Launcher.',
  autoStart: true,
  requires: [ICatalog, ILauncher],
  optional: [ITranslator],
  activate: (
    _app: JupyterFrontEnd,
    _catalog: ICatalog,
    launcher: ILauncher,
    translator: ITranslator | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('flowcat_jupyter');
    const category = trans.__('Catalog');
    launcher.add({
      command: CommandIDs.importFile,
      args: { isLauncher: true },
      category,
      rank: 2
    });
    launcher.add({ command: CommandIDs.openCatalog, category, rank: 3 });
  }
};
