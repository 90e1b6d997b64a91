import type { Answers } from '../../../api/contract/operations'
import type { ConversationBranch, ConversationItem, Turn } from '../../../domain/conversation/conversation'
import { isSessionMark } from '../../../domain/conversation/session-mark'
import { callParts } from '../../../domain/session/call-parts'
import type { Session, Subagent } from '../../../domain/session/session'
import { bytes, count, dollars, duration, localTime, plural } from '../../print/measures'
import { block, cut, oneLine, width, wrap } from '../../print/text'
import { tokensOf, tokensText, totalTokens } from './session-views'

/** How a conversation is written. */
export interface ConversationSettings {
  /** Cells of the terminal; 0 = lines are as long as they are. */
  columns: number
  /** Every line of every text. */
  isFull: boolean
  /** Names the agent CLI. */
  namesClis?: boolean
}

/** Lines of a text, of a tool's answer, and of a result that are shown unless all are asked for. */
const TEXT_LINES = 40
const ANSWER_LINES = 6
const RESULT_LINES = 4

/**
 * A conversation as text: turns with their number and time, what was said in them, calls of tools after `*`, what they launched
 * below them after `+-`, and marks between `==`.
 */
export function conversationView(answer: Answers['sessions']['conversation'], settings: ConversationSettings): string {
  const { session, subagent, turns, turnCount, orphans, orphanCount } = answer
  const writer = new Writer(session, settings)
  writer.line(
    subagent === null
      ? sessionHead(session, turnCount, settings)
      : `${agentLine(subagent)}, ${plural(turnCount, 'turn')}`,
  )
  for (const turn of turns) writer.turn(turn)
  if (orphanCount > 0) {
    writer.gap()
    writer.line(`== ${plural(orphanCount, 'orphan')}: the calls that launched them are not recorded ==`)
    for (const orphan of orphans) writer.branch({ subagent: orphan, turns: null, isCut: true }, true)
    if (orphanCount > orphans.length)
      writer.line(`(${orphanCount - orphans.length} more: lode subagent list -s ${short(session)} --all)`)
  }
  return writer.text()
}

/** Turns under a line of their own, for a reader who compares. */
export function turnsView(session: Session, turns: readonly Turn[], settings: ConversationSettings): string {
  const writer = new Writer(session, settings)
  for (const turn of turns) writer.turn(turn)
  return writer.text()
}

function sessionHead(session: Session, turnCount: number, { namesClis = false }: ConversationSettings): string {
  const parts = [
    session.id,
    namesClis ? oneLine(session.agent) : '',
    session.status,
    session.title === null ? '' : oneLine(session.title),
    `${plural(turnCount, 'turn')}, ${plural(session.counts.subagents, 'sub-agent')}`,
    `${count(totalTokens(session.usage))} tokens`,
    dollars(session.costUsd, session.isEstimate),
  ]
  return parts.filter((part) => part !== '').join('  ')
}

/**
 * `Explore a1b2c3d4  completed  "find the callers"  12 events, 5 tool calls, 12k tokens, $0.02, 2m`.
 *
 * @param room  cells, where the description gives way first; 0 = any
 */
export function agentLine(agent: Subagent, room = 0): string {
  const type = agent.kind === 'agent' ? oneLine(agent.type ?? 'agent') : agent.kind
  const spent = [
    ...(agent.counts.events > 0 ? [plural(agent.counts.events, 'event')] : []),
    ...(agent.counts.toolCalls > 0 ? [plural(agent.counts.toolCalls, 'tool call')] : []),
    ...(tokensText(agent) === null ? [] : [tokensText(agent) ?? '']),
    ...(typeof tokensOf(agent) === 'number' ? [dollars(agent.costUsd, agent.isEstimate)] : []),
    ...took(agent.startedAt, agent.endedAt),
  ]
  const about = agent.description === null ? '' : `  "${oneLine(agent.description)}"`
  const head = `${type} ${oneLine(agent.id)}  ${agent.status}${agent.background ? ' in the background' : ''}`
  const figures = spent.length === 0 ? '' : `  ${spent.join(', ')}`
  const left = room - width(head) - width(figures)
  return head + (room > 0 && left < width(about) ? cut(about, Math.max(0, left)) : about) + figures
}

function took(from: string | null, to: string | null): string[] {
  if (from === null || to === null) return []
  const ms = Date.parse(to) - Date.parse(from)
  return ms >= 1_000 ? [duration(ms)] : []
}

const short = (session: Session): string => oneLine(session.id).slice(0, 8)

class Writer {
  private readonly lines: string[] = []
  private readonly session: Session
  private readonly columns: number
  private readonly isFull: boolean
  private prefix = ''
  private day = ''

