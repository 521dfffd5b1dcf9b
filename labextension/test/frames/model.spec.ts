import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import type { IKernel } from '../../src/frames/asking';
import {
  KernelFrames,
  keyRow,
  previewable,
  previewCode
} from '../../src/frames/model';
import type { IFrame } from '../../src/tokens';
import { settle } from '../helpers';

const MIME = 'application/vnd.flowcat.frames+json';

function frame(name: string, rest: Partial<IFrame> = {}): IFrame {
  return {
    name,
    kind: 'polars',
    rows: 2,
    columns: [
      { name: 'a', type: 'bigint' },
      { name: 'b', type: 'string' }
    ],
    columns_total: 2,
    bytes: 16,
    ...rest
  };
}

/** A kernel that holds frames and counts how often it is asked. */
class FakeKernel {
  status: Kernel.Status = 'idle';
  language = 'python';
  frames: unknown = [];
  asked = 0;
  fails = false;
  readonly statusChanged = new Signal<this, Kernel.Status>(this);
  readonly iopubMessage = new Signal<this, unknown>(this);
  readonly disposed = new Signal<this, void>(this);

  get info() {
    return Promise.resolve({ language_info: { name: this.language } });
  }

  get asKernel(): IKernel {
    return this as unknown as IKernel;
  }

  requestExecute(content: Record<string, unknown>) {
    expect(content).toMatchObject({
      code: '',
      silent: true,
      store_history: false
    });
    this.asked += 1;
    this.go('busy');
    this.go('idle');
    const reply = {
      status: 'ok',
      user_expressions: { frames: { data: { [MIME]: this.frames } } }
    };
    return {
      done: this.fails
        ? Promise.reject(new Error('Canceled'))
        : Promise.resolve({ content: reply })
    };
  }

  go(status: Kernel.Status) {
    this.status = status;
    this.statusChanged.emit(status);
  }

  /** Runs a cell of a person's. */
  run(frames: unknown) {
    this.go('busy');
    this.iopubMessage.emit({ header: { msg_type: 'execute_input' } });
    this.frames = frames;
    this.go('idle');
  }
}

async function pass(): Promise<void> {
  await jest.advanceTimersByTimeAsync(300);
  await settle();
}

describe('the frames in a kernel', () => {
  let kernel: FakeKernel;
  let model: KernelFrames;

  beforeEach(() => {
    jest.useFakeTimers();
    kernel = new FakeKernel();
    model = new KernelFrames();
    model.watched = true;
  });

  afterEach(() => {
    model.dispose();
    jest.useRealTimers();
  });

  const names = () => model.frames?.map(({ name }) => name) ?? null;

  it('are asked for once it is idle, and again after each run, once', async () => {
    kernel.frames = [frame('df')];
    model.follow(kernel.asKernel);
    await pass();
    expect(names()).toEqual(['df']);
    kernel.run([frame('df'), frame('more')]);
    kernel.run([frame('more')]);
    await pass();
    expect(names()).toEqual(['more']);
    expect(kernel.asked).toBe(2);
    kernel.go('busy');
    kernel.go('idle');
    await pass();
    expect(kernel.asked).toBe(2);
  });

  it('are not asked of a busy kernel, nor for nobody', async () => {
    kernel.status = 'busy';
    model.follow(kernel.asKernel);
    await pass();
    model.watched = false;
    kernel.run([frame('df')]);
    await pass();
    expect(kernel.asked).toBe(0);
    expect((await model.fresh()).length).toBe(1);
    model.watched = true;
    await pass();
    expect(kernel.asked).toBe(1);
  });

  it('are none where the kernel has no extension, or no Python', async () => {
    kernel.frames = undefined;
    model.follow(kernel.asKernel);
    await pass();
    expect(model.frames).toBeNull();
    const other = new FakeKernel();
    other.language = 'R';
    model.follow(other.asKernel);
    await pass();
    expect(other.asked).toBe(0);
    expect(model.frames).toBeNull();
  });

  it('go with the kernel, and come with the next', async () => {
    kernel.frames = [frame('df')];
    model.follow(kernel.asKernel);
    await pass();
    kernel.go('autorestarting');
    expect(model.frames).toBeNull();
    kernel.frames = [];
    kernel.go('idle');
    await pass();
    expect(model.frames).toEqual([]);
    kernel.disposed.emit();
    expect(model.frames).toBeNull();
    const next = new FakeKernel();
    next.frames = [frame('x')];
    model.follow(next.asKernel);
    kernel.run([frame('late')]);
    await pass();
    expect(names()).toEqual(['x']);
  });

  it('survive a kernel that dies while it is asked', async () => {
    kernel.fails = true;
    model.follow(kernel.asKernel);
    await pass();
    expect(model.frames).toBeNull();
    kernel.fails = false;
    kernel.run([frame('df')]);
    await pass();
    expect(names()).toEqual(['df']);
  });

  it('open to show their columns, by the keys of a tree', async () => {
    const wide = frame('wide', { columns_total: 600 });
    kernel.frames = [wide, frame('lazy', { kind: 'lazy', columns: null })];
    model.follow(kernel.asKernel);
    await pass();
    const press = (key: string) =>
      model.select(keyRow(model, key)?.key ?? null);
    press('ArrowDown');
    expect(model.selected?.frame.name).toBe('wide');
    model.setExpanded('wide', true);
    model.setExpanded('lazy', true);
    expect(model.rows.map(row => row.column?.name ?? row.frame.name)).toEqual([
      'wide',
      'a',
      'b',
      'lazy'
    ]);
    expect(model.rows[1]).toMatchObject({ position: 1, size: 600 });
    press('ArrowRight');
    expect(model.selected?.column?.name).toBe('a');
    press('ArrowLeft');
    expect(model.selected?.column).toBeNull();
    press('End');
    expect(model.selected?.frame.name).toBe('lazy');
    press('ArrowDown');
    expect(model.selected?.frame.name).toBe('lazy');
    expect(keyRow(model, 'x')).toBeNull();
    kernel.run([wide]);
    await pass();
    expect(model.rows).toHaveLength(3);
    expect(model.selected).toBeNull();
  });

  it('are shown by the kernel, but for a stream that is read once', () => {
    expect(previewCode(frame('df'))).toBe('flowfile_ctx.display(df)');
    expect(previewCode(frame('lf', { kind: 'lazy' }))).toBe(
      'flowfile_ctx.display(lf.head(100))'
    );
    expect(previewable(frame('r', { kind: 'arrow', rows: null }))).toBe(false);
    expect(previewable(frame('t', { kind: 'arrow' }))).toBe(true);
  });
});
