// No drawing here: what is drawn is looked at in a browser, by ui-tests.
HTMLCanvasElement.prototype.getContext = () => null;

export {};
