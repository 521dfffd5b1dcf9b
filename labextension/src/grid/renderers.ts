import {
  CellRenderer,
  type GraphicsContext,
  TextRenderer
} from '@lumino/datagrid';

import { LOADING, type PagedModel } from './model';
import { isNumeric, type IGridColumn, type ISummary } from './rows';
import { specialOf, visible } from './special';
import type { Summaries } from './summaries';
import type { IGridTheme } from './theme';

const PADDING = 8;
/** A longer text is cut where nobody could see it, so that painting stays quick. */
const MAX_PAINTED = 500;
/** How wide the sign at a heading's right is that opens its menu. */
export const MENU_WIDTH = 20;
/** How high a heading's name and type are; what is below shows how values are spread. */
export const HEADING_HEIGHT = 42;
export const SPREAD_HEIGHT = 30;

/** What a body cell shows. */
export function shown(value: unknown, type: string): string {
  if (value === LOADING) {
    return '…';
  }
  const text = value as string | null;
  switch (specialOf(text, type)) {
    case 'null':
      return 'NULL';
    case 'empty':
      return '""';
    case 'infinite':
      return text === 'Infinity' ? '∞' : '−∞';
    default:
      return visible((text as string).slice(0, MAX_PAINTED));
  }
}

/** Values: what is no ordinary value slanted and in another colour, numbers at the right. */
export class BodyRenderer extends TextRenderer {
  constructor(theme: IGridTheme, model: PagedModel) {
    const special = ({ value, metadata }: CellRenderer.CellConfig) =>
      value === LOADING
        ? 'null'
        : specialOf(value as string | null, String(metadata.type));
    const wraps = ({ metadata }: CellRenderer.CellConfig) =>
      model.layout.isWrapped(metadata.column as number);
    super({
      font: config => (special(config) ? theme.italicFont : theme.font),
      textColor: config => {
        const kind = special(config);
        if (kind === null) {
          return theme.text;
        }
        return kind === 'null' || kind === 'empty' ? theme.dimmed : theme.odd;
      },
      horizontalAlignment: ({ metadata }) =>
        isNumeric(String(metadata.type)) ? 'right' : 'left',
      verticalAlignment: () => (model.layout.wraps ? 'top' : 'center'),
      horizontalPadding: PADDING,
      format: ({ value, metadata }) => shown(value, String(metadata.type)),
      elideDirection: 'right',
      wrapText: wraps
    });
  }
}

/** Row numbers. */
export class RowNumberRenderer extends TextRenderer {
  constructor(theme: IGridTheme, model: PagedModel) {
    super({
      font: theme.typeFont,
      textColor: theme.dimmed,
      horizontalAlignment: 'right',
      verticalAlignment: () => (model.layout.wraps ? 'top' : 'center'),
      horizontalPadding: PADDING,
      format: ({ value }) => String(value)
    });
  }
}

/** What headings show besides names and types. */
export interface IHeadingState {
  model: PagedModel;
  summaries: Summaries;
  /** Whether how values are spread is shown. */
  spread(): boolean;
  /** Whether headings open menus. */
  menus: boolean;
}

/** Headings: the name, its type below, how the rows are sorted, and how values are spread. */
export class HeadingRenderer extends CellRenderer {
  constructor(
    private readonly theme: IGridTheme,
    private readonly state: IHeadingState
  ) {
    super();
  }

  paint(gc: GraphicsContext, config: CellRenderer.CellConfig): void {
    const column = config.value as IGridColumn | '' | undefined;
    const at = config.metadata.column as number | undefined;
    if (!column || at === undefined) {
      return;
    }
    const { x, y, width } = config;
    const { model, menus } = this.state;
    const right = isNumeric(column.type);
    const sort = model.sort?.column === at ? model.sort : null;
    const side = menus ? MENU_WIDTH : PADDING;
    const room = width - PADDING - side - (sort ? 14 : 0);
    const edge = right ? x + width - side : x + PADDING;
    const middle = y + HEADING_HEIGHT * 0.34;
    gc.save();
    gc.beginPath();
    gc.rect(x, y, width, config.height - 1);
    gc.clip();
    gc.textBaseline = 'middle';
    gc.textAlign = right ? 'right' : 'left';
    gc.font = this.theme.headingFont;
    gc.fillStyle = this.theme.text;
    const name = fit(gc, column.name, room);
    const drawn = gc.measureText(name).width;
    gc.fillText(name, edge, middle);
    gc.font = this.theme.typeFont;
    gc.fillStyle = this.theme.dimmed;
    gc.fillText(
      fit(gc, column.type, width - 2 * PADDING),
      right ? x + width - PADDING : edge,
      y + HEADING_HEIGHT * 0.72
    );
    if (sort) {
      const tip = right ? edge - drawn - 14 : edge + drawn + 6;
      this.arrow(gc, tip, middle, sort.desc);
    }
    if (menus) {
      this.chevron(gc, x + width - MENU_WIDTH / 2, middle);
    }
    if (this.state.spread()) {
      this.spread(gc, config, at);
    }
    gc.restore();
  }

  private arrow(
    gc: GraphicsContext,
    x: number,
    middle: number,
    down: boolean
  ): void {
    const tip = down ? 3 : -3;
    gc.fillStyle = this.theme.accent;
    gc.beginPath();
    gc.moveTo(x, middle - tip);
    gc.lineTo(x + 8, middle - tip);
    gc.lineTo(x + 4, middle + tip);
    gc.closePath();
    gc.fill();
  }

  private chevron(gc: GraphicsContext, x: number, middle: number): void {
    gc.strokeStyle = this.theme.dimmed;
    gc.lineWidth = 1.2;
    gc.beginPath();
    gc.moveTo(x - 3, middle - 1.5);
    gc.lineTo(x, middle + 1.5);
    gc.lineTo(x + 3, middle - 1.5);
    gc.stroke();
  }

  /** Bars of how many values lie where, above the share of NULLs. */
  private spread(
    gc: GraphicsContext,
    { x, y, width }: CellRenderer.CellConfig,
    at: number
  ): void {
    const summary = this.state.summaries.known(at);
    if (!summary) {
      this.state.summaries.want(at);
      return;
    }
    const counts = spreadOf(summary);
    const most = Math.max(...counts, 1);
    const left = x + PADDING;
    const room = width - 2 * PADDING;
    const floor = y + HEADING_HEIGHT + SPREAD_HEIGHT - 6;
    const step = room / Math.max(counts.length, 1);
    gc.fillStyle = this.theme.bar;
    counts.forEach((count, bar) => {
      const height = count ? Math.max(1, (count / most) * 20) : 0;
      gc.fillRect(
        left + bar * step,
        floor - height,
        Math.max(1, step - 1),
        height
      );
    });
    const nulls = summary.rows ? summary.nulls / summary.rows : 0;
    gc.fillStyle = this.theme.line;
    gc.fillRect(left, floor + 1, room, 2);
    gc.fillStyle = this.theme.odd;
    gc.fillRect(left, floor + 1, room * nulls, 2);
  }
}

/** The heights of a small picture of a column: its histogram, else its commonest values. */
export function spreadOf({ histogram, top }: ISummary): number[] {
  const bars = histogram.length ? histogram : top;
  return bars.map(({ count }) => count);
}

/** As much of a text as there is room for. */
function fit(gc: GraphicsContext, text: string, room: number): string {
  const whole = text.slice(0, MAX_PAINTED);
  if (gc.measureText(whole).width <= room) {
    return whole;
  }
  let [low, high] = [0, whole.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (gc.measureText(`${whole.slice(0, middle)}…`).width <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return `${whole.slice(0, low)}…`;
}
