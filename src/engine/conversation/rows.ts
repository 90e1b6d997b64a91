import type { ConversationReads, SessionMark, ToolOutcome } from '../../domain/conversation/conversation'
import type {
  ContinuedRun,
  ConversationLine,
  LinePosition,
  LineRow,
  LineWindow,
  RowCall,
  RowMark,
  RowPage,
} from '../../domain/conversation/line-row'
import { AppError } from '../../domain/errors'
import type { EventId, ToolUseId } from '../../domain/ids'
import type { Subagent } from '../../domain/session/session'
import type { StoredSession } from '../../domain/session/session-store'
import { comparePositions } from './fold-turns'
import { type Agent, byCall } from './read-conversation'

export interface RowsOptions {
  /** `null` = the main thread. */
  agent: Agent | null
  /** The last ones where neither is given. */
  from?: number | undefined
  around?: EventId | undefined
  /** The last ones up to this time, in milliseconds. */
  until?: number | undefined
  limit: number
}

/**
 * Reads rows of one agent by their number. It costs what these rows cost and one count along an index, wherever they are.
 *
 * @throws `invalid` both places are given, or `around` is another agent's line; `not_found` when there is no such line
 */
export async function readRows(
  reads: ConversationReads,
  session: StoredSession,
  { agent, from, around, until, limit }: RowsOptions,
): Promise<RowPage> {
  if (from !== undefined && around !== undefined)
    throw new AppError('invalid', 'Pass either `from` or `around`, not both.', {
      hint: '`from` takes a row number, `around` an event ID.',
    })
  if (until !== undefined && (from !== undefined || around !== undefined))
    throw new AppError('invalid', 'Pass `until` without `from` and `around`.')
  const node = agent?.key ?? null
  const position = around === undefined ? undefined : await findPosition(reads, session, agent, around)
  const window = await reads.window(
    session.key,
    node,
    position !== undefined
      ? { kind: 'around', position }
      : from !== undefined
        ? { kind: 'from', number: from }
        : { kind: 'end', ...(until !== undefined && { until }) },
    limit,
  )
  const found = around === undefined ? null : window.lines.findIndex(({ event }) => event.id === around)
  if (found === -1)
    throw new AppError('invalid', `It is not yet known which agent wrote line ${around}.`, {
      hint: 'Try again once the launch of its agent is recorded.',
    })
  const [rows, marks] = await Promise.all([
    withCalls(reads, session, agent, window),
    agent === null ? reads.marks(session) : [],
  ])
  return {
    total: window.total,
    from: window.from,
    found: found === null ? null : window.from + found,
    rows,
    marks: placeMarks(
      marks.filter(({ after }) => until === undefined || after === null || after.at <= until),
      window,
    ),
  }
}

/** Where a line of this agent stands. */
async function findPosition(
  reads: ConversationReads,
  session: StoredSession,
  agent: Agent | null,
  id: EventId,
): Promise<LinePosition> {
  const line = await reads.findLine(session.key, id)
  if (line === undefined)
    throw new AppError('not_found', `Session ${session.id} has no event ${id}.`, {
      hint: `\`lode event list --session ${session.id}\` lists its events.`,
    })
  if (line.node === (agent?.key ?? null)) return line.position
  const node = line.node === null ? null : ((await reads.nodes([line.node])).get(line.node)?.subagentId ?? null)
  throw new AppError('invalid', `Event ${id} does not belong to ${agent?.subagent.id ?? 'the main thread'}.`, {
    hint: node === null ? 'It belongs to the main thread: omit subagentId.' : `It belongs to subagentId ${node}.`,
  })
}

