import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';

/** A part of the text and why it is wrong. */
export interface IMark {
  start: number;
  end: number;
  message: string;
}

const setMark = StateEffect.define<IMark | null>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    // Another text may have another error, or none.
    let now = transaction.docChanged ? Decoration.none : marks;
    for (const effect of transaction.effects) {
      if (effect.is(setMark)) {
        now = decorated(effect.value, transaction.newDoc.length);
      }
    }
    return now;
  },
  provide: of => EditorView.decorations.from(of)
});

/** Lets an editor underline its error, and tells those who hear it what it holds. */
export function sqlEditing(label: string): Extension[] {
  return [field, EditorView.contentAttributes.of({ 'aria-label': label })];
}

/** Underlines an error; null takes the line away. */
export function markError(view: EditorView, mark: IMark | null): void {
  view.dispatch({ effects: setMark.of(mark) });
}

function decorated(mark: IMark | null, length: number): DecorationSet {
  if (!mark || mark.start >= mark.end || mark.end > length) {
    return Decoration.none;
  }
  const attributes = { title: mark.message };
  return Decoration.set([
    Decoration.mark({ class: 'fc-Sql-wrong', attributes }).range(
      mark.start,
      mark.end
    )
  ]);
}
