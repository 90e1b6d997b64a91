import type { Answers } from '../../api/contract/operations'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time-units'
import type { Todo } from '../../domain/todo/todo-item'
import { plural } from '../print/measures'
import { cut, oneLine } from '../print/text'
import type { ViewSettings } from './session/session-views'

/** The to-dos of a session with the issues that they are for. */
export type SessionTodos = Answers['todos']['lists']['lists'][number]

const MARKS = { completed: '✓', in_progress: '→', pending: '○', removed: '✗' } as const

/** What the marks mean, for a person that sees or hears them for the first time. */
export const LEGEND = '✓ completed  → in progress  ○ pending'

/** Where the words about an item's other places come from; none for most items. */
export type ItemWords = (todo: Todo) => readonly string[]

/** Session and issue, the age of the last change, one line for each item, and how far it is. */
export function sessionTodosView(list: SessionTodos, view: ViewSettings): string {
  const { issues, suggestion, lastSyncAt, endedAt, leftOutCount, progress, todos } = list
  const lines = [
    headline(list),
    ...(issues.length > 1
      ? [
          oneLine(
            `Also linked: ${issues
              .slice(1)
              .map(({ id }) => id)
              .join(', ')}`,
          ),
        ]
      : []),
    ...(issues.length === 0 && suggestion !== null
      ? [
          `This session viewed only one issue. To link it: lode todo link ${oneLine(suggestion.id)} ("${oneLine(suggestion.title)}")`,
        ]
      : []),
    `Last sync: ${lastSyncAt === null ? 'never' : spelledAge(lastSyncAt, view.now)}${endedAt === null ? '' : ' (ended)'}`,
    '',
    ...(todos.length === 0 ? ['  no to-dos'] : itemLines(todos, view, list.sessionId)),
    ...(leftOutCount > 0 ? [`  ${plural(leftOutCount, 'more to-do')} beyond the limit (todos.maxPerSession)`] : []),
    ...(progress.total === 0 ? [] : ['', progressLine(progress)]),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** `Progress: 2/6 completed, 1 in progress`. */
export const progressLine = ({ completed, inProgress, total }: SessionTodos['progress']): string =>
  `Progress: ${completed}/${total} completed, ${inProgress} in progress`

function headline({ sessionId, issues }: SessionTodos): string {
  const [issue] = issues
  if (issue === undefined) return oneLine(`Session ${sessionId} (not linked)`)
  const [evidence] = issue.evidence
  const why = evidence === undefined || evidence.source === 'person' ? '' : ` (by its ${evidence.source})`
  return oneLine(`Session ${sessionId} → ${issue.id} "${issue.title}"${why}`)
}

/**
 * The main thread's items first, then each sub-agent's under its own heading.
 *
 * @param session  whose list it is: what it took over from others says so
 */
export function itemLines(
  todos: readonly Todo[],
  { columns }: ViewSettings,
  session: string,
  more: ItemWords = () => [],
): string[] {
  const agents = [...new Set(todos.map(({ subagentId }) => subagentId))].sort(
    (a, b) => Number(a !== null) - Number(b !== null),
  )
  return agents.flatMap((agent) => [
    ...(agent === null ? [] : [`  ${oneLine(`Sub-agent ${agent}:`)}`]),
    ...todos
      .filter(({ subagentId }) => subagentId === agent)
      .map((todo) => {
        const line = `${agent === null ? '  ' : '    '}${itemText(todo, session, more(todo))}`
        return columns > 0 ? cut(line, columns) : line
      }),
  ])
}

/** `✓ Write tests (its issue ld-1 is closed)`. */
function itemText(todo: Todo, session: string, more: readonly string[]): string {
  const { status, content, activeForm, completedBy, leftOpen, promotedTo, takenBy, blockedBy } = todo
  const words = [
    ...(status === 'removed' ? ['removed'] : []),
    ...(leftOpen ? ['left open'] : []),
    ...(promotedTo === null
      ? []
      : [completedBy === 'issue' ? `its issue ${promotedTo} is closed` : `is ${promotedTo}`]),
    ...(takenBy === null ? [] : [takenBy === session ? `from session ${todo.sessionId}` : `taken by ${takenBy}`]),
    ...(blockedBy.length > 0 && status === 'pending' ? [`after ${blockedBy.join(', ')}`] : []),
    ...more,
  ]
  const text = status === 'in_progress' && !leftOpen ? (activeForm ?? content) : content
  return oneLine(`${MARKS[status]} ${text}${words.length === 0 ? '' : ` (${words.join('; ')})`}`)
}

const UNITS = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
] as const

/** `2 minutes ago`. A time to come counts as now. */
export function spelledAge(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  const unit = UNITS.find(([, length]) => ms >= length)
  return unit === undefined ? 'just now' : `${plural(Math.floor(ms / unit[1]), unit[0])} ago`
}
