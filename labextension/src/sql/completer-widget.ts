import {
  Completer,
  CompleterModel,
  CompletionHandler,
  ProviderReconciliator
} from '@jupyterlab/completer';
import { Widget } from '@lumino/widgets';

import type { SqlCompletions } from './complete';
import type { QueryPanel } from './widget';

const TIMEOUT_MS = 5000;

/**
 * Gives an editor proposals from the catalog only: no words of the text, no kernel.
 */
export function attachCompleter(
  panel: QueryPanel,
  provider: SqlCompletions
): CompletionHandler {
  const { editor } = panel;
  const completer = new Completer({ editor, model: new CompleterModel() });
  completer.hide();
  Widget.attach(completer, document.body);
  const handler = new CompletionHandler({
    completer,
    reconciliator: new ProviderReconciliator({
      context: { widget: panel, editor },
      providers: [provider],
      inlineProviders: [],
      inlineProvidersSettings: {},
      timeout: TIMEOUT_MS
    })
  });
  handler.editor = editor;
  handler.autoCompletion = true;
  panel.ran.connect(() => {
    provider.forget();
    completer.reset();
  });
  panel.disposed.connect(() => {
    completer.model?.dispose();
    completer.dispose();
    handler.dispose();
  });
  return handler;
}
