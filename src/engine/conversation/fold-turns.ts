import type {
  ConversationBranch,
  ConversationItem,
  LineText,
  SessionMark,
  ToolOutcome,
  Turn,
} from '../../domain/conversation/conversation'
import type {
  ContinuedRun,
  ConversationItemKind,
  ConversationLine,
  LinePosition,
} from '../../domain/conversation/line-row'
import type { ToolUseId } from '../../domain/ids'

/** What the fold of a page knows beside its lines. */
export interface FoldFacts {
  /** The lines are those of all agents of the session, not of one. */
  hasAllAgents: boolean
  /** The turn that the first line belongs to, if that line does not begin one; later turns count on from it. */
  number: number
  /** The first line goes on with a turn of an earlier page. */
  isContinued: boolean
  /** More lines follow, of the last turn. */
  isCut: boolean
  /** Calls and answers whose other half is on another page. */
  partners: readonly ConversationLine[]
  /** What stands between the lines, in order. */
  marks: readonly SessionMark[]
  outcomes: ReadonlyMap<ToolUseId, ToolOutcome>
  branches: ReadonlyMap<ToolUseId, ConversationBranch[]>
  continued: ReadonlyMap<ToolUseId, ContinuedRun[]>
  /** Whole texts by line, where they were asked for. */
  whole: ReadonlyMap<string, string>
}

/** Lines of one agent, or of all of a session, as turns. Pure: the same lines give the same turns, whatever page they come on. */
export function foldTurns(lines: readonly ConversationLine[], facts: FoldFacts): Turn[] {
  return new Fold(lines, facts).turns
}

/** -1, 0 or 1, as the first stands before, at or behind the second. */
export function comparePositions(a: LinePosition, b: LinePosition): number {
  return Math.sign(a.at - b.at) || Math.sign(a.key - b.key)
}

class Fold {
  readonly turns: Turn[] = []
  private readonly facts: FoldFacts
  private readonly marks: SessionMark[]
  /** Items of calls by whose call it is and its id. */
  private readonly calls = new Map<string, ConversationItem>()
  private readonly partners = new Map<string, ConversationLine[]>()

  constructor(lines: readonly ConversationLine[], facts: FoldFacts) {
    this.facts = facts
    this.marks = [...facts.marks]
    for (const line of facts.partners) {
      const key = callKey(line)
      if (key !== null) this.partners.set(key, [...(this.partners.get(key) ?? []), line])
    }
    for (const line of lines) {
      this.putMarks(line.position)
      this.put(line)
    }
    this.putMarks(undefined)
    const last = this.turns.at(-1)
    if (last !== undefined) last.isCut = facts.isCut
  }

  private put(line: ConversationLine): void {
    const { type, subagentId, parentToolUseId } = line.event
    // On a page of all agents only the main thread's prompts begin turns: a sub-agent's are what it was launched with.
    const isOwn = !this.facts.hasAllAgents || (subagentId === null && parentToolUseId === null)
    if (isOwn && (type === 'prompt' || type === 'notice')) this.begin(line)
    else if (type === 'tool_call') this.putCall(line)
    else if (type === 'tool_result') this.putResult(line)
    else if (type === 'compaction') this.putCompaction(line)
    else this.putItem(this.itemOf(line, type), line.event.at)
  }

  /** The summary that follows a compaction may have the older time of the two. */
  private putCompaction(line: ConversationLine): void {
    const { items } = this.turn(line.event.at)
    const summary = items.findLastIndex(({ kind }) => kind === 'summary')
    const isEarly = summary >= 0 && items.slice(summary + 1).every(({ kind }) => FOLDED.has(kind))
    const isOwn = isEarly && items[summary - 1]?.kind !== 'compaction'
    if (isOwn) items.splice(summary, 0, this.itemOf(line, 'compaction'))
    else this.putItem(this.itemOf(line, 'compaction'), line.event.at)
  }

  private begin(line: ConversationLine): void {
    const before = this.turns.at(-1)?.number ?? this.facts.number
    const item = this.itemOf(line, line.event.type === 'notice' ? 'notice' : 'prompt')
    this.turns.push(newTurn(before + 1, item, line.event.at, false))
  }

  private turn(at: string | null): Turn {
    const last = this.turns.at(-1)
    if (last !== undefined) return last
    const turn = newTurn(this.facts.number, null, at, this.facts.isContinued)
    this.turns.push(turn)
    return turn
  }

