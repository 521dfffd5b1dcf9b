import type { ChartAggregate, ChartChoice } from '../api/types';
import { isNumeric } from '../grid/rows';
import type { IGridColumn } from '../grid/rows';

/** A chart to be written in Python. */
export interface IPythonChart {
  /** The query whose rows are drawn. */
  query: string;
  columns: readonly IGridColumn[];
  /** What is drawn; columns by their number. */
  chosen: ChartChoice;
}

/** Functions of polars by the server's names of aggregates. */
const FUNCTIONS: Record<Exclude<ChartAggregate, 'none' | 'count'>, string> = {
  sum: 'sum',
  avg: 'mean',
  min: 'min',
  max: 'max',
  median: 'median'
};

const MARKS: Record<ChartChoice['mark'], string> = {
  bar: 'mark_bar',
  line: 'mark_line',
  area: 'mark_area',
  point: 'mark_point',
  histogram: 'mark_bar'
};

/** The same chart in a notebook: polars for the numbers, Altair for the picture. */
export function pythonOf({ query, columns, chosen }: IPythonChart): string {
  const { mark, aggregate } = chosen;
  const x = columnOf(chosen.x, columns);
  const y = columnOf(chosen.y, columns);
  const colour = columnOf(chosen.colour, columns);
  const lines = [
    'import altair as alt',
    ...(aggregate !== 'none' && mark !== 'histogram'
      ? ['import polars as pl']
      : []),
    '',
    `frame = flowfile_ctx.sql(${tripled(query)})`
  ];
  const drawn: string[] = [];
  if (mark === 'histogram') {
    lines.push('alt.data_transformers.disable_max_rows()');
    drawn.push(`x=alt.X(${field(x)}, bin=True)`, 'y="count()"');
  } else {
    const value = valueOf(aggregate, y);
    if (aggregate !== 'none') {
      const keys = [x, colour].filter(key => key !== null);
      lines.push(
        `frame = frame.group_by(${keys.map(key => JSON.stringify(key.name)).join(', ')}).agg(${value.expression})`
      );
    }
    drawn.push(`x=alt.X(${field(x)})`, `y=alt.Y(${value.field})`);
  }
  if (colour) {
    drawn.push(`color=alt.Color(${field(colour)})`);
  }
  return [
    ...lines,
    `alt.Chart(frame).${MARKS[mark]}().encode(`,
    ...drawn.map(part => `    ${part},`),
    ')',
    ''
  ].join('\n');
}

/** What stands on the y axis: its name in the frame, and how polars makes it. */
function valueOf(
  aggregate: ChartAggregate,
  y: IGridColumn | null
): { expression: string; field: string } {
  if (aggregate === 'none') {
    return { expression: '', field: field(y) };
  }
  if (aggregate === 'count' || !y) {
    const name = 'rows';
    return {
      expression: `pl.len().alias("${name}")`,
      field: field({ name, type: 'bigint' })
    };
  }
  const name = `${aggregate} ${y.name}`;
  return {
    expression: `pl.col(${JSON.stringify(y.name)}).${FUNCTIONS[aggregate]}().alias(${JSON.stringify(name)})`,
    field: field({ name, type: 'double' })
  };
}

function columnOf(
  index: string | null,
  columns: readonly IGridColumn[]
): IGridColumn | null {
  return index === null ? null : (columns[Number(index)] ?? null);
}

/** A column as Altair names it, with its type; marks that mean something there are escaped. */
function field(column: IGridColumn | null): string {
  if (!column) {
    return '"count()"';
  }
  const { name, type } = column;
  const kind = isNumeric(type)
    ? 'Q'
    : /^(date|timestamp)/i.test(type)
      ? 'T'
      : 'N';
  return JSON.stringify(`${name.replace(/[\\.:[\]]/g, '\\$&')}:${kind}`);
}

/** A text over lines as Python writes it. */
function tripled(text: string): string {
  return text.includes('\n')
    ? `"""\n${text.replace(/\\/g, '\\\\').replace(/"""/g, '\\"\\"\\"')}\n"""`
    : JSON.stringify(text);
}
