/** What `lode status` shows: what needs a person first, then what runs, what it costs, and the last conversations. */
import type { Answers } from '../../api/contract/operations'
import type { Status } from '../../api/contract/wire'
import type { Agent } from '../../domain/agent'
import { type Session, SHOWN_SESSION_STATUSES } from '../../domain/session/session'
import { age, bytes, count, dollars, duration, plural } from '../print/measures'
import { fields } from '../print/table'
import { cut, oneLine, pad } from '../print/text'
import { budgetLine, usageLimitLine, usageWindowLine } from './budget-views'
import { restartOf } from './machine-views'
import { needCounts, needList } from './need-views'
import { ago, sessionTable, totalTokens, type ViewSettings } from './session/session-views'

/** What the view is made of. */
export interface StatusFacts {
  status: Status
  overview: Pick<Answers['overview'], 'needs' | 'counts' | 'running'>
  /** Messages since the day's begin here. */
  today: Answers['costs']['total']
  budgets: Limits['budgets']
  /** Limits of subscriptions that are reached. */
  usageLimits: Limits['usageLimits']
  usageWindows: Limits['usageWindows']
  /** The newest. */
  recent: readonly Session[]
  /** Machines whose worker runs a former program. */
  restarts: readonly Agent[]
  /** The server's address; `null` = the answer was made in this process. */
  url: string | null
}

type Limits = Answers['budgets']['list']
type Running = StatusFacts['overview']['running'][number]

/** Lines of budgets, and of limits that are reached. */
const LIMITS_SHOWN = 5
/** Lines of what runs; the rest is counted. */
const RUNNING_SHOWN = 10

export function statusView(facts: StatusFacts, settings: ViewSettings): string {
  const { overview, recent } = facts
  const { needs, counts, running } = overview
  return [
    factLines(facts, needCounts(counts.needs), settings.now),
    ...(needs.length > 0 ? ['needs you', needList(needs, counts.needs, settings)] : []),
    ...(running.length > 0 ? ['runs', runningList(running, counts.running, settings)] : []),
    ...(recent.length > 0
      ? ["last conversations: 'lode session show ID' shows one", sessionTable(recent, settings)]
      : ["no conversation is recorded: 'lode up' records those of this machine"]),
  ]
    .map((part) => (part.endsWith('\n') ? part : `\n${part}\n`))
    .join('')
}

function factLines(
  { status, url, today, budgets, usageLimits, usageWindows, restarts }: StatusFacts,
  needs: string | null,
  now: number,
): string {
  const { sessions, collector, storage } = status
  const by = SHOWN_SESSION_STATUSES.flatMap((each) =>
    sessions.byStatus[each] ? [`${sessions.byStatus[each]} ${each}`] : [],
  )
  if (sessions.older > 0) by.push(`${sessions.older} older`)
  const tokens = totalTokens(today.usage)
  return fields([
    [
      'server',
      url === null
        ? "not running (start it with 'lode up')"
        : `${url}, version ${status.version}, up ${duration(status.uptimeMs)}`,
    ],
    ['needs you', needs ?? 'nothing'],
    ...taskLine(status),
    ...restarts.slice(0, LIMITS_SHOWN).map((each) => ['restart', `${each.name} ${restartOf(each)}`] as const),
    ['today', tokens === 0 ? null : `${dollars(today.costUsd, today.isEstimate)}, ${count(tokens)} tokens`],
    ...budgets.slice(0, LIMITS_SHOWN).map((each) => ['budget', budgetLine(each)] as const),
    ...usageLimits.slice(0, LIMITS_SHOWN).map((each) => ['limit', usageLimitLine(each)] as const),
    ...usageWindows.slice(0, LIMITS_SHOWN).map((each) => ['window', usageWindowLine(each)] as const),
    ['sessions', `${sessions.total}${by.length > 0 ? ` (${by.join(', ')})` : ''}`],
    ['collector', collector === null ? null : collectorText(collector, now)],
    ...(collector?.problems ?? []).slice(0, 5).map(({ path, reason }) => ['problem', `${path}: ${reason}`] as const),
    ['storage', `${storage.kind}, ${storage.location}${storage.bytes === null ? '' : `, ${bytes(storage.bytes)}`}`],
  ])
}

function collectorText(collector: NonNullable<Status['collector']>, now: number): string {
  const { isRunning, files, roots, filesBehind, backfill, lastScanAt } = collector
  const parts = [`${isRunning ? 'follows' : 'stopped;'} ${plural(files, 'file')} in ${plural(roots.length, 'folder')}`]
  if (backfill !== null && backfill.bytesTotal > 0)
    parts.push(`recording what was there: ${bytes(backfill.bytesDone)} of ${bytes(backfill.bytesTotal)}`)
  else if (filesBehind > 0) parts.push(`${plural(filesBehind, 'file')} behind`)
  else if (lastScanAt !== null) parts.push(`last scan ${ago(lastScanAt, now)}`)
  return parts.join(', ')
}

/** What runs and what waits; nothing where tasks were never used. */
function taskLine({ tasks: { byStatus, asking }, agents }: Status): [string, string][] {
  const part = (n: number, words: string) => (n > 0 ? [`${n} ${words}`] : [])
  const parts = [
    ...part(byStatus.in_progress - asking, 'running'),
    ...part(asking, 'waiting for you'),
    ...part(byStatus.unassigned + byStatus.pending, 'queued'),
    ...part(byStatus.paused, 'paused'),
    ...part(byStatus.failed, 'failed'),
    ...part(byStatus.completed, 'completed'),
  ]
  const workers = agents.total === 0 ? 'no worker' : `${agents.online} of ${plural(agents.total, 'agent')} online`
  if (parts.length === 0 && agents.total === 0) return []
  return [['tasks', `${parts.join(', ') || 'none'}; ${workers}`]]
}

/** Two lines for each: what it does, and what to type. */
function runningList(running: readonly Running[], total: number, { now, columns }: ViewSettings): string {
  const shown = running.slice(0, RUNNING_SHOWN)
  const lines = shown.flatMap((each) => {
    const head = `${pad(each.kind, 9)}  ${pad(age(each.startedAt, now), 4, 'right')}  `
    const text = `${oneLine(each.title)}${doingText(each)}`
    return [
      `${head}${columns > 0 ? cut(text, Math.max(20, columns - head.length)) : text}`,
      `${' '.repeat(head.length)}${commandOf(each)}`,
    ]
  })
  if (total > shown.length) lines.push(`and ${total - shown.length} more; 'lode status --json' lists the first 200`)
  return lines.map((line) => `${line}\n`).join('')
}

function doingText({ todos, doing }: Running): string {
  const steps = todos === null || todos.total === 0 ? '' : ` (${todos.completed}/${todos.total})`
  return `${steps}${doing === null ? '' : `: ${oneLine(doing)}`}`
}

const commandOf = ({ taskId, sessionId }: Running): string =>
  taskId === null ? `lode session show ${oneLine(sessionId ?? '')}` : `lode task log ${oneLine(taskId)} --follow`
