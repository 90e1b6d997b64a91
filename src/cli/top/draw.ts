/** The screen as lines of text: as many as it has, none wider than it is, whatever stands in the texts. */
import { age } from '../print/measures'
import { block, cut, oneLine, pad, wrap } from '../print/text'
import type { Row } from './rows'
import type { TopState } from './state'

export interface ScreenSize {
  columns: number
  lines: number
}

export interface Shown {
  size: ScreenSize
  /** Milliseconds. */
  now: number
  /** Above the list. */
  head: string
}

export interface Line {
  text: string
  /** The row under the cursor. */
  isMarked: boolean
}

/** Head and foot. */
const FRAME_LINES = 2
/** In a smaller terminal nothing more can be shown. */
const LEAST_LINES = 3

export const pageOfRows = ({ lines }: ScreenSize): number => Math.max(1, lines - FRAME_LINES)

export function draw(state: TopState, { size, now, head }: Shown): Line[] {
  const { columns } = size
  const lines = Math.max(LEAST_LINES, size.lines)
  const foot = footOf(state, { columns, lines }).slice(0, lines - 1)
  const room = lines - 1 - foot.length
  const at = Math.max(
    0,
    state.rows.findIndex((row) => row.key === state.key),
  )
  // The cursor is in the middle, but for the list's beginning and end.
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), state.rows.length - room))
  const rows = state.rows
    .slice(first, first + room)
    .map((row) => ({ text: rowText(row, row.key === state.key, columns, now), isMarked: row.key === state.key }))
  const empty = state.rows.length === 0 ? [{ text: 'Nothing needs you, and nothing runs.', isMarked: false }] : []
  const body = [...rows, ...empty].slice(0, room)
  const blanks = Array.from({ length: room - body.length }, () => ({ text: '', isMarked: false }))
  return [{ text: head, isMarked: false }, ...body, ...blanks, ...foot.map((text) => ({ text, isMarked: false }))].map(
    (line) => ({ ...line, text: cut(oneLineAsIs(line.text), columns) }),
  )
}

function rowText({ label, cli, text, since, depth }: Row, isMarked: boolean, columns: number, now: number): string {
  const head = `${isMarked ? '>' : ' '} ${pad(cut(label, 9), 9)} ${pad(age(since, now), 4, 'right')}  ${'  '.repeat(Math.min(depth, 8))}`
  const words = cli === null ? text : `${cli}  ${text}`
  return `${head}${cut(oneLine(words.slice(0, columns * 8)), Math.max(4, columns - head.length))}`
}

/** Safe, with its spaces: columns stand below one another. */
const oneLineAsIs = (text: string): string => block(text).replaceAll('\n', ' ')

const KEYS = 'up/down  a allow  d deny  x dismiss  o open  m message  q quit'

function footOf({ mode, note }: TopState, { columns, lines }: ScreenSize): string[] {
  if (mode.kind === 'list') return [note ?? KEYS]
  if (mode.kind === 'write') {
    const head = `to ${mode.row.taskId ?? mode.row.sessionId ?? ''}: `
    // The end is what is being typed.
    return ['Enter sends, Esc leaves', `${head}${endOf(oneLineAsIs(mode.text), columns - head.length - 1)}_`]
  }
  const { act, row } = mode
  const what = act.kind === 'dismiss' ? 'Dismiss' : act.behavior === 'allow' ? 'Allow' : 'Deny'
  const dangers = row.need?.question?.dangers ?? []
  const why =
    act.kind === 'answer' && act.behavior === 'allow' ? dangers.map((one) => `! It ${one.why}: ${one.part}\n`) : []
  const whole = block(`${why.join('')}${row.need?.text ?? row.text}`)
    .split('\n')
    .flatMap((line) => wrap(line, Math.max(8, columns - 2)))
  if (row.need?.isCut === true) whole.push('... the rest is not here: press n, then o')
  const room = Math.max(1, Math.floor(lines / 2) - 2)
  const shown =
    whole.length > room
      ? [...whole.slice(0, room - 1), `... ${whole.length - room + 1} more lines: press n, then o`]
      : whole
  return ['-'.repeat(columns), ...shown.map((line) => `  ${line}`), `${what} this? Wait a moment, then y; n leaves.`]
}

function endOf(text: string, cells: number): string {
  const segments = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
  let kept = ''
  for (const segment of segments.toReversed()) {
    if (Bun.stringWidth(segment + kept) > cells) break
    kept = segment + kept
  }
  return kept
}
