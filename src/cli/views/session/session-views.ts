import { basename } from 'node:path'
import type { Cost } from '../../../domain/cost/price'
import type { Usage } from '../../../domain/cost/usage'
import { evidenceInWords } from '../../../domain/session/evidence-words'
import type { Session, Subagent } from '../../../domain/session/session'
import type { SubagentRun } from '../../../domain/subagent/subagent-run'
import { age, count, dollars, localTime, plural } from '../../print/measures'
import { fields, table } from '../../print/table'
import { oneLine } from '../../print/text'
import { shortIds } from '../ids'

/** What a view needs of its surroundings. */
export interface ViewSettings {
  /** Milliseconds since the epoch: ages are counted from here. */
  now: number
  /** Cells of the terminal; 0 = don't cut. */
  columns: number
  /** Name the agent CLI of each session and task: several are recorded. Default: where several are shown. */
  namesClis?: boolean
}

/** All tokens that a model was given or gave. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheCreationTokens
}

/** Tokens of a sub-agent that are recorded: `none` asks no model, and of what was never recorded nobody knows. */
export function tokensOf({ kind, usage }: Pick<Subagent, 'kind' | 'usage'>): number | 'none' | 'unknown' {
  if (kind !== 'agent') return 'none'
  return usage === null ? 'unknown' : totalTokens(usage)
}

/** e.g. `12k tokens`, `at least 12,345 tokens (reported)`; `null` = none to speak of. */
export function tokensText(agent: Pick<Subagent, 'kind' | 'usage' | 'reportedTokens'>): string | null {
  const tokens = tokensOf(agent)
  if (tokens === 'none') return null
  return tokens === 'unknown' ? (reportedText(agent) ?? 'unknown tokens') : `${count(tokens)} tokens`
}

const reportedText = ({ reportedTokens }: Pick<Subagent, 'reportedTokens'>): string | null =>
  reportedTokens === null ? null : `at least ${plural(reportedTokens, 'token')} (reported)`

/** `without 2 sub-agents whose usage is unknown`; `null` where there is none. */
export const unknownText = (agents: number): string | null =>
  agents === 0 ? null : `without ${plural(agents, 'sub-agent')} whose usage is unknown`

const tokensCell = (agent: Subagent): string | null => {
  const tokens = tokensOf(agent)
  if (typeof tokens === 'number') return count(tokens)
  if (tokens === 'none') return null
  return agent.reportedTokens === null ? tokens : `${count(agent.reportedTokens)}+`
}

/** Whether there are several among some agent CLIs. */
export const areSeveral = (names: readonly (string | null)[]): boolean =>
  new Set(names.filter((name) => name !== null)).size > 1

export function sessionTable(
  sessions: readonly Session[],
  { now, columns, namesClis: hasSeveral = areSeveral(sessions.map(({ agent }) => agent)) }: ViewSettings,
): string {
  const short = shortIds(sessions.map((session) => session.id))
  return table(
    sessions,
    [
      { title: 'ID', cell: (s) => short(s.id), max: 36 },
      ...(hasSeveral ? [{ title: 'CLI', cell: (s: Session) => s.agent, max: 12 }] : []),
      { title: 'STATUS', cell: (s) => s.status },
      { title: 'AGE', cell: (s) => age(s.lastEventAt, now), align: 'right' },
      { title: 'EVENTS', cell: (s) => count(s.counts.events), align: 'right', spare: 3 },
      {
        title: 'AGENTS',
        cell: (s) => (s.counts.subagents === 0 ? null : count(s.counts.subagents)),
        align: 'right',
        spare: 2,
      },
      { title: 'TOKENS', cell: (s) => count(totalTokens(s.usage)), align: 'right', spare: 1 },
      { title: 'COST', cell: (s) => dollars(s.costUsd, s.isEstimate), align: 'right' },
      { title: 'PROJECT', cell: (s) => projectName(s), max: 20 },
      { title: 'TITLE', cell: (s) => s.title, max: 200, flexible: 24 },
    ],
    columns,
  )
}

/** The project's last path segment, or the working directory's. */
export function projectName(session: Pick<Session, 'project' | 'cwd'>): string | null {
  const path = session.project ?? session.cwd
  return path === null ? null : basename(path) || path
}

/** Everything that is known of a session but its parts. */
export function sessionFields(s: Session, now: number): string {
  const { events, toolCalls, subagents, compactions, malformedLines } = s.counts
  const when = (iso: string | null) => (iso === null ? null : `${localTime(iso)} (${ago(iso, now)})`)
  return fields([
    ['session', s.id],
    ['title', s.title],
    ['status', `${s.status}: ${evidenceInWords(s.statusEvidence)}`],
    ['project', s.project],
    ['folder', s.cwd === s.project ? null : s.cwd],
    ['branch', s.gitBranch],
    ['host', s.host],
    ['agent', [s.agent, s.agentVersion].filter((part) => part !== null).join(' ')],
    ['model', s.model],
    ['resumed from', s.resumedFrom],
    ['forked from', s.forkedFrom],
    ['translated from', s.translatedFrom],
    ['cleared from', s.clearedFrom],
    ['started', when(s.startedAt)],
    ['last event', when(s.lastEventAt)],
    ['ended', when(s.endedAt)],
    [
      'counts',
      [
        plural(events, 'event'),
        plural(toolCalls, 'tool call'),
        plural(subagents, 'sub-agent'),
        plural(compactions, 'compaction'),
        ...(malformedLines > 0 ? [plural(malformedLines, 'malformed line')] : []),
      ].join(', '),
    ],
    ['tokens', [usageText(s.usage), unknownText(s.counts.unknownAgents)].filter((part) => part !== null).join('; ')],
    ['main thread', totalTokens(s.usage) === totalTokens(s.usageMain) ? null : usageText(s.usageMain)],
    [
      'cost',
      [costText(s) ?? 'unknown (none of its models has a known price)', unknownText(s.counts.unknownAgents)]
        .filter((part) => part !== null)
        .join('; '),
    ],
  ])
}

