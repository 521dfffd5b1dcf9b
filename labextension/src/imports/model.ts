import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { messageOf } from '../api/errors';
import { hasEnded, type RunWatcher } from '../api/runs';
import type {
  ImportMode,
  ImportPreview,
  ImportPreviewRequest,
  Node,
  RunReply
} from '../api/types';
import type { IImportArgs } from '../commands';

import { fileName, quote, tableName } from './names';
import { type IUploadClient, sendFile } from './upload';

/** What an import needs of the client; tests pass a fake. */
export type IImportClient = IUploadClient &
  Pick<CatalogClient, 'importPreview' | 'startImport' | 'tree'>;

/** What an import needs of the runs. */
export type IImportRuns = Pick<RunWatcher, 'follow' | 'cancel'>;

/** Where the table will live. */
export interface IDestination {
  catalog: string;
  schema: string;
  name: string;
}

/** The file to take in: under Jupyter's root, or sent from this browser. */
export interface IImportFile {
  name: string;
  path: string | null;
  uploadId: string | null;
}

const NODES = 500;

/** One import, from the choice of a file to its end. */
export class ImportModel implements IDisposable {
  constructor(
    private readonly client: IImportClient,
    private readonly runs: IImportRuns,
    defaults: { catalog: string; schema: string }
  ) {
    this._destination = { ...defaults, name: '' };
  }

  get file(): IImportFile | null {
    return this._file;
  }

  /** How much of a file was sent; null when none is being sent. */
  get sending(): { name: string; sent: number; size: number } | null {
    return this._sending;
  }

  get preview(): ImportPreview | null {
    return this._preview;
  }

  /** A preview is on the way. */
  get looking(): boolean {
    return this._abort !== null;
  }

  /** Why the file cannot be read, or the import not start. */
  get error(): string | null {
    return this._error;
  }

  /** How the file is to be read, where the person said so. */
  get options(): Readonly<Record<string, string>> {
    return this._options;
  }

  /** The types the person chose, by column. */
  get types(): Readonly<Record<string, string>> {
    return this._types;
  }

  get destination(): Readonly<IDestination> {
    return this._destination;
  }

  get mode(): ImportMode {
    return this._mode;
  }

  /** The run, once it has begun. */
  get run(): RunReply | null {
    return this._run;
  }

  /** The run is at work. */
  get working(): boolean {
    return this._starting || (this._run !== null && !hasEnded(this._run));
  }

  /** All that is needed is there. */
  get ready(): boolean {
    const { catalog, schema, name } = this._destination;
    return (
      !this.working && !!this._preview && !!(catalog && schema && name.trim())
    );
  }

  /** The catalogs and schemas a table can go to. */
  get schemas(): readonly Node[] {
    return this._schemas;
  }

