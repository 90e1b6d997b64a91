import { Random } from '../common/random'
import { code, prose } from '../record/data/words'

/** How large the record is that is searched. */
export interface SearchSize {
  sessions: number
  events: number
  projects: number
}

/** Words that stand in a known share of the events. */
export const PLANTED = { rare: 'quokka', some: 'hawser' } as const
/** One event of this many has the word. */
const ONE_OF = { rare: 100_000, some: 250 } as const

const AGENTS = ['claude-code', 'claude-code', 'claude-code', 'codex', 'opencode'] as const
const TOOLS = ['Bash', 'Bash', 'Bash', 'Read', 'Read', 'Edit', 'Grep', 'WebFetch', 'mcp__tracker__find'] as const
/** Different texts of one kind. */
const TEXTS = 4_096
const DAY_MS = 86_400_000
const DAYS = 398
const ERRORS = 0.05

export interface MadeSession {
  key: number
  uuid: string
  agent: string
  project: number
  title: string
  startedAt: number
  endedAt: number
  events: number
}

export interface MadeEvent {
  key: number
  session: number
  at: number
  type: 'prompt' | 'text' | 'tool_call' | 'tool_result'
  call: string | null
  tool: string | null
  isError: boolean
  /** What the search finds. */
  text: string
}

/** Makes sessions with their events, the oldest first, from a seed: the same for each database. */
export class SearchRows {
  readonly size: SearchSize
  private readonly random = new Random(17)
  private readonly said: string[]
  private readonly outputs: string[]
  private readonly begin = Date.now() - 400 * DAY_MS

  constructor(size: SearchSize) {
    this.size = size
    this.said = Array.from({ length: TEXTS }, () => prose(this.random, 40 + 500 * this.random.next() ** 2))
    this.outputs = Array.from({ length: TEXTS }, () => code(this.random, 60 + 1_900 * this.random.next() ** 2))
  }

  *sessions(): Generator<{ session: MadeSession; events: MadeEvent[] }> {
    const { sessions, events } = this.size
    const step = (DAYS * DAY_MS) / events
    let last = 0
    for (let key = 1; key <= sessions; key++) {
      const upTo = Math.floor((events * key) / sessions)
      const timeOf = (event: number) => Math.floor(this.begin + event * step)
      const session: MadeSession = {
        key,
        uuid: this.random.uuid(),
        agent: this.random.pick(AGENTS),
        project: 1 + Math.floor(this.size.projects * this.random.next() ** 2),
        title: this.random.pick(this.said).slice(0, 80),
        startedAt: timeOf(last + 1),
        endedAt: timeOf(upTo),
        events: upTo - last,
      }
      yield { session, events: this.events(session, last, upTo, timeOf) }
      last = upTo
    }
  }

  private events(session: MadeSession, last: number, upTo: number, timeOf: (event: number) => number): MadeEvent[] {
    const events: MadeEvent[] = []
    let call = { id: '', tool: '', isError: false }
    for (let key = last + 1; key <= upTo; key++) {
      const place = (key - last - 1) % 20
      const type = place === 0 ? 'prompt' : place % 5 === 1 ? 'text' : place % 2 === 0 ? 'tool_call' : 'tool_result'
      if (type === 'tool_call')
        call = { id: `toolu_${session.key}_${key}`, tool: this.random.pick(TOOLS), isError: this.random.chance(ERRORS) }
      const isOfCall = type === 'tool_call' || (type === 'tool_result' && call.id !== '')
      events.push({
        key,
        session: session.key,
        at: timeOf(key),
        type,
        call: isOfCall ? call.id : null,
        tool: isOfCall ? call.tool : null,
        isError: isOfCall && call.isError,
        text: this.text(type, session),
      })
    }
    return events
  }

  private text(type: MadeEvent['type'], { project }: MadeSession): string {
    const plain =
      type === 'tool_result'
        ? this.random.pick(this.outputs)
        : type === 'tool_call'
          ? `grep -rn ${this.random.pick(this.said).slice(0, 24)} src/harbour-${project}/quay-${this.random.below(5_000)}.ts`
          : this.random.pick(this.said)
    const rare = this.random.below(ONE_OF.rare) === 0 ? ` ${PLANTED.rare}` : ''
    const some = this.random.below(ONE_OF.some) === 0 ? ` ${PLANTED.some}` : ''
    return `${plain}${some}${rare}`
  }
}

/** Characters that the record keeps of a text, beside the index. */
export const storedText = ({ type, text }: MadeEvent): string =>
  text.slice(0, type === 'tool_call' || type === 'tool_result' ? 400 : 2_000)
