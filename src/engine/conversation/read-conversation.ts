import type {
  ConversationBranch,
  ConversationPage,
  ConversationReads,
  LineRange,
  SessionMark,
} from '../../domain/conversation/conversation'
import type { ContinuedRun, ConversationLine, LinePosition } from '../../domain/conversation/line-row'
import type { SubagentKey, ToolUseId } from '../../domain/ids'
import type { Subagent } from '../../domain/session/session'
import type { StoredSession } from '../../domain/session/session-store'
import { comparePositions, foldTurns } from './fold-turns'
import { readWholeTexts, type WholeTextReader } from './whole-texts'

/** Lines of one page: a longer turn goes on on the next. */
const PAGE_LINES = 2_000
/** Turns and lines of a sub-agent that are folded into its parent's page, and how many sub-agents are opened for one page. */
const BRANCH_TURNS = 20
const BRANCH_LINES = 300
const OPENED_BRANCHES = 100

/** One agent of a session; `null` = its main thread. */
export interface Agent {
  key: SubagentKey
  subagent: Subagent
}

export interface PageOptions {
  agent: Agent | null
  /** Lines of all agents, by time; with `agent` null. */
  isFlat: boolean
  /** The page begins here: with a turn, or in one. */
  from: LinePosition | undefined
  /** Turns. */
  limit: number
  /** Levels of sub-agents whose turns are folded in; 0 = none. */
  depth: number
  /** Reads whole texts; absent = texts as the rows have them. */
  whole?: WholeTextReader
}

/** A page, and where the next one begins. */
export type ReadPage = Omit<ConversationPage, 'nextCursor'> & { next: LinePosition | null }

/** Reads a page of turns. It costs what its own lines cost, whatever the size of the session. */
export function readPage(reads: ConversationReads, session: StoredSession, options: PageOptions): Promise<ReadPage> {
  return new PageReader(reads, session, options.whole).read(options, PAGE_LINES)
}

class PageReader {
  private readonly reads: ConversationReads
  private readonly session: StoredSession
  private readonly whole: WholeTextReader | undefined
  private branchesLeft = OPENED_BRANCHES

  constructor(reads: ConversationReads, session: StoredSession, whole: WholeTextReader | undefined) {
    this.reads = reads
    this.session = session
    this.whole = whole
  }

  async read({ agent, isFlat, from, limit, depth }: Omit<PageOptions, 'whole'>, lineLimit: number): Promise<ReadPage> {
    const { reads, session } = this
    const node = agent?.key ?? null
    const begin = from === undefined ? {} : { from }
    const starts = await reads.turnStarts(session.key, node, begin, { limit: limit + 1 })
    const end = starts[limit]
    const range: LineRange = { ...begin, ...(end !== undefined && { to: end }) }
    const found = await reads.lines(session.key, isFlat ? 'all' : node, range, lineLimit + 1)
    const lines = found.slice(0, lineLimit)
    const rest = found[lineLimit]?.position
    const next = rest ?? end ?? null
    const [before, turnCount] = await Promise.all([
      from === undefined ? 0 : reads.countTurns(session.key, node, from),
      reads.countTurns(session.key, node),
    ])
    const facts = await this.facts(lines, agent, isFlat ? 0 : depth)
    const turns = foldTurns(lines, {
      ...facts,
      hasAllAgents: isFlat,
      number: before,
      isContinued: before > 0,
      isCut: rest !== undefined && !starts.some((start) => comparePositions(start, rest) === 0),
      marks: agent === null ? await this.marks(from, next ?? undefined) : [],
    })
    return { turns, turnCount, next }
  }

  /** Those of the main thread that stand on this page. */
  private async marks(from: LinePosition | undefined, to: LinePosition | undefined): Promise<SessionMark[]> {
    const all = await this.reads.marks(this.session)
    const zero = { at: -1, key: -1 }
    return all
      .filter(({ after }) => {
        // A mark stands before the first line behind it.
        const place = after ?? zero
        return (
          (from === undefined || comparePositions(place, from) >= 0) &&
          (to === undefined || comparePositions(place, to) < 0)
        )
      })
      .sort((a, b) => comparePositions(a.after ?? zero, b.after ?? zero))
  }

