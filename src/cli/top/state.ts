import type { Key } from './keys'
import type { Row } from './rows'

/** What a key makes the program do. */
export type Act =
  | { kind: 'quit' }
  | { kind: 'answer'; questionId: string; behavior: 'allow' | 'deny' }
  | { kind: 'dismiss'; needId: string }
  | { kind: 'open'; row: Row }
  | { kind: 'send'; to: string; text: string }

type Asked = Extract<Act, { kind: 'answer' | 'dismiss' }>

export interface TopState {
  rows: readonly Row[]
  /** The row under the cursor; `null` = there is none. */
  key: string | null
  /** Milliseconds; since then the row under the cursor is the same, and no key was pressed too early. */
  restingSince: number
  mode:
    | { kind: 'list' }
    /** `since`: as `restingSince`, of the question. */
    | { kind: 'confirm'; act: Asked; row: Row; since: number }
    | { kind: 'write'; row: Row; text: string }
  /** Said at the foot until the next key. */
  note: string | null
}

/**
 * A key that changes something counts only when what it is about has stood still for this long, in milliseconds. Each that comes too early
 * begins the pause anew, so that a key that is held down never counts.
 */
export const RESTING_MS = 600

/** Words of a message that are kept; more would not be read here. */
const LONGEST_MESSAGE = 4_000

export const firstState = (now: number): TopState => ({
  rows: [],
  key: null,
  restingSince: now,
  mode: { kind: 'list' },
  note: null,
})

export const selected = ({ rows, key }: TopState): Row | null => rows.find((row) => row.key === key) ?? null

/** The list as it is now. The cursor stays on its row; where that is gone it is on the one that took its place. */
export function withRows(state: TopState, rows: readonly Row[], now: number): TopState {
  const at = Math.max(
    0,
    state.rows.findIndex((row) => row.key === state.key),
  )
  const isThere = rows.some((row) => row.key === state.key)
  const key = isThere ? state.key : (rows[Math.min(at, rows.length - 1)]?.key ?? null)
  const { mode } = state
  const isOver = mode.kind === 'confirm' && !rows.some((row) => row.key === mode.row.key)
  return {
    ...state,
    rows,
    key,
    restingSince: isThere ? state.restingSince : now,
    ...(isOver && { mode: { kind: 'list' }, note: 'it was taken care of elsewhere' }),
  }
}

export interface Step {
  state: TopState
  act?: Act
}

/** @param page  rows that the screen shows at once */
export function press(state: TopState, key: Key, now: number, page: number): Step {
  if (key.kind === 'quit') return { state, act: { kind: 'quit' } }
  const quiet = { ...state, note: null }
  if (state.mode.kind === 'confirm') return confirm(quiet, state.mode, key, now)
  if (state.mode.kind === 'write') return write(quiet, state.mode, key)
  return list(quiet, key, now, page)
}

const LIST: TopState['mode'] = { kind: 'list' }

function confirm(state: TopState, mode: Extract<TopState['mode'], { kind: 'confirm' }>, key: Key, now: number): Step {
  if (key.kind === 'escape' || (key.kind === 'text' && ['n', 'q'].includes(key.text)))
    return { state: { ...state, mode: LIST } }
  if (key.kind !== 'text' || key.text !== 'y' || now - mode.since < RESTING_MS)
    return { state: { ...state, mode: { ...mode, since: now } } }
  return { state: { ...state, mode: LIST, restingSince: now }, act: mode.act }
}

function write(state: TopState, mode: Extract<TopState['mode'], { kind: 'write' }>, key: Key): Step {
  const { row, text } = mode
  const put = (next: string): Step => ({ state: { ...state, mode: { ...mode, text: next.slice(0, LONGEST_MESSAGE) } } })
  if (key.kind === 'text') return put(text + key.text)
  // Its lines become one: what is sent is what was seen.
  if (key.kind === 'paste') return put(text + key.text.replace(/\s+/g, ' '))
  if (key.kind === 'backspace')
    return put(
      [...new Intl.Segmenter().segment(text)]
        .slice(0, -1)
        .map(({ segment }) => segment)
        .join(''),
    )
  if (key.kind === 'escape') return { state: { ...state, mode: LIST } }
  const to = row.taskId ?? row.sessionId
  if (key.kind !== 'enter' || text.trim() === '' || to === null) return { state }
  return { state: { ...state, mode: LIST }, act: { kind: 'send', to, text: text.trim() } }
}

function list(state: TopState, key: Key, now: number, page: number): Step {
  const step = MOVES.get(key.kind)
  if (step !== undefined) return { state: moved(state, step(page), now) }
  if (key.kind !== 'text') return { state }
  if (key.text === 'q') return { state, act: { kind: 'quit' } }
  if (key.text === 'j') return { state: moved(state, 1, now) }
  if (key.text === 'k') return { state: moved(state, -1, now) }
  const row = selected(state)
  if (row === null) return { state }
  if (key.text === 'o') return { state, act: { kind: 'open', row } }
  if (key.text === 'm')
    return row.taskId === null && row.sessionId === null
      ? { state: { ...state, note: 'nobody there reads messages' } }
      : { state: { ...state, mode: { kind: 'write', row, text: '' } } }
  const act = actOf(key.text, row)
  if (typeof act === 'string') return { state: { ...state, note: act === '' ? null : act } }
  if (now - state.restingSince < RESTING_MS)
    return { state: { ...state, restingSince: now, note: 'the list has just changed: press the key again' } }
  return { state: { ...state, mode: { kind: 'confirm', act, row, since: now } } }
}

/** @returns why not, where the key does nothing here; '' = no such key */
function actOf(key: string, { need }: Row): Asked | string {
  if (key === 'a' || key === 'd') {
    const { question } = need ?? {}
    if (!question) return 'only questions are allowed or denied'
    return { kind: 'answer', questionId: question.id, behavior: key === 'a' ? 'allow' : 'deny' }
  }
  if (key !== 'x') return ''
  return need?.canDismiss === true
    ? { kind: 'dismiss', needId: need.id }
    : 'only what needs you is dismissed, and no question'
}

const MOVES: ReadonlyMap<Key['kind'], (page: number) => number> = new Map([
  ['up', () => -1],
  ['down', () => 1],
  ['page-up', (page: number) => -page],
  ['page-down', (page: number) => page],
  ['home', () => Number.NEGATIVE_INFINITY],
  ['end', () => Number.POSITIVE_INFINITY],
])

function moved(state: TopState, by: number, now: number): TopState {
  const { rows } = state
  const at = rows.findIndex((row) => row.key === state.key)
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.key ?? null
  return next === state.key ? state : { ...state, key: next, restingSince: now }
}
