/** A part of a text, by offsets in UTF-16 units. */
export interface ISpan {
  start: number;
  end: number;
}

/** A place as people count: the first line and the first column are 1. */
export interface IPlace {
  line: number;
  column: number;
}

/**
 * The statements of a text, without what stands between them: white space and semicolons.
 * Semicolons in literals, quoted names and comments divide nothing; comments alone are none.
 */
export function statements(text: string): ISpan[] {
  const found: ISpan[] = [];
  let start = 0;
  let at = 0;
  let says = false;
  const add = (end: number) => {
    if (says) {
      found.push(trimmed(text, { start, end }));
    }
    says = false;
  };
  while (at < text.length) {
    if (text[at] === ';') {
      add(at);
      at += 1;
      start = at;
    } else {
      says ||= !isComment(text, at) && text[at].trim() !== '';
      at = after(text, at);
    }
  }
  add(text.length);
  return found;
}

/**
 * The statement at an offset: the one that holds or touches it, else the one before it, else the
 * first. Null where there is none.
 */
export function statementAt(text: string, offset: number): ISpan | null {
  const all = statements(text);
  const holding = all.filter(
    ({ start, end }) => start <= offset && offset <= end + 1
  );
  if (holding.length) {
    return holding[0];
  }
  const before = all.filter(({ end }) => end < offset);
  return before[before.length - 1] ?? all[0] ?? null;
}

/** The statements in a part of a text. */
export function statementsIn(text: string, { start, end }: ISpan): ISpan[] {
  return statements(text.slice(start, end)).map(span => ({
    start: span.start + start,
    end: span.end + start
  }));
}

/** A span without white space at its ends. */
export function trimmed(text: string, { start, end }: ISpan): ISpan {
  const part = text.slice(start, end);
  const lead = part.length - part.trimStart().length;
  const size = part.trim().length;
  return { start: start + lead, end: start + lead + size };
}

/** The offset of a place in a part of a text that begins at `start`. */
export function offsetOf(text: string, start: number, place: IPlace): number {
  let at = start;
  for (let line = 1; line < place.line; line += 1) {
    const next = text.indexOf('\n', at);
    if (next < 0) {
      return text.length;
    }
    at = next + 1;
  }
  const stop = text.indexOf('\n', at);
  const end = stop < 0 ? text.length : stop;
  return Math.min(at + Math.max(place.column - 1, 0), end);
}

/** The word, or else the one character, that begins at an offset. */
export function wordAt(text: string, offset: number): ISpan {
  const quoted = /^(`(?:[^`]|``)*`|"[^"\n]*"|'[^'\n]*')/.exec(
    text.slice(offset)
  );
  const word = quoted ?? /^[\p{L}\p{N}_]+/u.exec(text.slice(offset));
  const size = word?.[0].length ?? (text[offset] === '\n' ? 0 : 1);
  const end = Math.min(offset + size, text.length);
  return { start: end > offset ? offset : Math.max(0, offset - 1), end };
}

function isComment(text: string, at: number): boolean {
  const two = text.slice(at, at + 2);
  return two === '--' || two === '/*';
}

/** Where the literal, quoted name, comment or character at an offset ends. */
function after(text: string, at: number): number {
  const two = text.slice(at, at + 2);
  if (two === '--') {
    return orEnd(text, text.indexOf('\n', at));
  }
  if (two === '/*') {
    return afterComment(text, at);
  }
  const quote = text[at];
  if (quote === "'" || quote === '"' || quote === '`') {
    return afterQuoted(text, at);
  }
  return at + 1;
}

/** Comments nest. */
function afterComment(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const two = text.slice(at, at + 2);
    if (two === '/*') {
      depth += 1;
      at += 2;
    } else if (two === '*/') {
      depth -= 1;
      at += 2;
      if (!depth) {
        return at;
      }
    } else {
      at += 1;
    }
  }
  return at;
}

/** A backslash escapes in literals, not in quoted names; a doubled quote is one. */
function afterQuoted(text: string, start: number): number {
  const quote = text[start];
  let at = start + 1;
  while (at < text.length) {
    if (text[at] === '\\' && quote !== '`') {
      at += 2;
    } else if (text[at] !== quote) {
      at += 1;
    } else if (text[at + 1] === quote) {
      at += 2;
    } else {
      return at + 1;
    }
  }
  return text.length;
}

function orEnd(text: string, at: number): number {
  return at < 0 ? text.length : at;
}
