import type { Attempt, AttemptConversation, Question } from '../../../domain/task/task'
import { age, dollars, duration, plural } from '../../print/measures'
import { table } from '../../print/table'
import { oneLine } from '../../print/text'
import { usageText, type ViewSettings } from '../session/session-views'

/** Each attempt with how it got its conversation and why not in a better way; newest last. */
export function attemptList(attempts: readonly Attempt[], { now }: ViewSettings): string {
  return attempts.map((attempt) => attemptText(attempt, now)).join('')
}

function attemptText(a: Attempt, now: number): string {
  const took = Date.parse(a.endedAt ?? new Date(now).toISOString()) - Date.parse(a.startedAt)
  const head = [
    `#${a.number}`,
    a.isLive ? 'live' : (a.outcome ?? 'ended'),
    a.host === null ? a.agentName : `${a.agentName} on ${a.host}`,
    `${age(a.startedAt, now)}, took ${duration(took)}`,
    a.costUsd === null ? null : dollars(a.costUsd, false),
  ]
  const process = a.process === null ? null : `process ${a.process.pid}${a.cliVersion ? `, CLI ${a.cliVersion}` : ''}`
  const details = [
    ...(a.conversation === null ? [] : conversationText(a.conversation)),
    `assignment: ${a.dispatchReason}`,
    a.cwd === null ? null : `in ${a.cwd}${a.branch === null ? '' : `, branch ${a.branch} from ${a.base?.slice(0, 12) ?? '?'}`}`,
    a.isLive ? process : null,
    a.failureReason === null
      ? null
      : `${a.outcome === 'paused' || a.outcome === 'cancelled' || a.outcome === 'released' ? 'because' : 'failed'}: ${a.failureReason}${a.failureClass ? ` (${a.failureClass})` : ''}`,
    ending(a),
  ]
  const first = head
    .filter((part) => part !== null)
    .map(oneLine)
    .join('  ')
  const rest = details.filter((part) => part !== null).map((line) => `    ${oneLine(line)}\n`)
  return `${first}\n${rest.join('')}`
}

function ending({ exitCode, signal, numTurns, usage }: Attempt): string | null {
  const parts = [
    signal === null ? (exitCode === null ? null : `exit code ${exitCode}`) : `ended by ${signal}`,
    numTurns === null ? null : plural(numTurns, 'turn'),
    usage === null ? null : usageText(usage),
  ].filter((part) => part !== null)
  return parts.join(', ') || null
}

/** The rung in words, then one line for each better one that did not run. */
export function conversationText({
  rung,
  sessionId,
  resumedSessionId,
  forkPoint,
  whyNot,
  carried,
}: AttemptConversation): string[] {
  const from = resumedSessionId ?? 'another'
  const how = {
    native: `native: resumed session ${from}`,
    restored: `restored: session ${from} was restored from the record and resumed`,
    snapshot: `snapshot: session ${sessionId} starts with a copy of ${from}${forkPoint === null ? '' : ` up to ${forkPoint}`}`,
    translated: `translated: session ${sessionId} continues ${from} of another agent CLI${carried === undefined ? '' : `, with ${carried}`}`,
    preamble: `preamble: session ${sessionId} is new and received a summary of ${from}`,
    fresh: `fresh: session ${sessionId} is new`,
  }[rung]
  return [how, ...whyNot.map((each) => `not ${each.rung}: ${each.detail ?? each.reason.replaceAll('_', ' ')}`)]
}

export function questionTable(
  questions: readonly Question[],
  hasTask: boolean,
  { now, columns }: ViewSettings,
): string {
  return table(
    questions,
    [
      { title: 'ID', cell: (q) => q.id, max: 24 },
      ...(hasTask ? [{ title: 'TASK', cell: (q: Question) => q.taskId as string, max: 24 }] : []),
      { title: 'STATUS', cell: (q) => (q.answer === null ? q.status : `${q.status}: ${q.answer.behavior}`) },
      { title: 'AGE', cell: (q) => age(q.askedAt, now), align: 'right', spare: 2 },
      { title: 'LEFT', cell: (q) => left(q, now), align: 'right', spare: 1 },
      { title: 'TOOL', cell: (q) => q.toolName, max: 24 },
      { title: 'DANGER', cell: (q) => dangerWords(q.dangers), max: 24 },
      { title: 'ASKS FOR', cell: askedFor, max: 400, flexible: 20 },
    ],
    columns,
  )
}

/** Each kind of danger once, the worst first; `null` = none. */
const dangerWords = (dangers: Question['dangers']): string | null =>
  dangers.length === 0 ? null : [...new Set(dangers.map(({ kind }) => kind))].join(', ')

/** Time until the default applies, and the default: `4m, then deny`. */
function left(q: Question, now: number): string | null {
  if (q.status !== 'open') return null
  return `${duration(Math.max(0, Date.parse(q.deadline) - now))}, then ${q.default}`
}

/** The part of a tool's input that says what it would do: its main argument where it is known, else all of it. */
function askedFor({ input, description }: Question): string {
  const known = ['command', 'file_path', 'path', 'url', 'pattern', 'query']
  const named =
    typeof input === 'object' && input !== null
      ? known.map((name) => (input as Record<string, unknown>)[name]).find((value) => typeof value === 'string')
      : undefined
  const text = typeof named === 'string' ? named : typeof input === 'string' ? input : (JSON.stringify(input) ?? '')
  return description === null ? text : `${text}  (${description})`
}
