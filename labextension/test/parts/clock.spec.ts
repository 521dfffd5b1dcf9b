import { Clock } from '../../src/parts/clock';

/** A page that can be hidden. */
class FakePage {
  hidden = false;
  readonly turned = new Set<EventListenerOrEventListenerObject>();
  addEventListener(_: string, act: EventListenerOrEventListenerObject): void {
    this.turned.add(act);
  }
  removeEventListener(
    _: string,
    act: EventListenerOrEventListenerObject
  ): void {
    this.turned.delete(act);
  }
  hide(hidden: boolean): void {
    this.hidden = hidden;
    this.turned.forEach(act => (act as EventListener)(new Event('change')));
  }
}

describe('the clock of relative times', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  function make() {
    const page = new FakePage();
    return { page, clock: new Clock(page as unknown as Document) };
  }

  it('has one timer for all who listen, and none for nobody', () => {
    const { page, clock } = make();
    expect(jest.getTimerCount()).toBe(0);
    const ends = [clock.listen(jest.fn()), clock.listen(jest.fn())];
    expect(jest.getTimerCount()).toBe(1);
    ends.forEach(end => end());
    expect(jest.getTimerCount()).toBe(0);
    expect(page.turned.size).toBe(0);
  });

  it('rests while the page is hidden, and makes up for it at once', () => {
    const { page, clock } = make();
    const heard = jest.fn();
    clock.listen(heard);
    jest.advanceTimersByTime(10_000);
    expect(heard).toHaveBeenCalledTimes(1);
    page.hide(true);
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(60_000);
    expect(heard).toHaveBeenCalledTimes(1);
    page.hide(false);
    expect(heard).toHaveBeenCalledTimes(2);
    expect(clock.ticks).toBe(2);
  });
});
