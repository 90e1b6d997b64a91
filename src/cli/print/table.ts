import { cut, oneLine, pad, width, wrap } from './text'

export interface Column<Row> {
  /** Upper case; empty = none. */
  title: string
  /** The cell's text; made safe for the terminal here. `null` shows as `-`. */
  cell(row: Row): string | null
  /** Numbers stand on the right. */
  align?: 'right'
  /** Cut to this many cells at most. */
  max?: number
  /** Takes what is left of the terminal's width, but at least this many cells. At most one column. */
  flexible?: number
  /** The flexible column goes on below instead of being cut. The last column only. */
  wraps?: boolean
}

const GAP = 2

/**
 * Dense columns, two spaces apart.
 *
 * @param columns  cells of the terminal; 0 = lines may be as long as they are (`max` still counts).
 * @returns lines with their newline; the header alone is left out when there are no rows.
 */
export function table<Row>(rows: readonly Row[], specs: readonly Column<Row>[], columns: number): string {
  const cells = rows.map((row) => specs.map((spec) => cell(spec, row)))
  const widths = specs.map((spec, i) =>
    cells.reduce((most, line) => Math.max(most, width(line[i] ?? '')), spec.title.length),
  )
  const flexible = specs.findIndex((spec) => spec.flexible !== undefined)
  if (columns > 0 && flexible >= 0) {
    const total = widths.reduce((sum, each) => sum + each, 0) + GAP * (specs.length - 1)
    const least = specs[flexible]?.flexible ?? 0
    if (total > columns) widths[flexible] = Math.max(least, (widths[flexible] ?? 0) - (total - columns))
  }
  const header = specs.map((spec) => spec.title)
  const shown = rows.length > 0 ? [header, ...cells] : []
  const lines = shown
    .flatMap((line) => wrapLast(line, specs, widths))
    .map((line) =>
      specs
        .map((spec, i) =>
          pad(cut(line[i] ?? '', widths[i] ?? 0), widths[i] ?? 0, spec.align === 'right' ? 'right' : 'left'),
        )
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
  return lines.map((line) => `${line}\n`).join('')
}

/** One line, or several where the last column goes on below. */
function wrapLast<Row>(line: string[], specs: readonly Column<Row>[], widths: readonly number[]): string[][] {
  const last = line.at(-1)
  if (last === undefined || !specs.at(-1)?.wraps) return [line]
  const empty = line.slice(1).map(() => '')
  return wrap(last, widths.at(-1) ?? 0).map((part, i) => [...(i === 0 ? line.slice(0, -1) : empty), part])
}

function cell<Row>(spec: Column<Row>, row: Row): string {
  const text = spec.cell(row)
  const safe = text === null ? '-' : oneLine(text)
  return spec.max === undefined ? safe : cut(safe, spec.max)
}

/** `name: value` lines with the values below one another; `null` values are left out. */
export function fields(pairs: readonly (readonly [name: string, value: string | null])[]): string {
  const shown = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== null)
  const most = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${pad(name, most)}  ${oneLine(value)}\n`).join('')
}
