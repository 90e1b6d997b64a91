import type {
  ConversationReads,
  LaneTimes,
  Timeline,
  TimelineLane,
  ToolSpan,
} from '../../domain/conversation/conversation'
import { costIn } from '../../domain/cost/price'
import type { SubagentKey } from '../../domain/ids'
import type { Subagent } from '../../domain/session/session'
import type { StoredSession } from '../../domain/session/session-store'
import { isSessionOver } from '../../domain/subagent/subagent-status'
import { foldSegments, type Span } from './fold-segments'

/** Turns of the main thread, the newest. */
const TURN_LIMIT = 5_000

export interface TimelineOptions {
  /** Lanes beside the main thread's. */
  limit: number
  /** Tools by which the agent asks a person. */
  askingTools: ReadonlySet<string>
}

/** What the agents of a session did when. No line's text is read. */
export async function readTimeline(
  reads: ConversationReads,
  session: StoredSession,
  { limit, askingTools }: TimelineOptions,
): Promise<Timeline> {
  const [turns, all] = await Promise.all([reads.turnSpans(session.key, TURN_LIMIT + 1), reads.laneTimes(session.key)])
  const isCut = turns.length > TURN_LIMIT
  if (isCut) turns.shift()
  const chosen = chooseLanes(all, limit)
  const keys = chosen.map(({ key }) => key)
  const [tools, runs, waits, agents, mainCost] = await Promise.all([
    reads.toolSpans(session.key, keys),
    reads.runSpans(keys),
    reads.waits(session.key),
    reads.agents(session, keys),
    reads.mainCost(session.key),
  ])
  const from = firstOf([
    turns[0]?.from,
    isCut ? undefined : timeOf(session.startedAt),
    ...chosen.map((lane) => lane.startedAt),
  ])
  const to = lastOf([timeOf(session.lastEventAt), turns.at(-1)?.to, ...chosen.map((lane) => lane.endedAt)])
  const compactions = turns.filter((turn) => turn.isCompaction).map((turn) => new Date(turn.from).toISOString())
  if (from === undefined || to === undefined)
    return { from: null, to: null, lanes: [], leftOutCount: all.length - chosen.length, compactions, isCut }

  const toolsOf = new Map<SubagentKey | null, Span[]>()
  for (const tool of tools) {
    const span = toolSpan(tool, askingTools, to)
    const spans = toolsOf.get(tool.node)
    if (spans === undefined) toolsOf.set(tool.node, [span])
    else spans.push(span)
  }
  const lane = (subagent: Subagent | null, begin: number, end: number, spans: Span[]): TimelineLane => ({
    subagent,
    startedAt: new Date(begin).toISOString(),
    endedAt: new Date(end).toISOString(),
    ...foldSegments(spans, begin, end),
    usage: subagent === null ? session.usageMain : subagent.usage,
    ...costIn(subagent ?? mainCost),
  })
  const main: Span[] = turns.map((turn) => ({ from: turn.from, to: turn.to, kind: 'working' }))
  // A call that nobody answered says nothing of the turns that came after it.
  main.push(...withinTurns(toolsOf.get(null) ?? [], turns))
  if (session.signals.activity === 'waiting' && isSessionOver(session.signals) === undefined)
    main.push({ from: session.signals.activityAt ?? to, to, kind: 'waiting' })
  // Whichever of its agents made the call: the run waits as a whole.
  for (const wait of waits) main.push({ from: wait.from, to: wait.to ?? to, kind: 'waiting' })

  const agentOf = new Map(agents.map(({ key, subagent }) => [key, subagent]))
  const lanes = [lane(null, from, to, main)]
  for (const { key, startedAt, endedAt } of chosen) {
    const subagent = agentOf.get(key)
    if (subagent === undefined) continue
    const end = subagent.status === 'running' ? to : endedAt
    const own = runs.filter((run) => run.key === key && run.from !== null)
    const spans: Span[] = own.map((run) => ({ from: run.from ?? startedAt, to: run.to ?? end, kind: 'working' }))
    if (spans.length === 0) spans.push({ from: startedAt, to: end, kind: 'working' })
    lanes.push(lane(subagent, Math.min(startedAt, end), end, [...spans, ...(toolsOf.get(key) ?? [])]))
  }
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    lanes,
    leftOutCount: all.length - chosen.length,
    compactions,
    isCut,
  }
}

/** Half of them the longest, the others the latest; by their start. */
function chooseLanes(all: readonly LaneTimes[], limit: number): LaneTimes[] {
  if (all.length <= limit) return [...all].sort(byStart)
  const byLength = [...all].sort((a, b) => b.endedAt - b.startedAt - (a.endedAt - a.startedAt))
  const chosen = new Set(byLength.slice(0, Math.ceil(limit / 2)))
  for (const lane of [...all].sort((a, b) => b.endedAt - a.endedAt)) {
    if (chosen.size >= limit) break
    chosen.add(lane)
  }
  return [...chosen].sort(byStart)
}

const byStart = (a: LaneTimes, b: LaneTimes): number => a.startedAt - b.startedAt || a.key - b.key

function toolSpan(tool: ToolSpan, askingTools: ReadonlySet<string>, end: number): Span {
  const kind = tool.name !== null && askingTools.has(tool.name) ? 'waiting' : 'tool'
  return { from: tool.calledAt, to: tool.endedAt ?? end, kind }
}

/** Cut at the end of the turn in which each began. Both are in order of time. */
function withinTurns(spans: readonly Span[], turns: readonly { from: number; to: number }[]): Span[] {
  let turn = -1
  return spans.map((span) => {
    while ((turns[turn + 1]?.from ?? Number.POSITIVE_INFINITY) <= span.from) turn++
    const next = turns[turn + 1]?.from ?? Number.POSITIVE_INFINITY
    return { ...span, to: Math.min(span.to, next) }
  })
}

const timeOf = (iso: string | null): number | undefined => (iso === null ? undefined : Date.parse(iso))
const known = (times: readonly (number | undefined)[]): number[] =>
  times.filter((at) => at !== undefined && at > 0) as number[]
const firstOf = (times: readonly (number | undefined)[]): number | undefined =>
  known(times).reduce<number | undefined>((least, at) => (least === undefined || at < least ? at : least), undefined)
const lastOf = (times: readonly (number | undefined)[]): number | undefined =>
  known(times).reduce<number | undefined>((most, at) => (most === undefined || at > most ? at : most), undefined)