/** `$1.20`, `~$1.20 (an estimate)`; `null` where it is not known. */
export const costText = ({ costUsd, isEstimate }: Cost): string | null =>
  costUsd === null ? null : `${dollars(costUsd, isEstimate)}${isEstimate ? ' (an estimate)' : ''}`

/** `12s ago`, `now`. */
export function ago(iso: string, now: number): string {
  const text = age(iso, now)
  return text === 'now' || text === '-' ? text : `${text} ago`
}

/** `12k in, 3.4k out, 100k cache read, 20k cache written`. */
export function usageText(usage: Usage): string {
  const parts = [`${count(usage.inputTokens)} in`, `${count(usage.outputTokens)} out`]
  if (usage.cacheReadTokens > 0) parts.push(`${count(usage.cacheReadTokens)} cache read`)
  if (usage.cacheCreationTokens > 0) parts.push(`${count(usage.cacheCreationTokens)} cache written`)
  return parts.join(', ')
}

export function subagentTable(subagents: readonly Subagent[], { now, columns }: ViewSettings): string {
  const short = shortIds(subagents.map(({ id }) => id))
  return table(
    subagents,
    [
      { title: 'ID', cell: (a) => (columns > 0 ? short(a.id) : a.id), max: 40 },
      { title: 'STATUS', cell: (a) => a.status },
      { title: 'AGE', cell: (a) => age(a.lastEventAt ?? a.endedAt ?? a.startedAt, now), align: 'right' },
      { title: 'DEPTH', cell: (a) => (a.depth === null ? null : String(a.depth)), align: 'right', spare: 3 },
      { title: 'KIND', cell: (a) => kindText(a), spare: 1 },
      { title: 'EVENTS', cell: (a) => count(a.counts.events), align: 'right', spare: 2 },
      { title: 'TOKENS', cell: tokensCell, align: 'right' },
      { title: 'DESCRIPTION', cell: (a) => a.description, max: 200, flexible: 16 },
    ],
    columns,
  )
}

/** The agent's type, or what it is when it is no agent; `&` marks the background as shells do. */
function kindText(a: Subagent): string {
  const name = a.kind === 'agent' ? oneLine(a.type ?? 'agent') : a.kind
  return a.background ? `${name} &` : name
}

/** Calls that a source names as its launch beside the one that counts; they can't all be right. */
export function contradictionOf(a: Subagent): string | null {
  const others = new Set(a.evidence.flatMap(({ toolUseId }) => (toolUseId === a.toolUseId ? [] : toolUseId)))
  return others.size === 0
    ? null
    : `sources name ${plural(others.size, 'other call')} as well: ${[...others].join(', ')}`
}

/** One line for each run of a sub-agent that was continued, or whose result waits to be read. */
function runLine(run: SubagentRun, when: (iso: string | null) => string | null): string {
  const began = run.trigger === 'message' ? 'continued' : 'launched'
  const read =
    run.readAt !== null
      ? `read (${run.readEvidence ?? 'seen'})`
      : run.status === 'running'
        ? null
        : run.noticedAt === null
          ? 'not read'
          : 'noticed, not read'
  const facts = [
    `${began} ${when(run.startedAt) ?? 'at an unknown time'}`,
    `${run.status} (${evidenceInWords(run.statusEvidence)})`,
    read,
  ]
  return `${run.number}. ${facts.filter((fact) => fact !== null).join(', ')}`
}

export function subagentFields(a: Subagent, now: number, runs: readonly SubagentRun[] = []): string {
  const when = (iso: string | null) => (iso === null ? null : `${localTime(iso)} (${ago(iso, now)})`)
  return fields([
    [a.kind === 'agent' ? 'sub-agent' : a.kind, a.id],
    ['session', a.sessionId],
    ['type', a.type],
    ['description', a.description],
    ['status', `${a.status}: ${evidenceInWords(a.statusEvidence)}`],
    ['runs in', a.background ? 'background' : 'foreground'],
    ['depth', a.depth === null ? 'unknown' : String(a.depth)],
    ['launched by', a.toolUseId ?? 'unknown (launch not recorded)'],
    ['parent', a.parentId ?? (a.toolUseId === null ? null : 'main thread')],
    ['known from', a.evidence.map(({ source, toolUseId }) => `${source} (${toolUseId})`).join(', ') || null],
    ['contradiction', contradictionOf(a)],
    ['model', a.model],
    ['output', a.outputFile],
    ['started', when(a.startedAt)],
    ['last event', when(a.lastEventAt)],
    ['ended', when(a.endedAt)],
    ['counts', `${plural(a.counts.events, 'event')}, ${plural(a.counts.toolCalls, 'tool call')}`],
    ['tokens', a.kind !== 'agent' ? null : a.usage === null ? (reportedText(a) ?? 'unknown') : usageText(a.usage)],
    ['cost', a.kind !== 'agent' ? null : (costText(a) ?? (a.usage === null ? 'unknown' : null))],
    ...runs.map((run): [string, string] => [run.number === 1 ? 'runs' : '', runLine(run, when)]),
    ['result', a.resultPreview],
  ])
}
