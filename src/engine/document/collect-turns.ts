import type { ConversationItem, ConversationReads, LineText, Turn } from '../../domain/conversation/conversation'
import type { LinePosition } from '../../domain/conversation/line-row'
import type { StoredSession } from '../../domain/session/session-store'
import { readPage } from '../conversation/read-conversation'
import type { WholeTextReader } from '../conversation/whole-texts'

/** Turns that are read at once. */
const PAGE_TURNS = 40
/** Levels of sub-agents in a document. */
const DEPTH = 6
/** Characters of all texts: what is longer is no document that anybody opens. */
const MAX_CHARACTERS = 8_000_000

export interface DocumentRange {
  /** Where the first turn begins; `undefined` = with the conversation. */
  from: LinePosition | undefined
  /** The last turn, by its number; `null` = the conversation's last. */
  until: number | null
  /** Only what was said until then, in milliseconds; `null` = everything. */
  before: number | null
}

export interface CollectedTurns {
  turns: Turn[]
  /** Counts the whole conversation. */
  turnCount: number
  /** The rest did not fit. */
  isCut: boolean
}

/** The turns of a document, with sub-agents below the calls that launched them. */
export async function collectTurns(
  reads: ConversationReads,
  session: StoredSession,
  { from, until, before }: DocumentRange,
  whole: WholeTextReader,
): Promise<CollectedTurns> {
  const turns: Turn[] = []
  let characters = 0
  let turnCount = 0
  for (let next: LinePosition | null | undefined = from; next !== null; ) {
    const options = { agent: null, isFlat: false, from: next, limit: PAGE_TURNS, depth: DEPTH, whole }
    const page = await readPage(reads, session, options)
    turnCount = page.turnCount
    for (const turn of page.turns) {
      if (until !== null && turn.number > until) return { turns, turnCount, isCut: false }
      const said = before === null ? turn : saidBefore(turn, before)
      if (said === null) continue
      characters += JSON.stringify(said).length
      if (characters > MAX_CHARACTERS) return { turns, turnCount, isCut: true }
      const last = turns.at(-1)
      if (said.isContinued && last?.number === said.number) joinTurns(last, said)
      else turns.push(said)
    }
    next = page.next
  }
  return { turns, turnCount, isCut: false }
}

function joinTurns(turn: Turn, rest: Turn): void {
  turn.items.push(...rest.items)
  turn.lastAt = rest.lastAt
  turn.isCut = rest.isCut
}

/** What of a turn was said until then; `null` = nothing. A line without a time stands where its neighbours do. */
function saidBefore(turn: Turn, before: number): Turn | null {
  if (isLater(turn.startedAt, before)) return null
  const items = turn.items.flatMap((item) => (isLater(item.at, before) ? [] : [itemBefore(item, before)]))
  return { ...turn, items, lastAt: isLater(turn.lastAt, before) ? null : turn.lastAt }
}

const itemBefore = (item: ConversationItem, before: number): ConversationItem => ({
  ...item,
  tool: item.tool && { ...item.tool, result: lineBefore(item.tool.result, before) },
  branches: item.branches.map(({ subagent, turns, isCut }) => {
    const isOver = subagent.endedAt !== null && !isLater(subagent.endedAt, before)
    return {
      // How it ended was said later.
      subagent: isOver ? subagent : { ...subagent, status: 'running', endedAt: null, resultPreview: null },
      turns: turns?.flatMap((turn) => saidBefore(turn, before) ?? []) ?? null,
      isCut,
    }
  }),
})

const lineBefore = (line: LineText | null, before: number): LineText | null =>
  line === null || isLater(line.at, before) ? null : line

const isLater = (at: string | null, before: number): boolean => at !== null && Date.parse(at) > before