  private putItem(item: ConversationItem, at: string | null): void {
    const turn = this.turn(at)
    if (at !== null) turn.lastAt = at
    const before = turn.items.at(-1)
    const isSame =
      before?.kind === item.kind && before.subagentId === item.subagentId && before.inherited === item.inherited
    if (before !== undefined && isSame && FOLDED.has(item.kind)) {
      before.count++
      before.bytes += item.bytes
    } else turn.items.push(item)
  }

  private putCall(line: ConversationLine): void {
    const { toolUseId, toolName, at } = line.event
    const item = this.itemOf(line, 'tool')
    if (toolUseId === null) {
      this.putItem(item, at)
      return
    }
    const key = callKey(line) ?? ''
    this.makeCall(item, toolUseId, toolName)
    this.putItem(item, at)
    if (this.facts.hasAllAgents) return
    this.calls.set(key, item)
    for (const partner of this.partners.get(key) ?? [])
      if (partner.event.type === 'tool_result') this.answer(item, partner)
  }

  private makeCall(item: ConversationItem, id: ToolUseId, name: string | null): void {
    const outcome = this.facts.outcomes.get(id)
    item.tool = { id, name: outcome?.name ?? name, isError: outcome?.isError ?? null, result: null }
    item.branches = this.facts.branches.get(id) ?? []
    item.continued = this.facts.continued.get(id) ?? []
  }

  private putResult(line: ConversationLine): void {
    const { toolUseId, toolName, at } = line.event
    // By time, an answer stands where it came.
    const key = this.facts.hasAllAgents ? null : callKey(line)
    const call = key === null ? undefined : this.calls.get(key)
    if (call !== undefined) {
      const turn = this.turn(at)
      if (at !== null) turn.lastAt = at
      this.answer(call, line)
      return
    }
    // Shown with its call, on an earlier page.
    if (key !== null && this.partners.get(key)?.some((one) => one.event.type === 'tool_call')) {
      if (at !== null) this.turn(at).lastAt = at
      return
    }
    const item = this.itemOf(line, 'tool')
    item.text = null
    item.isCut = false
    if (toolUseId !== null) {
      this.makeCall(item, toolUseId, toolName)
      this.answer(item, line)
    }
    this.putItem(item, at)
  }

  private answer(call: ConversationItem, line: ConversationLine): void {
    if (call.tool === null || call.tool.result !== null) return
    call.tool.result = this.textOf(line)
  }

  private putMarks(before: LinePosition | undefined): void {
    for (;;) {
      const mark = this.marks[0]
      if (mark === undefined) return
      const isDue = before === undefined || mark.after === null || comparePositions(mark.after, before) < 0
      if (!isDue) return
      this.marks.shift()
      const turn = this.turn(null)
      turn.items.push({
        ...NO_ITEM,
        kind: mark.kind,
        sessionId: mark.sessionId,
        isOrigin: mark.isOrigin,
        branches: [],
        continued: [],
      })
    }
  }

  private itemOf(line: ConversationLine, kind: ConversationItemKind): ConversationItem {
    const { subagentId, parentToolUseId, inherited } = line.event
    const who = { subagentId, parentToolUseId, inherited }
    return { ...NO_ITEM, ...this.textOf(line), ...who, kind, branches: [], continued: [] }
  }

  private textOf({ event, bytes }: ConversationLine): LineText {
    const whole = this.facts.whole.get(event.id)
    return {
      eventId: event.id,
      at: event.at,
      text: whole ?? event.text,
      isCut: whole === undefined && event.isCut,
      bytes,
    }
  }
}

/** Lines of these kinds that follow one another are one entry. */
const FOLDED: ReadonlySet<ConversationItemKind> = new Set<ConversationItemKind>(['attachment', 'system'])

const NO_ITEM: Omit<ConversationItem, 'kind' | 'branches' | 'continued'> = {
  eventId: null,
  at: null,
  text: null,
  isCut: false,
  bytes: 0,
  subagentId: null,
  parentToolUseId: null,
  inherited: false,
  count: 1,
  tool: null,
  sessionId: null,
  isOrigin: false,
}

function newTurn(number: number, start: ConversationItem | null, at: string | null, isContinued: boolean): Turn {
  return { number, start, startedAt: at, lastAt: at, isContinued, isCut: false, items: [] }
}

/** A call's answer stands on a line of the same agent. */
function callKey({ event }: ConversationLine): string | null {
  return event.toolUseId === null ? null : `${event.subagentId ?? ''} ${event.toolUseId}`
}
