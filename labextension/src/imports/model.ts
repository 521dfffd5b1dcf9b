import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CatalogClient } from '../api/client';
import { messageOf } from '../api/errors';
import { hasEnded, type RunWatcher } from '../api/runs';
import type {
  Drift,
  ImportPreview,
  ImportPreviewRequest,
  RunReply
} from '../api/types';
import type { IImportArgs } from '../commands';

import { ImportFiles } from './files';
import { ImportTarget, type ITargetClient } from './target';
import type { IUploadClient } from './upload';
import { withValues } from './values';

/** What an import needs of the client; tests pass a fake. */
export type IImportClient = IUploadClient &
  ITargetClient &
  Pick<CatalogClient, 'importPreview' | 'startImport' | 'forgetImport' | 'run'>;

/** What an import needs of the runs. */
export type IImportRuns = Pick<RunWatcher, 'follow' | 'cancel'>;

/** One import, from the choice of files to its end. */
export class ImportModel implements IDisposable {
  constructor(
    private readonly client: IImportClient,
    private readonly runs: IImportRuns,
    defaults: { catalog: string; schema: string },
    wait?: number
  ) {
    this.files = new ImportFiles(client);
    this.target = new ImportTarget(client, defaults, wait);
    this.files.chosen.connect(this.onFiles, this);
    this.files.moved.connect(this.emit, this);
    this.target.changed.connect(this.onTarget, this);
  }

  /** What is read. */
  readonly files: ImportFiles;

  /** Where it goes. */
  readonly target: ImportTarget;

  get preview(): ImportPreview | null {
    return this._preview;
  }

  /** A preview is on the way. */
  get looking(): boolean {
    return this._abort !== null;
  }

  /** Why the files cannot be read, or the import not start. */
  get error(): string | null {
    return this._error ?? this.files.error ?? this.target.error;
  }

  /** How the files are to be read, where the person said so. */
  get options(): Readonly<Record<string, string>> {
    return this._options;
  }

  /** The types the person chose, by column. */
  get types(): Readonly<Record<string, string>> {
    return this._types;
  }

  /** How the columns differ from those of the table they are added to; null: they do not. */
  get drift(): Drift | null {
    return (this.target.adds && this._preview?.drift) || null;
  }

  /** The person takes the drift as it is. */
  get acceptsDrift(): boolean {
    return this._acceptsDrift;
  }

  /** What was said is kept for the next delivery. */
  get remembers(): boolean {
    return this._remembers;
  }

  /** The import would stop at a line that does not fit. */
  get stops(): boolean {
    const preview = this._preview;
    return !!preview?.rejected && preview.options.bad_rows === 'stop';
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
    return (
      !this.working &&
      !this._abort &&
      !!this._preview &&
      this.target.complete &&
      (!this.drift || this._acceptsDrift)
    );
  }

  /** What brings the page back after a reload. */
  get state(): IImportArgs {
    const { catalog, schema, name } = this.target.place;
    return {
      paths: [...this.files.paths],
      uploads: this.files.uploads.map(upload => ({ ...upload })),
      catalog,
      schema,
      table: name,
      mode: this.target.mode,
      keys: [...this.target.keys],
      options: { ...this._options },
      types: { ...this._types },
      ...(this._run ? { run: this._run.id } : {})
    };
  }

  /** Something to show has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Ends the page, not the run. */
  dispose(): void {
    this._disposed = true;
    this._abort?.abort();
    this.files.dispose();
    this.target.dispose();
    Signal.clearData(this);
  }

  /** Begins with what the command said. */
  async begin(args: IImportArgs): Promise<void> {
    const { catalog, schema, table, mode, keys, options, types } = args;
    if (catalog && schema) {
      this.target.setPlace({ catalog, schema });
    }
    this.target.setMode(mode ?? 'error');
    this.target.setKeys(keys ?? []);
    void this.target.load();
    this._options = { ...options };
    this._types = { ...types };
    const before = args.run === undefined ? null : this.again(args.run);
    this._named = !!table;
    if (table) {
      this.target.setPlace({ name: table });
    }
    this.files.restore(args.uploads ?? []);
    this.files.addPaths([
      ...(args.path ? [args.path] : []),
      ...(args.paths ?? [])
    ]);
    await before;
  }

  /** Lets go of the files, and of all that was said about them. */
  reset(): void {
    this._options = {};
    this._types = {};
    this._run = null;
    this._named = false;
    this.files.clear();
  }

  /** Names the table; from then on the name does not follow the files. */
  setName(name: string): void {
    this._named = true;
    this.target.setPlace({ name });
  }

