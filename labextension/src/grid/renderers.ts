import {
  CellRenderer,
  type GraphicsContext,
  TextRenderer
} from '@lumino/datagrid';

import { LOADING, type PagedModel } from './model';
import { isNumeric, type IGridColumn } from './rows';
import type { IGridTheme } from './theme';

const PADDING = 8;
/** A longer text is cut where nobody could see it, so that painting stays quick. */
const MAX_PAINTED = 500;

/** What a body cell shows; a line break is made visible, for a cell has one line. */
export function shown(value: unknown): string {
  if (value === null) {
    return 'NULL';
  }
  if (value === LOADING) {
    return '…';
  }
  return String(value)
    .slice(0, MAX_PAINTED)
    .replace(/\r\n|\r|\n/g, '↵')
    .replace(/\t/g, '⇥');
}

/** Values: NULL dimmed and slanted, numbers at the right. */
export class BodyRenderer extends TextRenderer {
  constructor(theme: IGridTheme) {
    super({
      font: ({ value }) => (value === null ? theme.italicFont : theme.font),
      textColor: ({ value }) =>
        value === null || value === LOADING ? theme.dimmed : theme.text,
      horizontalAlignment: ({ metadata }) =>
        isNumeric(String(metadata.type)) ? 'right' : 'left',
      horizontalPadding: PADDING,
      format: ({ value }) => shown(value),
      elideDirection: 'right'
    });
  }
}

/** Row numbers. */
export class RowNumberRenderer extends TextRenderer {
  constructor(theme: IGridTheme) {
    super({
      font: theme.typeFont,
      textColor: theme.dimmed,
      horizontalAlignment: 'right',
      horizontalPadding: PADDING,
      format: ({ value }) => String(value)
    });
  }
}

/** Headings: the name, its type below, and which way the rows are sorted by it. */
export class HeadingRenderer extends CellRenderer {
  constructor(
    private readonly theme: IGridTheme,
    private readonly model: PagedModel
  ) {
    super();
  }

  paint(gc: GraphicsContext, config: CellRenderer.CellConfig): void {
    const column = config.value as IGridColumn | undefined;
    if (!column) {
      return;
    }
    const { x, y, width, height } = config;
    const right = isNumeric(column.type);
    const sort = this.model.sort;
    const sorted = sort?.column === config.column;
    const room = width - 2 * PADDING - (sorted ? 14 : 0);
    const edge = right ? x + width - PADDING : x + PADDING;
    gc.save();
    gc.beginPath();
    gc.rect(x, y, width, height - 1);
    gc.clip();
    gc.textBaseline = 'middle';
    gc.textAlign = right ? 'right' : 'left';
    gc.font = this.theme.headingFont;
    gc.fillStyle = this.theme.text;
    gc.fillText(fit(gc, column.name, room), edge, y + height * 0.34);
    gc.font = this.theme.typeFont;
    gc.fillStyle = this.theme.dimmed;
    gc.fillText(fit(gc, column.type, room), edge, y + height * 0.72);
    if (sorted) {
      const at = right ? x + PADDING : x + width - PADDING - 8;
      this.arrow(gc, at, y + height * 0.34, sort?.desc === true);
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
