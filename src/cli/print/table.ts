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
  /** Takes what is left of the terminal's width, and this many cells before other columns go. At most one column. */
  flexible?: number
  /** Goes where the terminal is too narrow for all; the highest number first. */
  spare?: number
  /** The flexible column goes on below instead of being cut. The last column only. */
  wraps?: boolean
}

const GAP = 2

/** Cells that a column is narrowed to at last. */
const LEAST = 8

/**
 * Dense columns, two spaces apart. Where the terminal is too narrow, the flexible column is cut first, then spare columns go (those without
 * any value before the others), and at last the widest are cut.
 *
 * @param columns  cells of the terminal; 0 = lines may be as long as they are (`max` still counts).
 * @returns lines with their newline; the header alone is left out when there are no rows.
 */
export function table<Row>(rows: readonly Row[], all: readonly Column<Row>[], columns: number): string {
  const drawn = all.map((spec) => {
    const cells = rows.map((row) => cell(spec, row))
    return { spec, cells, width: cells.reduce((most, each) => Math.max(most, width(each)), spec.title.length) }
  })
  const shown = columns > 0 ? fit(drawn, columns) : drawn
  const specs = shown.map(({ spec }) => spec)
  const widths = shown.map((each) => each.width)
  const lines =
    rows.length > 0
      ? [specs.map(({ title }) => title), ...rows.map((_, i) => shown.map(({ cells }) => cells[i] ?? ''))]
      : []
  return lines
    .flatMap((line) => wrapLast(line, specs, widths))
    .map((line) =>
      specs
        .map((spec, i) =>
          pad(cut(line[i] ?? '', widths[i] ?? 0), widths[i] ?? 0, spec.align === 'right' ? 'right' : 'left'),
        )
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

interface Drawn<Row> {
  spec: Column<Row>
  cells: string[]
  width: number
}

/** The columns that are shown, each as wide as it may be. */
function fit<Row>(drawn: readonly Drawn<Row>[], columns: number): Drawn<Row>[] {
  const least = ({ spec, width }: Drawn<Row>) => Math.min(width, spec.flexible ?? width)
  const excess = (shown: readonly Drawn<Row>[], of: (each: Drawn<Row>) => number) =>
    shown.reduce((sum, each) => sum + of(each), 0) + GAP * (shown.length - 1) - columns
  const rank = ({ spec, cells }: Drawn<Row>) =>
    spec.spare === undefined ? 0 : cells.every((each) => each === '-') ? Number.POSITIVE_INFINITY : spec.spare
  const shown = [...drawn]
  for (const next of drawn
    .filter((each) => rank(each) > 0)
    .sort((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a))))
    if (excess(shown, least) > 0) shown.splice(shown.indexOf(next), 1)

  const widths = new Map(shown.map((each) => [each, each.width]))
  const now = (each: Drawn<Row>) => widths.get(each) ?? each.width
  const narrow = (each: Drawn<Row> | undefined, floor: number) => {
    if (each !== undefined) widths.set(each, Math.max(Math.min(floor, each.width), now(each) - excess(shown, now)))
  }
  const flexible = shown.find(({ spec }) => spec.flexible !== undefined)
  if (excess(shown, now) > 0) narrow(flexible, flexible?.spec.flexible ?? LEAST)
  while (excess(shown, now) > 0) {
    const widest = shown.filter(({ spec }) => spec.align !== 'right').sort((a, b) => now(b) - now(a))[0]
    if (widest === undefined || now(widest) <= LEAST) break
    widths.set(widest, now(widest) - 1)
  }
  return shown.map((each) => ({ ...each, width: now(each) }))
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
