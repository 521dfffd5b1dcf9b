import { ReactWidget } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';

/** Where a popover is, and what it is called. */
export interface IPopoverOptions {
  /** Its name, for those who hear it. */
  label: string;
  /** Its upper left corner, as far as the screen has room. */
  at: { x: number; y: number };
  /** Called once when it closes; by then the focus is where it was. */
  closed?(): void;
  draw(close: () => void): JSX.Element;
}

const MARGIN = 8;

/**
 * A small dialog over the page, beside what it is about. `Escape` and a click elsewhere close it;
 * the focus goes back to where it was.
 */
export class Popover extends ReactWidget {
  constructor(private readonly options: IPopoverOptions) {
    super();
    this.addClass('fc-Popover');
    this.node.setAttribute('role', 'dialog');
    this.node.setAttribute('aria-label', options.label);
    this.node.tabIndex = -1;
  }

  /** Shows a popover, in place of the one that is open. */
  static open(options: IPopoverOptions): Popover {
    open?.dispose();
    const popover = new Popover(options);
    open = popover;
    popover._before =
      document.activeElement instanceof HTMLElement
        ? document.activeElement
        : null;
    Widget.attach(popover, document.body);
    void popover.renderPromise?.then(() => popover.settle());
    return popover;
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    if (open === this) {
      open = null;
    }
    this._watch?.disconnect();
    document.removeEventListener('pointerdown', this._onPointer, true);
    const held = this.node.contains(document.activeElement);
    super.dispose();
    if (held) {
      this._before?.focus();
    }
    this.options.closed?.();
  }

  protected render(): JSX.Element {
    return this.options.draw(() => this.dispose());
  }

  /** Takes the focus, and a place where all of it can be seen. */
  private settle(): void {
    if (this.isDisposed) {
      return;
    }
    this.place();
    this._watch = new ResizeObserver(() => this.place());
    this._watch.observe(this.node);
    const found = (selector: string) =>
      this.node.querySelector<HTMLElement>(selector);
    const first =
      found('[data-fc-first]') ?? found('input, select, button') ?? this.node;
    first.focus();
    document.addEventListener('pointerdown', this._onPointer, true);
    this.node.addEventListener('keydown', event => {
      if (event.key === 'Escape') {
        event.preventDefault();
        event.stopPropagation();
        this.dispose();
      }
    });
  }

  private place(): void {
    const { x, y } = this.options.at;
    const { width, height } = this.node.getBoundingClientRect();
    const left = Math.min(x, window.innerWidth - width - MARGIN);
    const top = Math.min(y, window.innerHeight - height - MARGIN);
    this.node.style.left = `${Math.max(MARGIN, left)}px`;
    this.node.style.top = `${Math.max(MARGIN, top)}px`;
  }

  private readonly _onPointer = (event: PointerEvent) => {
    if (!this.node.contains(event.target as Node)) {
      this.dispose();
    }
  };
  private _before: HTMLElement | null = null;
  private _watch: ResizeObserver | null = null;
}

let open: Popover | null = null;
