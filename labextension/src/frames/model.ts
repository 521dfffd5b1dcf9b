import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';

import type { IFrame, IFrameRow, IKernelFrames } from '../tokens';

import { framesIn, type IKernel } from './asking';

/** Cells that are run one after another are one occasion to ask. */
const PAUSE_MS = 250;
const LOST = new Set<Kernel.Status>([
  'restarting',
  'autorestarting',
  'terminating',
  'dead'
]);

/** Keeps up with the frames in one kernel, by asking it when it has run something. */
export class KernelFrames implements IKernelFrames, IDisposable {
  constructor(private readonly pause = PAUSE_MS) {}

  get frames(): readonly IFrame[] | null {
    return this._frames;
  }

  get rows(): readonly IFrameRow[] {
    this._rows ??= rowsOf(this._frames ?? [], this._expanded);
    return this._rows;
  }

  get selected(): IFrameRow | null {
    return this.rows.find(({ key }) => key === this._selected) ?? null;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get watched(): boolean {
    return this._watched;
  }

  set watched(value: boolean) {
    this._watched = value;
    this.later();
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    this.follow(null);
    Signal.clearData(this);
  }

  /** Keeps up with another kernel from now on; null: with none. */
  follow(kernel: IKernel | null): void {
    if (kernel === this._kernel) {
      return;
    }
    if (this._kernel) {
      const old = this._kernel;
      old.statusChanged.disconnect(this.onStatus, this);
      old.iopubMessage.disconnect(this.onMessage, this);
      old.disposed.disconnect(this.onGone, this);
    }
    this._kernel = kernel;
    kernel?.statusChanged.connect(this.onStatus, this);
    kernel?.iopubMessage.connect(this.onMessage, this);
    kernel?.disposed.connect(this.onGone, this);
    this._stale = true;
    this.keep(null);
    this.later();
  }

  select(key: string | null): void {
    this._selected = key;
    this.emit();
  }

  setExpanded(name: string, expanded: boolean): void {
    if (expanded) {
      this._expanded.add(name);
    } else {
      this._expanded.delete(name);
    }
    this._rows = null;
    this.emit();
  }

  async fresh(): Promise<readonly IFrame[]> {
    await this.ask();
    return this._frames ?? [];
  }

  private onStatus(_: unknown, status: Kernel.Status): void {
    if (LOST.has(status)) {
      this._stale = true;
      this.keep(null);
    } else if (status === 'idle') {
      this.later();
    }
  }

  private onMessage(_: unknown, { header }: KernelMessage.IIOPubMessage): void {
    // What is asked silently, as here, is not echoed so.
    if (header.msg_type === 'execute_input') {
      this._stale = true;
    }
  }

  private onGone(): void {
    this.follow(null);
  }

  private later(): void {
    clearTimeout(this._timer);
    if (this._stale && this._watched && this._kernel && !this._disposed) {
      this._timer = setTimeout(() => void this.ask(), this.pause);
    }
  }

  private ask(): Promise<void> {
    const kernel = this._kernel;
    if (!kernel || !this._stale || kernel.status !== 'idle') {
      return this._asking ?? Promise.resolve();
    }
    this._stale = false;
    const asking = framesIn(kernel)
      // The kernel has died or was asked for by nobody any more.
      .catch(() => null)
      .then(found => {
        if (kernel === this._kernel) {
          this._asking = null;
          this.keep(found);
        }
      });
    this._asking = asking;
    return asking;
  }

  private keep(frames: readonly IFrame[] | null): void {
    this._frames = frames;
    this._rows = null;
    this.emit();
  }

  private emit(): void {
    if (!this._disposed) {
      this._changed.emit();
    }
  }

  private _kernel: IKernel | null = null;
  private _frames: readonly IFrame[] | null = null;
  private _rows: readonly IFrameRow[] | null = null;
  private readonly _expanded = new Set<string>();
  private _selected: string | null = null;
  private _watched = false;
  private _stale = true;
  private _asking: Promise<void> | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
}

function rowsOf(
  frames: readonly IFrame[],
  open: ReadonlySet<string>
): IFrameRow[] {
  return frames.flatMap((frame, at) => {
    const expanded = expandable(frame) && open.has(frame.name);
    const head: IFrameRow = {
      key: frame.name,
      frame,
      column: null,
      expanded,
      position: at + 1,
      size: frames.length
    };
    const columns = expanded ? (frame.columns ?? []) : [];
    return [
      head,
      ...columns.map((column, place) => ({
        key: `${frame.name}\n${place}`,
        frame,
        column,
        expanded: false,
        position: place + 1,
        size: frame.columns_total ?? columns.length
      }))
    ];
  });
}

/** Whether columns of a frame are known. */
export function expandable(frame: IFrame): boolean {
  return frame.columns !== null && frame.columns.length > 0;
}

/** Whether a look at a frame leaves it as it is: a stream of Arrow data is read once. */
export function previewable(frame: IFrame): boolean {
  return frame.kind !== 'arrow' || frame.rows !== null;
}

/** Python that shows the first rows of a frame. */
export function previewCode({ name, kind }: IFrame): string {
  return `flowfile_ctx.display(${kind === 'lazy' ? `${name}.head(100)` : name})`;
}

/** The row that a key leads to from the selected one; null: the key means nothing. */
export function keyRow(frames: IKernelFrames, key: string): IFrameRow | null {
  const { rows, selected } = frames;
  const at = selected ? rows.indexOf(selected) : -1;
  const to: Record<string, number> = {
    ArrowDown: Math.min(at + 1, rows.length - 1),
    ArrowUp: Math.max(at - 1, 0),
    Home: 0,
    End: rows.length - 1,
    ArrowLeft: selected?.column
      ? rows.findIndex(row => row.key === selected.frame.name)
      : at,
    ArrowRight: selected?.expanded ? at + 1 : at
  };
  return rows[to[key]] ?? null;
}
