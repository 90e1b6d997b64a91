import type { Answers } from '../../../api/contract/operations'
import type { SegmentKind, TimelineLane } from '../../../domain/conversation/conversation'
import { count, dollars, duration, localTime, plural } from '../../print/measures'
import { cut, oneLine, pad, width } from '../../print/text'
import { tokensText, totalTokens, type ViewSettings } from './session-views'

/** Cells of the bars where there is no terminal to fit, and the least where there is. */
const FREE_CELLS = 60
const LEAST_CELLS = 20
const NAME_CELLS = 30

/** How each kind is drawn. */
const BLOCKS: Record<SegmentKind, string> = { working: '#', tool: '=', waiting: '?', idle: '.' }
/** What wins where several fall into one cell: what a person looks for first. */
const STRENGTH: readonly SegmentKind[] = ['idle', 'working', 'tool', 'waiting']

/**
 * Lanes of agents over time: one line each with its bar, what it spent, and above them where the main thread was compacted. A bar's
 * cell is what most of its time was, but a wait is always shown.
 */
export function timelineView(
  answer: Answers['sessions']['timeline'],
  { columns, namesClis = false }: Pick<ViewSettings, 'columns' | 'namesClis'>,
): string {
  const { session, from, to, lanes, leftOutCount, compactions, isCut } = answer
  if (from === null || to === null) return `${oneLine(session.id)}  nothing recorded yet.\n`
  const begin = Date.parse(from)
  const total = Math.max(1, Date.parse(to) - begin)
  const names = lanes.map(laneName)
  const nameCells = Math.min(NAME_CELLS, Math.max(4, ...names.map(width)))
  const figures = lanes.map(laneFigures)
  const figureCells = Math.max(0, ...figures.map(width))
  const room = columns > 0 ? Math.max(LEAST_CELLS, columns - nameCells - figureCells - 4) : FREE_CELLS
  const cellOf = (iso: string) => Math.min(room - 1, Math.floor(((Date.parse(iso) - begin) / total) * room))

  const lines = [
    `${oneLine(session.id)}${namesClis ? `  ${oneLine(session.agent)}` : ''}  ${session.status}  ${localTime(from)} to ${localTime(to)}, ${duration(total)}`,
  ]
  if (compactions.length > 0) {
    const marks = new Array<string>(room).fill(' ')
    for (const at of compactions) marks[cellOf(at)] = 'C'
    lines.push(`${pad('compactions', nameCells)}  ${marks.join('').trimEnd()}`)
  }
  for (const [i, lane] of lanes.entries()) {
    const name = pad(cut(names[i] ?? '', nameCells), nameCells)
    lines.push(`${name}  ${pad(bar(lane, begin, total / room, room), room)}  ${figures[i] ?? ''}`.trimEnd())
  }
  lines.push(`# working  = tool  ? waiting for a person  . idle${compactions.length > 0 ? '  C compacted' : ''}`)
  if (leftOutCount > 0)
    lines.push(`(${plural(leftOutCount, 'more sub-agent')} that ran shorter and earlier; use --lanes to show more)`)
  if (isCut) lines.push('(older turns of the main thread are left out)')
  return lines.map((line) => `${columns > 0 ? cut(line, columns) : line}\n`).join('')
}

function laneName({ subagent }: TimelineLane): string {
  if (subagent === null) return 'main thread'
  const kind = subagent.kind === 'agent' ? oneLine(subagent.type ?? 'agent') : subagent.kind
  const indent = '  '.repeat(Math.min(5, Math.max(0, (subagent.depth ?? 1) - 1)))
  return `${indent}${kind}${subagent.background ? ' &' : ''} ${oneLine(subagent.id).slice(0, 8)}`
}

/** `12k tokens  $0.02  2m, 40s in tools, 10s waiting`. */
function laneFigures({ subagent, usage, costUsd, isEstimate, spentMs }: TimelineLane): string {
  const spent = [duration(spentMs.working + spentMs.tool)]
  if (spentMs.tool >= 1_000) spent.push(`${duration(spentMs.tool)} in tools`)
  if (spentMs.waiting >= 1_000) spent.push(`${duration(spentMs.waiting)} waiting`)
  const isShell = subagent !== null && subagent.kind !== 'agent'
  const used =
    usage === null
      ? subagent === null
        ? 'unknown tokens'
        : tokensText(subagent)
      : `${count(totalTokens(usage))} tokens  ${dollars(costUsd, isEstimate)}`
  return [...(isShell ? [] : [used]), spent.join(', ')].join('  ')
}

function bar(lane: TimelineLane, begin: number, cellMs: number, room: number): string {
  const shares: number[][] = []
  for (const { from, to, kind } of lane.segments) {
    const [start, end] = [(Date.parse(from) - begin) / cellMs, (Date.parse(to) - begin) / cellMs]
    const strength = STRENGTH.indexOf(kind)
    const last = Math.min(room - 1, Math.max(Math.floor(start), Math.ceil(end) - 1))
    for (let cell = Math.min(room - 1, Math.floor(start)); cell <= last; cell++) {
      shares[cell] ??= STRENGTH.map(() => 0)
      const share = shares[cell]
      // A lane shorter than a cell is still seen.
      if (share !== undefined)
        share[strength] = (share[strength] ?? 0) + Math.max(1e-9, Math.min(end, cell + 1) - Math.max(start, cell))
    }
  }
  return Array.from({ length: room }, (_, cell) => blockOf(shares[cell])).join('')
}

function blockOf(share: readonly number[] | undefined): string {
  if (share === undefined) return ' '
  const waiting = STRENGTH.indexOf('waiting')
  const kind = (share[waiting] ?? 0) > 0 ? 'waiting' : STRENGTH[share.indexOf(Math.max(...share))]
  return BLOCKS[kind ?? 'idle']
}
