import type {
  CompletionHandler,
  ICompletionContext,
  ICompletionProvider
} from '@jupyterlab/completer';
import { Text } from '@jupyterlab/coreutils';
import type { LabIcon } from '@jupyterlab/ui-components';

import type { CatalogClient } from '../api/client';
import type { Completion } from '../api/types';

import { SQL_MIME } from './language';
import type { INames } from './model';

/** What completion needs of the client; tests pass a fake. */
export type ICompleteClient = Pick<CatalogClient, 'complete'>;

/** The SQL in a text, and where names in it resolve. */
export interface ISqlPart {
  /** Where the SQL begins in the text. */
  start: number;
  names: INames;
}

/** What completion is made of. */
export interface ISqlCompletionsOptions {
  client: ICompleteClient;
  /** Finds the SQL in an editor's text. */
  part(text: string): ISqlPart;
  /** The SQL session that the text runs in, where it is known. */
  session?: string;
  /** The picture of a proposal. */
  icon(item: Completion): LabIcon;
}

/** Proposes columns, tables and keywords that fit, as the server knows them. */
export class SqlCompletions implements ICompletionProvider {
  constructor(private readonly options: ISqlCompletionsOptions) {}

  readonly identifier = 'flowcat:sql';
  readonly rank = 900;
  readonly renderer = null;

  /** Lets what was asked for so far come to nothing: whoever asked has gone on. */
  forget(): void {
    this._asked += 1;
  }

  async isApplicable({ editor }: ICompletionContext): Promise<boolean> {
    return editor?.model.mimeType === SQL_MIME;
  }

  async fetch(
    { text, offset }: CompletionHandler.IRequest,
    context?: ICompletionContext
  ): Promise<CompletionHandler.ICompletionItemsReply> {
    const { client, part, icon, session } = this.options;
    const { start, names } = part(text);
    // Lab counts characters here, where editors and the server count UTF-16 units.
    const at = Text.charIndexToJsIndex(offset, text);
    if (at < start) {
      return { start: offset, end: offset, items: [] };
    }
    const asked = this._asked;
    const reply = await client.complete({
      text: text.slice(start),
      position: at - start,
      catalog: names.catalog,
      schema: names.schema,
      ...(session ? { session } : {})
    });
    // Lab would call a person back who has gone on to another field, or to the result.
    const left = context?.editor?.hasFocus() === false;
    if (left || asked !== this._asked) {
      return { start: offset, end: offset, items: [] };
    }
    return {
      start: Text.jsIndexToCharIndex(reply.start + start, text),
      end: Text.jsIndexToCharIndex(reply.end + start, text),
      items: reply.items.map(item => ({
        label: item.label,
        insertText: item.insert,
        // Lab would break the line at the blanks.
        type: (item.detail ?? item.kind).replace(/ /g, '\u00a0'),
        icon: icon(item)
      }))
    };
  }

  private _asked = 0;
}
