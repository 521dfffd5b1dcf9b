import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import type { ImportMode } from './api/types';

/**
 * The commands of the extension. Their arguments are plain JSON, so that menus, shortcuts, layout
 * restoration and other extensions can run them.
 */
export const CommandIDs = {
  /** Shows or hides the catalog in the left area. */
  toggle: 'flowcat:toggle',
  /** Shows the catalog; `{query?: string}` searches it. */
  openCatalog: 'flowcat:open-catalog',
  /** Reloads what the tree shows. */
  refresh: 'flowcat:refresh',
  /** Opens a table's page; {@link IOpenTableArgs}. */
  openTable: 'flowcat:open-table',
  /** Opens the table that an address names. */
  openTableLink: 'flowcat:open-table-link',
  /** Opens a view's page; {@link IOpenViewArgs}. */
  openView: 'flowcat:open-view',
  /** Opens the import page; {@link IImportArgs}. */
  importFile: 'flowcat:import',
  /** Shows the lines that an import rejected; {@link IRejectsArgs}. */
  openRejects: 'flowcat:open-rejects',
  /** Shows rows of a file or folder; {@link IPreviewArgs}. */
  previewFile: 'flowcat:preview-file',
  /** Shows rows of what is selected in the file browser. */
  previewSelected: 'flowcat:preview-selected',
  /** Imports what is selected in the file browser. */
  importSelected: 'flowcat:import-selected',
  /** Loads the demo catalog. */
  loadDemo: 'flowcat:load-demo',
  /** Drops the demo catalog, after asking. */
  removeDemo: 'flowcat:remove-demo',
  /** Lets the person bring back a dropped table. */
  undrop: 'flowcat:undrop',
  /** Asks for a name and makes a catalog. */
  newCatalog: 'flowcat:new-catalog',
  /** Asks for a name and makes a schema; `{parent?: number}`. */
  newSchema: 'flowcat:new-schema',
  /** Asks for a folder and registers it as a table. */
  registerFolder: 'flowcat:register-folder',
  /** Lists the background runs. */
  showRuns: 'flowcat:show-runs',

  /** Opens a SQL editor; {@link IQueryArgs}. */
  newQuery: 'flowcat:new-query',
  /** Runs the statement at the cursor of the SQL editor. */
  runQuery: 'flowcat:run-query',
  /** Runs the whole text of the SQL editor. */
  runAllQueries: 'flowcat:run-all-queries',
  /** Tells what the statement at the cursor of the SQL editor would change, without changing it. */
  previewChanges: 'flowcat:preview-changes',
  /** Stops the query of the SQL editor. */
  cancelQuery: 'flowcat:cancel-query',
  /** Saves the SQL editor's text as a file. */
  saveQuery: 'flowcat:save-query',
  /** Proposes what may follow at the cursor of the SQL editor. */
  completeQuery: 'flowcat:complete-query',
  /** Takes the chosen proposal. */
  acceptCompletion: 'flowcat:accept-completion',
  /** Opens a new notebook of ours; {@link ICellArgs} of its first cell. */
  newNotebook: 'flowcat:new-notebook',
  /** Adds a cell to the open notebook; {@link ICellArgs}. */
  addToNotebook: 'flowcat:add-to-notebook',

  // These act on the row selected in the catalog.
  open: 'flowcat:open-selected',
  query: 'flowcat:query-selected',
  notebook: 'flowcat:notebook-selected',
  addCell: 'flowcat:add-cell-selected',
  addPythonCell: 'flowcat:add-python-cell-selected',
  copyName: 'flowcat:copy-name',
  copySqlName: 'flowcat:copy-sql-name',
  copySelect: 'flowcat:copy-select',
  copyPython: 'flowcat:copy-python',
  rename: 'flowcat:rename-selected',
  move: 'flowcat:move-selected',
  history: 'flowcat:history-selected',
  drop: 'flowcat:drop-selected',
  addSchema: 'flowcat:add-schema',

  // These act on the frame selected in the catalog.
  queryFrame: 'flowcat:query-frame',
  previewFrame: 'flowcat:preview-frame',
  copyFrameName: 'flowcat:copy-frame-name'
} as const;

/** Arguments of {@link CommandIDs.openTable}. */
export interface IOpenTableArgs {
  /** The table's id, which outlives a rename. */
  id: number;
  /** Its name, shown until the table is loaded. */
  name?: string;
  /** A version of its past; absent or null: now. */
  version?: number | null;
  /** The tab to show first. */
  tab?: 'rows' | 'columns' | 'history' | 'maintenance' | 'about';
  /** False for a preview that leaves the focus where it is. */
  activate?: boolean;
  /** An order and conditions of the rows, with columns by name. */
  view?: ReadonlyPartialJSONObject;
}

/** Arguments of {@link CommandIDs.openView}. */
export interface IOpenViewArgs {
  id: number;
  /** Its name, shown until the view is loaded. */
  name?: string;
  /** False for a preview that leaves the focus where it is. */
  activate?: boolean;
}

/** Arguments of {@link CommandIDs.importFile}; without a file the page asks for one. */
export interface IImportArgs {
  /** A file, folder or pattern, by its path under Jupyter's root. */
  path?: string;
  /** Several of them, for one table. */
  paths?: string[];
  /** Files that were sent from this browser. */
  uploads?: { id: string; name: string; size: number }[];
  /** Where the table will live: its catalog. */
  catalog?: string;
  /** Where the table will live: its schema. */
  schema?: string;
  /** The table's name; after the files' without it. */
  table?: string;
  /** What becomes of a table that is there. */
  mode?: ImportMode;
  /** Of an upsert: the columns that match rows. */
  keys?: string[];
  /** How the files are to be read, where a person said so. */
  options?: Record<string, string>;
  /** The types of columns, where a person said so. */
  types?: Record<string, string>;
  /** The run that a page which is restored had begun. */
  run?: number;
}

/** Arguments of {@link CommandIDs.openRejects}. */
export interface IRejectsArgs {
  /** The run's id. */
  run: number;
  /** What the run was called. */
  title?: string;
}

/** Arguments of {@link CommandIDs.previewFile}. */
export interface IPreviewArgs {
  /** A file or folder, by its path under Jupyter's root. */
  path: string;
}

/** Arguments of {@link CommandIDs.newQuery}. */
export interface IQueryArgs {
  /** The text to start with. */
  query?: string;
  /** The catalog names resolve in. */
  catalog?: string | null;
  /** The schema names resolve in. */
  schema?: string | null;
  /** The engine a person chose. */
  engine?: string | null;
  /** The number of an editor that is restored. */
  number?: number;
  /** Whether a person has changed the text of an editor that is restored. */
  edited?: boolean;
}

/** Arguments of {@link CommandIDs.newNotebook} and {@link CommandIDs.addToNotebook}. */
export interface ICellArgs {
  /** A table to read, as SQL text. */
  sqlName?: string;
  /** In which language to read it; SQL when absent. */
  form?: 'sql' | 'python';
  /** A query to run instead. */
  query?: string;
  /** The catalog the query's names resolve in. */
  catalog?: string | null;
  /** The schema the query's names resolve in. */
  schema?: string | null;
}
