import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import { messageOf } from '../api/errors';

import { commonName } from './names';
import { type IUploadClient, sendFile } from './upload';

/** A file that was sent from this browser. */
export interface ISent {
  id: string;
  name: string;
  size: number;
}

/** What is being sent: which of how many files, and how far it is. */
export interface ISending {
  name: string;
  sent: number;
  size: number;
  number: number;
  of: number;
}

/**
 * The files of an import. They are all under Jupyter's root (then folders and patterns may be
 * among them), or all sent from this browser: choosing the one kind lets go of the other.
 */
export class ImportFiles implements IDisposable {
  constructor(private readonly client: IUploadClient) {}

  /** Files, folders and patterns under Jupyter's root. */
  get paths(): readonly string[] {
    return this._paths;
  }

  /** Files sent from this browser. */
  get uploads(): readonly ISent[] {
    return this._uploads;
  }

  get empty(): boolean {
    return !this._paths.length && !this._uploads.length;
  }

  /** What they are called, in order. */
  get names(): readonly string[] {
    return this._paths.length
      ? this._paths
      : this._uploads.map(({ name }) => name);
  }

  /** A name for the table they become. */
  get proposed(): string {
    return this.empty ? '' : commonName(this.names);
  }

  /** What is being sent; null when nothing is. */
  get sending(): ISending | null {
    return this._sending;
  }

  /** Why a file could not be sent. */
  get error(): string | null {
    return this._error;
  }

  /** They are as a request names them. */
  get request(): { paths: string[] } | { upload_ids: string[] } {
    return this._paths.length
      ? { paths: [...this._paths] }
      : { upload_ids: this._uploads.map(({ id }) => id) };
  }

  /** Other files were chosen; without the sending of files there would be no news. */
  get chosen(): ISignal<this, void> {
    return this._chosen;
  }

  /** What is being sent moved on. */
  get moved(): ISignal<this, void> {
    return this._moved;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    this._abort?.abort();
    Signal.clearData(this);
  }

  /** Adds files, folders or patterns under Jupyter's root. */
  addPaths(paths: readonly string[]): void {
    const added = paths.map(path => path.trim()).filter(Boolean);
    if (added.length) {
      this.letGo(this._uploads);
      this._uploads = [];
      this._paths = [...new Set([...this._paths, ...added])];
      this.tell();
    }
  }

  /** Takes the files of a folder, or some of them, in its place. */
  replace(path: string, paths: readonly string[]): void {
    const at = this._paths.indexOf(path);
    this._paths = this._paths.filter((_, index) => index !== at);
    this.addPaths(paths);
  }

  /** Takes files that were sent before. */
  restore(uploads: readonly ISent[]): void {
    if (uploads.length) {
      this._paths = [];
      this._uploads = uploads;
      this.tell();
    }
  }

  /** Sends files, one after the other; they are chosen once all are there. */
  async send(files: readonly File[]): Promise<void> {
    if (!files.length || this._sending) {
      return;
    }
    const abort = new AbortController();
    this._abort = abort;
    this._error = null;
    const sent: ISent[] = [];
    try {
      for (const [at, file] of files.entries()) {
        const { name, size } = file;
        const progress = (bytes: number) =>
          this.move({
            name,
            sent: bytes,
            size,
            number: at + 1,
            of: files.length
          });
        progress(0);
        const id = await sendFile(this.client, file, progress, abort.signal);
        sent.push({ id, name, size });
      }
      this._sending = null;
      this._paths = [];
      this._uploads = [...this._uploads, ...sent];
      this.tell();
    } catch (reason) {
      this.letGo(sent);
      this._error = abort.signal.aborted ? null : messageOf(reason);
      this.move(null);
    }
  }

  /** Gives up sending. */
  stopSending(): void {
    this._abort?.abort();
  }

  /** Lets go of one of them. */
  remove(name: string, at: number): void {
    if (this._paths[at] === name) {
      this._paths = this._paths.filter((_, index) => index !== at);
    } else {
      this.letGo(this._uploads.slice(at, at + 1));
      this._uploads = this._uploads.filter((_, index) => index !== at);
    }
    this.tell();
  }

  /** Lets go of all. */
  clear(): void {
    this.letGo(this._uploads);
    this._paths = [];
    this._uploads = [];
    this._error = null;
    this.tell();
  }

  private letGo(uploads: readonly ISent[]): void {
    for (const { id } of uploads) {
      // What stays is removed by the server in time.
      this.client.dropUpload(id).catch(() => undefined);
    }
  }

  private move(sending: ISending | null): void {
    this._sending = sending;
    if (!this._disposed) {
      this._moved.emit();
    }
  }

  private tell(): void {
    if (!this._disposed) {
      this._chosen.emit();
    }
  }

  private _paths: readonly string[] = [];
  private _uploads: readonly ISent[] = [];
  private _sending: ISending | null = null;
  private _error: string | null = null;
  private _abort: AbortController | null = null;
  private _disposed = false;
  private readonly _chosen = new Signal<this, void>(this);
  private readonly _moved = new Signal<this, void>(this);
}