  /** Something to show has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The run ended. */
  get ended(): ISignal<this, RunReply> {
    return this._ended;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Ends the page, not the run. */
  dispose(): void {
    this._disposed = true;
    this._abort?.abort();
    this._upload?.abort();
    Signal.clearData(this);
  }

  /** Begins with what the command said. */
  async begin({ path, catalog, schema }: IImportArgs): Promise<void> {
    if (catalog && schema) {
      Object.assign(this._destination, { catalog, schema });
    }
    await this.loadSchemas();
    if (path) {
      await this.choose({ name: fileName(path), path, uploadId: null });
    }
  }

  /** Sends a file from this browser, then looks at it. */
  async send(file: File): Promise<void> {
    const abort = new AbortController();
    this._upload = abort;
    this._error = null;
    const size = file.size;
    const progress = (sent: number) => {
      this._sending = { name: file.name, sent, size };
      this.emit();
    };
    progress(0);
    try {
      const { signal } = abort;
      const uploadId = await sendFile(this.client, file, progress, signal);
      this._sending = null;
      await this.choose({ name: file.name, path: null, uploadId });
    } catch (reason) {
      this._sending = null;
      this._error = abort.signal.aborted ? null : messageOf(reason);
      this.emit();
    }
  }

  /** Gives up sending a file. */
  stopSending(): void {
    this._upload?.abort();
  }

  /** Takes a file and looks at it. */
  async choose(file: IImportFile): Promise<void> {
    this._file = file;
    this._preview = null;
    this._options = {};
    this._types = {};
    this._run = null;
    this._destination.name = tableName(file.name);
    await this.look();
  }

  /** Lets go of the file. */
  reset(): void {
    this._abort?.abort();
    this._abort = null;
    this._file = null;
    this._preview = null;
    this._run = null;
    this._error = null;
    this.emit();
  }

  /** Says how the file is to be read; null lets the file itself decide again. */
  async setOption(name: string, value: string | null): Promise<void> {
    this._options = withValue(this._options, name, value);
    await this.look();
  }

  /** Gives a column a type; null gives back the proposed one. */
  async setType(column: string, type: string | null): Promise<void> {
    this._types = withValue(this._types, column, type);
    await this.look();
  }

  setDestination(part: Partial<IDestination>): void {
    this._destination = { ...this._destination, ...part };
    this.emit();
  }

  setMode(mode: ImportMode): void {
    this._mode = mode;
    this.emit();
  }

  /** Begins the run and follows it to its end. */
  async start(): Promise<void> {
    if (!this.ready || !this._file) {
      return;
    }
    const { catalog, schema, name } = this._destination;
    this._starting = true;
    this._error = null;
    this.emit();
    try {
      const run = await this.client.startImport({
        ...this.reading(this._file),
        table: [catalog, schema, name.trim()].map(quote).join('.'),
        mode: this._mode
      });
      this._run = run;
      this._starting = false;
      this.emit();
      const ended = await this.runs.follow(run, now => {
        this._run = now;
        this.emit();
      });
      this._run = ended;
      this._ended.emit(ended);
    } catch (reason) {
      this._error = messageOf(reason);
    }
    this._starting = false;
    this.emit();
  }

  /** Asks the run to stop. */
  async cancel(): Promise<void> {
    if (this._run) {
      await this.runs.cancel(this._run.id);
    }
  }

  private async look(): Promise<void> {
    if (!this._file) {
      return;
    }
    this._abort?.abort();
    const abort = new AbortController();
    this._abort = abort;
    this.emit();
    let error: string | null = null;
    let preview = this._preview;
    try {
      preview = await this.client.importPreview(
        this.reading(this._file),
        abort.signal
      );
    } catch (reason) {
      error = messageOf(reason);
    }
    if (this._abort === abort) {
      this._abort = null;
      this._preview = preview;
      this._error = error;
      this.emit();
    }
  }

  private reading({ path, uploadId }: IImportFile): ImportPreviewRequest {
    const file = path === null ? { upload_id: uploadId } : { path };
    return { ...file, options: this._options, types: this._types };
  }

  private async loadSchemas(): Promise<void> {
    try {
      const { items } = await this.client.tree(null, { limit: NODES });
      const lists = await Promise.all(
        items.map(({ id }) => this.client.tree(id, { limit: NODES }))
      );
      this._schemas = lists.flatMap(list => list.items);
    } catch (reason) {
      this._error = messageOf(reason);
    }
    this.emit();
  }

  private emit(): void {
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private _file: IImportFile | null = null;
  private _sending: { name: string; sent: number; size: number } | null = null;
  private _preview: ImportPreview | null = null;
  private _error: string | null = null;
  private _options: Record<string, string> = {};
  private _types: Record<string, string> = {};
  private _destination: IDestination;
  private _mode: ImportMode = 'error';
  private _run: RunReply | null = null;
  private _starting = false;
  private _schemas: readonly Node[] = [];
  private _abort: AbortController | null = null;
  private _upload: AbortController | null = null;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
  private readonly _ended = new Signal<this, RunReply>(this);
}

/** A copy with a value set, or without it. */
function withValue(
  record: Record<string, string>,
  key: string,
  value: string | null
): Record<string, string> {
  const copy = { ...record };
  if (value === null) {
    delete copy[key];
  } else {
    copy[key] = value;
  }
  return copy;
}