  private async facts(lines: readonly ConversationLine[], agent: Agent | null, depth: number) {
    const { reads, session } = this
    const ids = [...new Set(lines.flatMap(({ event }) => (event.toolUseId === null ? [] : [event.toolUseId])))]
    const isHalf = halves(lines)
    const childDepth = agent === null ? 1 : agent.subagent.depth === null ? null : agent.subagent.depth + 1
    const parent = agent === null ? null : { id: agent.subagent.id, toolUseId: agent.subagent.toolUseId }
    const [partners, outcomes, launched, continued, whole] = await Promise.all([
      reads.toolLines(session.key, ids.filter(isHalf)),
      reads.toolOutcomes(session.key, ids),
      reads.launchedBy(session, ids, parent, childDepth),
      reads.continuedBy(session.key, ids),
      this.whole === undefined ? NO_TEXTS : readWholeTexts(session, lines, this.whole),
    ])
    const branches = new Map<ToolUseId, ConversationBranch[]>()
    for (const child of launched) {
      const { toolUseId } = child.subagent
      if (toolUseId === null) continue
      const branch = await this.branch(child, depth)
      branches.set(toolUseId, [...(branches.get(toolUseId) ?? []), branch])
    }
    return { partners, outcomes, branches, continued: byCall(continued), whole }
  }

  private async branch(child: Agent, depth: number): Promise<ConversationBranch> {
    const { subagent } = child
    if (depth === 0 || subagent.kind !== 'agent' || subagent.counts.events === 0 || this.branchesLeft === 0)
      return { subagent, turns: null, isCut: subagent.counts.events > 0 }
    this.branchesLeft--
    const options = { agent: child, isFlat: false, from: undefined, limit: BRANCH_TURNS, depth: depth - 1 }
    const { turns, next } = await this.read(options, BRANCH_LINES)
    return { subagent, turns, isCut: next !== null }
  }
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map()

/** Whether a call's other half is not among these lines. */
function halves(lines: readonly ConversationLine[]): (id: ToolUseId) => boolean {
  const calls = new Set<ToolUseId>()
  const results = new Set<ToolUseId>()
  for (const { event } of lines) {
    if (event.toolUseId === null) continue
    if (event.type === 'tool_call') calls.add(event.toolUseId)
    if (event.type === 'tool_result') results.add(event.toolUseId)
  }
  return (id) => !calls.has(id) || !results.has(id)
}

/** By the call that set them to work. */
export function byCall(runs: readonly (ContinuedRun & { toolUseId: ToolUseId })[]): Map<ToolUseId, ContinuedRun[]> {
  const map = new Map<ToolUseId, ContinuedRun[]>()
  for (const { toolUseId, subagentId, run } of runs) {
    map.set(toolUseId, [...(map.get(toolUseId) ?? []), { subagentId, run }])
  }
  return map
}

/** Where a page may be asked to begin. */
export type PageStart =
  | { kind: 'start' }
  /** The last turns. */
  | { kind: 'end' }
  /** 1, 2, … */
  | { kind: 'turn'; number: number }
  /** The turn that this moment falls into, in milliseconds. */
  | { kind: 'time'; at: number }
  /** The turn that this line stands in. */
  | { kind: 'line'; position: LinePosition }

/** @returns `undefined` = the beginning; `null` = there is no such turn */
export async function findStart(
  reads: ConversationReads,
  session: StoredSession,
  node: SubagentKey | null,
  start: PageStart,
  limit: number,
): Promise<LinePosition | undefined | null> {
  if (start.kind === 'start' || (start.kind === 'turn' && start.number === 0)) return undefined
  if (start.kind === 'turn') {
    return (await reads.turnStarts(session.key, node, {}, { limit: 1, skip: start.number - 1 }))[0] ?? null
  }
  if (start.kind === 'end') {
    const last = await reads.turnStarts(session.key, node, {}, { limit, newest: true })
    return last.length < limit ? undefined : last[0]
  }
  const at = start.kind === 'line' ? { ...start.position, key: start.position.key + 1 } : { at: start.at + 1, key: 0 }
  return (await reads.turnStarts(session.key, node, { to: at }, { limit: 1, newest: true }))[0]
}