  constructor(session: Session, { columns, isFull }: ConversationSettings) {
    this.session = session
    this.columns = columns
    this.isFull = isFull
  }

  text(): string {
    return this.lines.map((line) => `${line}\n`).join('')
  }

  /** Cut to the terminal. */
  line(text: string): void {
    const whole = `${this.prefix}${text}`
    this.lines.push((this.columns > 0 ? cut(whole, this.columns) : whole).trimEnd())
  }

  /** One empty line, never two. */
  gap(): void {
    const empty = this.prefix.trimEnd()
    if (this.lines.length > 0 && this.lines.at(-1) !== empty) this.lines.push(empty)
  }

  turn(turn: Turn): void {
    this.gap()
    const name = turn.number === 0 ? 'before the first prompt' : `turn ${turn.number}`
    const what = turn.start === null ? (turn.isContinued ? ' continues' : '') : ` ${turn.start.kind}`
    const inherited = turn.start?.inherited ? ', inherited' : ''
    const span = took(turn.startedAt, turn.lastAt).map((text) => `, took ${text}`)
    this.line(`[${name}]${what}  ${this.time(turn.startedAt)}${inherited}${span.join('')}`)
    this.within('  ', () => {
      if (turn.start !== null) {
        this.words(turn.start, TEXT_LINES)
        this.gap()
      }
      for (const item of withOwnWords(turn.items)) this.item(item)
      if (turn.isCut) this.line('(the turn continues on the next page)')
    })
  }

  /** With the day where it is another than the line before. */
  private time(iso: string | null): string {
    const [day = '', time = ''] = (localTime(iso) ?? '').split(' ')
    if (day === this.day) return time
    this.day = day
    return `${day} ${time}`.trim()
  }

  private within(indent: string, write: () => void): void {
    const before = this.prefix
    this.prefix += indent
    write()
    this.prefix = before
  }

  private item(item: ConversationItem): void {
    const { kind } = item
    if (kind === 'tool') this.call(item)
    else if (kind === 'compaction') this.mark(`compacted here${item.text === null ? '' : `: ${oneLine(item.text)}`}`)
    else if (isSessionMark(kind)) this.mark(sessionMark(item))
    else if (kind === 'text' || kind === 'prompt' || kind === 'notice') {
      this.gap()
      if (kind !== 'text') this.line(`(${kind})`)
      this.words(item, TEXT_LINES)
      this.gap()
    } else if (kind === 'error') {
      this.line('error:')
      this.within('  ', () => this.words(item, ANSWER_LINES))
    } else this.folded(item)
  }

  private mark(text: string): void {
    this.gap()
    this.line(`== ${text} ==`)
    this.gap()
  }

  /** Thinking, summaries, attachments and the CLI's own lines: one line, unless all was asked for. */
  private folded({ kind, count: lines, text, ...item }: ConversationItem): void {
    const isAside = kind === 'attachment' || kind === 'system'
    if (this.isFull && !isAside) {
      this.line(`(${kind})`)
      this.within('  ', () => this.words({ ...item, kind, text }, TEXT_LINES))
      return
    }
    // What an attachment holds is data for the model, rarely words.
    const words = isAside && (lines > 1 || text?.startsWith('{')) ? '' : `  ${oneLine((text ?? '').slice(0, 600))}`
    const name = isAside && lines > 1 ? `${lines} ${kind === 'system' ? 'system lines' : 'attachments'}` : kind
    const room = this.columns > 0 ? Math.max(20, this.columns - width(this.prefix)) : 160
    this.line(cut(`(${name})${words}`.trimEnd(), room))
  }

  private call(item: ConversationItem): void {
    const { tool } = item
    const name = oneLine(tool?.name ?? 'tool')
    const state =
      tool?.isError === true ? ' failed' : tool?.result === null && tool.isError === null ? ' (no answer)' : ''
    const { said, asked } = callParts(item.text ?? '', tool?.name ?? null)
    if (said !== '') {
      this.gap()
      this.words({ ...item, kind: 'text', text: said, isCut: false }, TEXT_LINES)
      this.gap()
    }
    const input = oneLine(asked.replaceAll('\n', '  ').slice(0, 600))
    const head = `* ${name}${state}${input === '' ? '' : `  ${input}`}`
    this.line(this.columns > 0 || this.isFull ? head : cut(head, 200))
    this.within('    ', () => {
      for (const { subagentId, run } of item.continued) this.line(`continues ${oneLine(subagentId)} (run ${run})`)
      if (this.isFull && item.text !== null) this.words({ ...item, text: asked }, TEXT_LINES)
      else if (item.isCut && item.eventId !== null && input !== '') this.wayTo(item.eventId, item.bytes)
      if (tool?.result) this.words({ ...tool.result, kind: 'tool' }, ANSWER_LINES)
    })
    for (const branch of item.branches)
      this.branch(branch, item.tool?.result?.text === null || branch.subagent.background)
  }