  /** Says how the files are to be read; null lets the files decide again. */
  async setOption(name: string, value: string | null): Promise<void> {
    this._options = withValues(this._options, [name], value);
    await this.look();
  }

  /** Gives columns a type; null gives back the proposed ones. */
  async setTypes(
    columns: readonly string[],
    type: string | null
  ): Promise<void> {
    this._types = withValues(this._types, columns, type);
    await this.look();
  }

  /** Takes the difference between the columns and the table's, or not. */
  acceptDrift(accepts: boolean): void {
    this._acceptsDrift = accepts;
    this.emit();
  }

  /** Keeps what was said for the next delivery, or not. */
  remember(remembers: boolean): void {
    this._remembers = remembers;
    this.emit();
  }

  /** Forgets how earlier files of this source were read, and reads these by themselves. */
  async forget(): Promise<void> {
    const { paths, uploads } = this.files;
    try {
      await this.client.forgetImport(
        paths.length
          ? { path: paths }
          : { name: uploads.map(({ name }) => name) }
      );
    } catch (reason) {
      this._error = messageOf(reason);
      this.emit();
      return;
    }
    await this.look();
  }

  /** Begins the run and follows it to its end. */
  async start(): Promise<void> {
    if (!this.ready) {
      return;
    }
    const { sqlName, mode, keys } = this.target;
    this._starting = true;
    this._error = null;
    this._run = null;
    this.emit();
    try {
      const run = await this.client.startImport({
        ...this.reading,
        table: sqlName,
        mode,
        merge_keys: mode === 'upsert' ? [...keys] : [],
        accept_drift: this._acceptsDrift && this.drift !== null,
        remember: this._remembers
      });
      await this.follow(run);
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

  /** Looks at the files. */
  async look(): Promise<void> {
    this._abort?.abort();
    this._abort = null;
    if (this.files.empty) {
      this._preview = null;
      this._error = null;
      this.emit();
      return;
    }
    const abort = new AbortController();
    this._abort = abort;
    this.emit();
    let error: string | null = null;
    let preview = this._preview;
    try {
      preview = await this.client.importPreview(
        { ...this.reading, ...this.compared },
        abort.signal
      );
    } catch (reason) {
      error = messageOf(reason);
    }
    if (this._abort === abort) {
      this._abort = null;
      if (
        JSON.stringify(preview?.drift) !== JSON.stringify(this._preview?.drift)
      ) {
        // What was accepted was another difference.
        this._acceptsDrift = false;
      }
      this._preview = preview;
      this._error = error;
      this.emit();
    }
  }

  /** Follows a run that has begun. */
  private async follow(run: RunReply): Promise<void> {
    this._run = run;
    this._starting = false;
    this.emit();
    this._run = await this.runs.follow(run, now => {
      this._run = now;
      this.emit();
    });
    this.emit();
    if (this._disposed) {
      return;
    }
    if (this._run.state === 'succeeded') {
      await this.target.look();
    } else if (this._run.error?.code === 'Conflict') {
      // The table is not what it was when its columns were compared.
      await this.target.look();
      await this.look();
    }
  }

  /** Takes up a run that the page had begun before it was reloaded. */
  private async again(id: number): Promise<void> {
    try {
      const run = await this.client.run(id);
      await (hasEnded(run) ? this.show(run) : this.follow(run));
    } catch {
      // It is too long ago: the page goes on without it.
    }
  }

  private show(run: RunReply): void {
    this._run = run;
    this.emit();
  }

  private onFiles(): void {
    this._run = this.working ? this._run : null;
    if (!this._named) {
      this.target.setPlace({ name: this.files.proposed });
    }
    this._preview = null;
    void this.look();
  }

  private onTarget(): void {
    const { table = null } = this.compared;
    if (table !== this._compared) {
      this._compared = table;
      this._acceptsDrift = false;
      void this.look();
      return;
    }
    this.emit();
  }

  private get reading(): ImportPreviewRequest {
    return {
      ...this.files.request,
      options: this._options,
      types: this._types
    };
  }

  /** The table to compare the columns with. */
  private get compared(): Pick<ImportPreviewRequest, 'table' | 'mode'> {
    const { adds, sqlName, mode } = this.target;
    return adds ? { table: sqlName, mode } : {};
  }

  private emit(): void {
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private _preview: ImportPreview | null = null;
  private _error: string | null = null;
  private _options: Record<string, string> = {};
  private _types: Record<string, string> = {};
  private _acceptsDrift = false;
  private _remembers = true;
  private _named = false;
  private _compared: string | null = null;
  private _run: RunReply | null = null;
  private _starting = false;
  private _abort: AbortController | null = null;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}
