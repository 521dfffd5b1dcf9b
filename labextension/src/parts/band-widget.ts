/** A message over a part of the page, with what can be done about it. */
export class Band {
  constructor() {
    this.node.className = 'fc-Grid-band';
    this.node.setAttribute('role', 'status');
    this.node.hidden = true;
  }

  readonly node = document.createElement('div');

  /** Shows a message; each offer closes it and acts. */
  say(message: string, offers: readonly [string, () => void][]): void {
    this.node.replaceChildren(document.createTextNode(message));
    for (const [label, act] of offers) {
      const button = document.createElement('button');
      button.className = 'jp-mod-styled jp-mod-reject';
      button.textContent = label;
      button.addEventListener('click', () => {
        this.clear();
        act();
      });
      this.node.append(button);
    }
    this.node.hidden = false;
  }

  clear(): void {
    this.node.hidden = true;
  }
}
