/** A part of a nested value; numbers keep the digits they were written with. */
export type NestedNode =
  | { kind: 'list'; items: readonly NestedNode[] }
  | { kind: 'object'; items: readonly (readonly [string, NestedNode])[] }
  | { kind: 'text'; text: string }
  | { kind: 'bare'; text: string };

/**
 * Reads a nested value from its JSON text. JSON's own reader would round long numbers. Null where
 * the text is none, such as one that was cut.
 */
export function parseNested(text: string): NestedNode | null {
  const reader = new Reader(text);
  try {
    const node = reader.node(0);
    return reader.ended ? node : null;
  } catch (reason) {
    if (reason instanceof SyntaxError) {
      return null;
    }
    throw reason;
  }
}

const DEEPEST = 200;
const TOKEN =
  /\s*(?:("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*|true|false|null)|([[\]{},:]))/y;

class Reader {
  constructor(private readonly text: string) {}

  get ended(): boolean {
    return this.text.slice(this._at).trim() === '';
  }

  node(depth: number): NestedNode {
    if (depth > DEEPEST) {
      throw new SyntaxError('too deep');
    }
    const token = this.next();
    switch (token[0]) {
      case '[':
        return this.list(depth);
      case '{':
        return this.object(depth);
      case '"':
        return { kind: 'text', text: JSON.parse(token) as string };
      case ']':
      case '}':
      case ',':
      case ':':
        throw new SyntaxError(token);
      default:
        return { kind: 'bare', text: token };
    }
  }

  private list(depth: number): NestedNode {
    const items: NestedNode[] = [];
    if (this.takes(']')) {
      return { kind: 'list', items };
    }
    do {
      items.push(this.node(depth + 1));
    } while (this.takes(','));
    this.expect(']');
    return { kind: 'list', items };
  }

  private object(depth: number): NestedNode {
    const items: [string, NestedNode][] = [];
    if (this.takes('}')) {
      return { kind: 'object', items };
    }
    do {
      const key = JSON.parse(this.next()) as unknown;
      this.expect(':');
      items.push([String(key), this.node(depth + 1)]);
    } while (this.takes(','));
    this.expect('}');
    return { kind: 'object', items };
  }

  private takes(token: string): boolean {
    const before = this._at;
    if (!this.ended && this.next() === token) {
      return true;
    }
    this._at = before;
    return false;
  }

  private expect(token: string): void {
    if (this.next() !== token) {
      throw new SyntaxError(token);
    }
  }

  private next(): string {
    TOKEN.lastIndex = this._at;
    const match = TOKEN.exec(this.text);
    if (!match) {
      throw new SyntaxError(`at ${this._at}`);
    }
    this._at = TOKEN.lastIndex;
    return match[1] ?? match[2] ?? match[3];
  }

  private _at = 0;
}

/** A node in one line, for when it is folded. */
export function folded(node: NestedNode): string {
  switch (node.kind) {
    case 'list':
      return `[ ${node.items.length} ]`;
    case 'object':
      return `{ ${node.items.map(([key]) => key).join(', ')} }`;
    case 'text':
      return JSON.stringify(node.text);
    case 'bare':
      return node.text;
  }
}
