import { ReactWidget } from '@jupyterlab/apputils';

/** A part of a page, drawn anew by `update`. */
export class Drawn extends ReactWidget {
  constructor(private readonly draw: () => JSX.Element) {
    super();
  }

  protected render(): JSX.Element {
    return this.draw();
  }
}