/** The lines with their numbers, what became of their calls, and what these set to work. */
async function withCalls(
  reads: ConversationReads,
  session: StoredSession,
  agent: Agent | null,
  { from, lines }: LineWindow,
): Promise<LineRow[]> {
  const ids = [...new Set(lines.flatMap(({ event }) => event.toolUseId ?? []))]
  const calls = [...new Set(lines.flatMap(({ event }) => (event.type === 'tool_call' ? (event.toolUseId ?? []) : [])))]
  const depth = agent === null ? 1 : agent.subagent.depth === null ? null : agent.subagent.depth + 1
  const parent = agent === null ? null : { id: agent.subagent.id, toolUseId: agent.subagent.toolUseId }
  const [outcomes, launched, continued] = await Promise.all([
    reads.toolOutcomes(session.key, ids),
    reads.launchedBy(session, calls, parent, depth),
    reads.continuedBy(session.key, calls),
  ])
  const facts = { outcomes, launched: byLaunch(launched), continued: byCall(continued) }
  return lines.map((line, i) => rowOf(line, from + i, facts))
}

interface CallFacts {
  outcomes: ReadonlyMap<ToolUseId, ToolOutcome>
  launched: ReadonlyMap<ToolUseId, Subagent[]>
  continued: ReadonlyMap<ToolUseId, ContinuedRun[]>
}

function rowOf({ event, bytes }: ConversationLine, number: number, facts: CallFacts): LineRow {
  const { type, toolUseId } = event
  const kind = type === 'tool_call' ? 'tool' : type === 'tool_result' ? 'answer' : type
  const isCall = kind === 'tool' && toolUseId !== null
  return {
    number,
    kind,
    event,
    bytes,
    call: (kind === 'tool' || kind === 'answer') && toolUseId !== null ? callOf(event, toolUseId, facts) : null,
    launched: (isCall && facts.launched.get(toolUseId)) || [],
    continued: (isCall && facts.continued.get(toolUseId)) || [],
  }
}

function callOf({ type, toolName }: ConversationLine['event'], id: ToolUseId, { outcomes }: CallFacts): RowCall {
  const outcome = outcomes.get(id)
  const isError = outcome?.isError ?? null
  return { id, name: outcome?.name ?? toolName, isAnswered: type === 'tool_result' || isError !== null, isError }
}

function byLaunch(agents: readonly Agent[]): Map<ToolUseId, Subagent[]> {
  const map = new Map<ToolUseId, Subagent[]>()
  for (const { subagent } of agents) {
    const { toolUseId } = subagent
    if (toolUseId === null) continue
    map.set(toolUseId, [...(map.get(toolUseId) ?? []), subagent])
  }
  return map
}

/** Before all lines. */
const BEGINNING: LinePosition = { at: -1, key: -1 }

/**
 * Marks that stand before one of these rows, or behind the last row of all. A mark stands behind a line: windows that touch each
 * other have each mark once.
 */
function placeMarks(marks: readonly SessionMark[], { total, from, lines, before }: LineWindow): RowMark[] {
  // Beyond the end: what stands behind the last line comes with that line.
  if (from > 0 && lines.length === 0) return []
  const isEnd = from + lines.length === total
  const last = lines.at(-1)?.position
  const placed = marks
    .map((mark) => ({ mark, place: mark.after ?? BEGINNING }))
    .filter(({ place }) => before === null || comparePositions(place, before) >= 0)
    .filter(({ place }) => isEnd || (last !== undefined && comparePositions(place, last) < 0))
    .sort((a, b) => comparePositions(a.place, b.place))
  return placed.map(({ mark, place }) => {
    const index = lines.findIndex(({ position }) => comparePositions(place, position) < 0)
    return {
      kind: mark.kind,
      sessionId: mark.sessionId,
      isOrigin: mark.isOrigin,
      at: timeOf(mark.after),
      before: from + (index < 0 ? lines.length : index),
    }
  })
}

/** `null` where a mark stands before or behind all lines, whose times say nothing of it. */
function timeOf(after: LinePosition | null): string | null {
  return after === null || after.at === Number.MAX_SAFE_INTEGER ? null : new Date(after.at).toISOString()
}
