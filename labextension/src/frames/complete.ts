import type {
  CompletionHandler,
  ICompletionContext,
  ICompletionProvider
} from '@jupyterlab/completer';
import { Text } from '@jupyterlab/coreutils';

import { quoted } from '../browser/items';
import { SQL_MIME } from '../sql/language';
import type { IFrame, IKernelFrames } from '../tokens';

/** A proposal, and what it takes the place of: from `start` to the cursor. */
export interface IProposed {
  start: number;
  items: { label: string; insertText: string; type: string }[];
}

const NAME = '[\\p{L}_][\\p{L}\\p{N}_]*';
const AFTER_FROM = new RegExp(
  `\\b(?:FROM|JOIN)\\s+(?:${NAME}(?:\\s+${NAME})?\\s*,\\s*)*(:?)(?:${NAME})?$`,
  'iu'
);
const NAMED = new RegExp(
  `\\b(?:FROM|JOIN)\\s+:(${NAME})(?:\\s+(?:AS\\s+)?(?!(?:ON|USING|WHERE|GROUP|ORDER|LIMIT|JOIN|LEFT|RIGHT|INNER|FULL|CROSS|UNION|HAVING)\\b)(${NAME}))?`,
  'giu'
);
const TYPED = new RegExp(`(?:(${NAME})\\.)?(${NAME})?$`, 'u');

/** What the frames in the kernel have to offer at a place in a text of SQL. */
export function proposed(
  text: string,
  at: number,
  frames: readonly IFrame[]
): IProposed {
  const before = text.slice(0, at);
  const place = AFTER_FROM.exec(before);
  if (place) {
    const typed = /:?[\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? '';
    return {
      start: at - typed.length,
      items: frames.map(({ name, kind }) => ({
        label: `:${name}`,
        insertText: `:${name}`,
        type: kind
      }))
    };
  }
  const [, owner, word] = TYPED.exec(before) ?? [];
  return {
    start: at - (word?.length ?? 0),
    items: columns(text, owner, frames)
  };
}

/** The columns of the frames that a text names; with an owner, of that one alone. */
function columns(
  text: string,
  owner: string | undefined,
  frames: readonly IFrame[]
): IProposed['items'] {
  const known = new Map(frames.map(frame => [frame.name, frame]));
  const found = new Map<string, string>();
  for (const [, name, alias] of text.matchAll(NAMED)) {
    const called = (alias ?? name).toLowerCase();
    if (owner === undefined || owner.toLowerCase() === called) {
      for (const column of known.get(name)?.columns ?? []) {
        found.set(column.name, column.type);
      }
    }
  }
  return [...found].map(([name, type]) => ({
    label: name,
    insertText: quoted(name),
    type
  }));
}

/** Proposes `:df` and columns of frames in SQL cells, beside what the server knows. */
export class FrameCompletions implements ICompletionProvider {
  /** `start` finds where the SQL begins in a cell. */
  constructor(
    private readonly frames: IKernelFrames,
    private readonly start: (text: string) => number
  ) {}

  readonly identifier = 'flowcat:frames';
  readonly rank = 890;
  readonly renderer = null;

  async isApplicable({ editor }: ICompletionContext): Promise<boolean> {
    return editor?.model.mimeType === SQL_MIME;
  }

  async fetch({
    text,
    offset
  }: CompletionHandler.IRequest): Promise<CompletionHandler.ICompletionItemsReply> {
    // Lab counts characters here, where editors count UTF-16 units.
    const at = Text.charIndexToJsIndex(offset, text);
    const begin = this.start(text);
    if (at < begin) {
      return { start: offset, end: offset, items: [] };
    }
    const frames = await this.frames.fresh();
    const { start, items } = proposed(text.slice(begin), at - begin, frames);
    return {
      start: Text.jsIndexToCharIndex(start + begin, text),
      end: offset,
      items: items.map(item => ({
        ...item,
        type: item.type.replace(/ /g, '\u00a0')
      }))
    };
  }
}
