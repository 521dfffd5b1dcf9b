import type { DataGrid } from '@lumino/datagrid';

/** What a grid is painted with, read from the theme in force. */
export interface IGridTheme {
  font: string;
  italicFont: string;
  headingFont: string;
  typeFont: string;
  text: string;
  dimmed: string;
  accent: string;
  /** Values that are no ordinary ones. */
  odd: string;
  /** Bars of a small chart, and the line they stand on. */
  bar: string;
  line: string;
  style: DataGrid.Style;
}

/** Reads the theme where `node` is; a canvas cannot use variables by itself. */
export function readTheme(node: HTMLElement): IGridTheme {
  const style = getComputedStyle(node);
  const get = (name: string, otherwise: string) =>
    style.getPropertyValue(name).trim() || otherwise;
  const family = get('--jp-ui-font-family', 'sans-serif');
  const text = get('--jp-ui-font-color1', 'black');
  const ground = get('--jp-layout-color0', 'white');
  const header = get('--jp-layout-color1', 'white');
  const line = get('--jp-border-color2', 'gray');
  const accent = get('--jp-brand-color1', 'blue');
  return {
    font: `13px ${family}`,
    italicFont: `italic 12px ${family}`,
    headingFont: `600 12px ${family}`,
    typeFont: `11px ${family}`,
    text: get('--jp-content-font-color1', text),
    dimmed: mix(text, ground, 0.66),
    accent,
    odd: mix(get('--jp-warn-color0', text), text, 0.6),
    bar: mix(accent, header, 0.55),
    line,
    style: {
      voidColor: ground,
      backgroundColor: ground,
      gridLineColor: line,
      headerBackgroundColor: header,
      headerGridLineColor: line,
      selectionFillColor: alpha(accent, 0.16),
      selectionBorderColor: accent,
      cursorFillColor: alpha(accent, 0.1),
      cursorBorderColor: accent,
      headerSelectionFillColor: alpha(accent, 0.12),
      headerSelectionBorderColor: alpha(accent, 0.4),
      scrollShadow: {
        size: 8,
        color1: alpha(text, 0.14),
        color2: alpha(text, 0.06),
        color3: alpha(text, 0)
      }
    }
  };
}

/** Red, green, blue and opacity of any colour a style sheet can name. */
function channels(color: string): number[] {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) {
    return [0, 0, 0, 1];
  }
  context.canvas.width = 1;
  context.canvas.height = 1;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, opacity] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, opacity / 255];
}

function alpha(color: string, opacity: number): string {
  const [red, green, blue] = channels(color);
  return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
}

/** `share` of a colour over another; what is dimmed this way keeps its contrast in any theme. */
function mix(color: string, ground: string, share: number): string {
  const [red, green, blue, opacity] = channels(color);
  const below = channels(ground);
  const part = share * opacity;
  const [r, g, b] = [red, green, blue].map((value, at) =>
    Math.round(value * part + below[at] * (1 - part))
  );
  return `rgb(${r}, ${g}, ${b})`;
}
