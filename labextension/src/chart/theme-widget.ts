import type { ChartReply } from '../api/types';

/** A specification in the colours of the theme where `node` is, filling the room there is. */
export function themed(
  spec: ChartReply['spec'],
  node: HTMLElement,
  room: { width: number; height: number }
): Record<string, unknown> {
  const style = getComputedStyle(node);
  const get = (name: string) => style.getPropertyValue(name).trim();
  const text = get('--jp-ui-font-color1');
  const font = get('--jp-ui-font-family');
  const grid = get('--jp-border-color2');
  const own = (spec.config ?? {}) as Record<string, unknown>;
  return {
    ...spec,
    width: room.width - 24,
    height: room.height - 24,
    autosize: { type: 'fit', contains: 'padding' },
    config: {
      ...own,
      background: 'transparent',
      font,
      view: { stroke: 'transparent' },
      axis: {
        labelColor: text,
        titleColor: text,
        domainColor: grid,
        gridColor: grid,
        tickColor: grid,
        titleFontWeight: 'normal'
      },
      legend: {
        labelColor: text,
        titleColor: text,
        titleFontWeight: 'normal'
      },
      title: { color: text },
      mark: { color: get('--jp-brand-color1'), tooltip: true }
    }
  };
}
