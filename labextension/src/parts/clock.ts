const TICK_MS = 10_000;

/** One timer for everything that tells how long ago something was; it rests while nobody looks. */
export class Clock {
  constructor(
    private readonly page: Pick<
      Document,
      'hidden' | 'addEventListener' | 'removeEventListener'
    >
  ) {}

  /** Another number each time it ticks. */
  get ticks(): number {
    return this._ticks;
  }

  /** Calls a listener at each tick, until what is returned is called. */
  listen(listener: () => void): () => void {
    if (!this._heard.size) {
      this.page.addEventListener('visibilitychange', this.turn);
    }
    this._heard.add(listener);
    this.wind();
    return () => {
      this._heard.delete(listener);
      if (!this._heard.size) {
        this.page.removeEventListener('visibilitychange', this.turn);
      }
      this.wind();
    };
  }

  /** What was not told while nobody looked is told at once. */
  private readonly turn = (): void => {
    this.wind();
    if (!this.page.hidden) {
      this.tick();
    }
  };

  private wind(): void {
    window.clearInterval(this._timer);
    this._timer = 0;
    if (this._heard.size && !this.page.hidden) {
      this._timer = window.setInterval(() => this.tick(), TICK_MS);
    }
  }

  private tick(): void {
    this._ticks += 1;
    this._heard.forEach(listener => listener());
  }

  private _ticks = 0;
  private _timer = 0;
  private readonly _heard = new Set<() => void>();
}