  /** @param showsResult  what it answered stands nowhere else */
  branch({ subagent, turns, isCut }: ConversationBranch, showsResult: boolean): void {
    this.line(`  +- ${agentLine(subagent, this.columns > 0 ? this.columns - width(this.prefix) - 5 : 0)}`)
    this.within('  |  ', () => {
      if (showsResult && turns === null && subagent.resultPreview !== null) {
        const answered = { text: subagent.resultPreview, isCut: false, eventId: null, bytes: 0 }
        this.words({ ...answered, kind: 'tool' }, RESULT_LINES)
      }
      for (const turn of turns ?? []) this.turn(turn)
      if (isCut && subagent.kind === 'agent') this.line(`(its conversation: --only ${oneLine(subagent.id)})`)
    })
  }

  /** A text with its lines, and how to come by what is left out. */
  private words(
    { text, isCut, eventId, bytes: size }: Pick<ConversationItem, 'text' | 'isCut' | 'eventId' | 'bytes' | 'kind'>,
    limit: number,
  ): void {
    if (text === null) return
    const room = this.columns > 0 ? Math.max(20, this.columns - width(this.prefix)) : 0
    const all = block(text)
      .trimEnd()
      .split('\n')
      .flatMap((line) =>
        room > 0 && width(line) > room ? wrap(line, room).flatMap((part) => pieces(part, room)) : [line],
      )
    const shown = this.isFull ? all : all.slice(0, limit)
    for (const line of shown) this.line(line)
    const left = all.length - shown.length
    if (left === 0 && !isCut) return
    if (left > 0 && !isCut) this.line(`(${plural(left, 'more line')}: --full)`)
    else if (eventId === null) this.line('(cut)')
    else this.wayTo(eventId, size)
  }

  /** What is to be typed is never cut: it would be of no use. */
  private wayTo(id: string, size: number): void {
    const [what, command] = [`cut, a line of ${bytes(size)}`, `${this.show(id)} --json`]
    const whole = `(${what}: ${command})`
    if (this.columns === 0 || width(this.prefix) + width(whole) <= this.columns) {
      this.line(whole)
      return
    }
    this.line(`(${what}:)`)
    this.lines.push(`${this.prefix}${command}`)
  }

  private show(id: string): string {
    return `lode event show ${short(this.session)} ${id}`
  }
}

/**
 * Some agent CLIs write several calls as one line. Its words then stand with the first of them; the others follow without. Gives each call
 * its own, as far as the names of the tools tell.
 */
function withOwnWords(items: readonly ConversationItem[]): ConversationItem[] {
  const shown = [...items]
  for (const [at, first] of items.entries()) {
    if (first.kind !== 'tool' || first.text === null) continue
    let lines = first.text.split('\n')
    let owner = at
    for (let next = at + 1; items[next]?.kind === 'tool' && items[next]?.text === null; next++) {
      const name = items[next]?.tool?.name ?? null
      const begin = name === null ? -1 : lines.indexOf(name, owner === at ? firstLineOf(first, lines) + 1 : 1)
      if (begin === -1) continue
      shown[owner] = withText(shown[owner], lines.slice(0, begin))
      lines = lines.slice(begin)
      owner = next
    }
    if (owner !== at) shown[owner] = withText(shown[owner], lines)
  }
  return shown
}

const firstLineOf = ({ tool }: ConversationItem, lines: readonly string[]): number =>
  lines.findIndex((line) => oneLine(line) === oneLine(tool?.name ?? ''))

const withText = (item: ConversationItem | undefined, lines: readonly string[]): ConversationItem =>
  ({ ...item, text: lines.join('\n') }) as ConversationItem

/** A word that is wider than a line, or a text in a script without blanks, on as many lines as it takes. */
function pieces(text: string, cells: number): string[] {
  if (width(text) <= cells) return [text]
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const next = width(segment)
    if (used + next > cells) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += segment
    used += next
  }
  return [...lines, line]
}

export function sessionMark({
  kind,
  sessionId,
  isOrigin,
}: Pick<ConversationItem, 'kind' | 'sessionId' | 'isOrigin'>): string {
  const id = oneLine(sessionId ?? '')
  if (kind === 'fork') return isOrigin ? `forked from ${id} here` : `forked here by ${id}`
  if (kind === 'translation')
    return isOrigin ? `translated from ${id} of another agent CLI` : `translated here for another agent CLI, as ${id}`
  return isOrigin ? `continues ${id}` : `resumed here by ${id}`
}
