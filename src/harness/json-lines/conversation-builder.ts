import type { ContentBlock, ContentImage, LineContent } from '../../domain/conversation/line-content'
import type { CallPart, ConversationPart, NeutralConversation } from '../../domain/harness/translation'
import { isRecord } from './json-value'
import { clip } from './text'

/**
 * Puts a neutral conversation together from the contents of lines, in the order in which they come. Texts become such as every CLI can
 * read: without NUL and without halves of surrogate pairs, at which some give up a whole file.
 */
export class ConversationBuilder {
  #parts: ConversationPart[] = []
  #calls = new Map<string, CallPart>()
  readonly #leftOut = { thinking: 0, cut: 0, answers: 0 }

  /** What a person says. Empty texts say nothing. @param isOwn  whether a text is a person's and not the CLI's about itself */
  person({ blocks, isCut }: LineContent, isOwn: (text: string) => boolean = () => true): void {
    this.#count(isCut)
    const images: ContentImage[] = []
    const texts: string[] = []
    for (const block of blocks) {
      if (block.kind === 'text' && block.text.trim() !== '' && isOwn(block.text)) texts.push(block.text)
      else if (block.kind === 'image') images.push({ mediaType: block.mediaType, base64: block.base64 })
    }
    const text = plain(texts.join('\n'))
    if (text.trim() !== '' || images.length > 0) this.#parts.push({ kind: 'person', text, images })
  }

  /** What the model says and calls. */
  agent({ blocks, isCut }: LineContent): void {
    this.#count(isCut)
    for (const block of blocks) {
      if (block.kind === 'thinking') this.#leftOut.thinking++
      else if (block.kind === 'text') this.#say(plain(block.text))
      else if (block.kind === 'call' && block.toolUseId !== '') this.#call(block)
    }
  }

  #say(text: string): void {
    if (text.trim() !== '') this.#parts.push({ kind: 'agent', text })
  }

  /** Some models number the calls of each answer anew: what follows an answer and asks for something else is another call. */
  #call({ toolUseId, name, input: given }: Extract<ContentBlock, { kind: 'call' }>): void {
    const input = plainValue(given)
    const former = this.#calls.get(toolUseId)
    if (former !== undefined && (former.answer === null || isSame(former, { name: plain(name), input }))) return
    const id = former === undefined ? plain(toolUseId) : `${plain(toolUseId)}#${this.#parts.length}`
    const call: CallPart = { kind: 'call', id, name: plain(name), input, answer: null }
    this.#calls.set(toolUseId, call)
    this.#parts.push(call)
  }

  /** What tools answered: each answer stands with its call. The first one counts. */
  answers({ blocks, isCut }: LineContent): void {
    this.#count(isCut)
    for (const block of blocks) {
      if (block.kind !== 'answer') continue
      const call = this.#calls.get(block.toolUseId)
      if (call === undefined) this.#leftOut.answers++
      else call.answer ??= { text: plain(block.text), isError: block.isError, images: block.images }
    }
  }

  /** Forgets all but what persons said: an older compaction without the history that replaces it. */
  keepPersons(): void {
    this.#parts = this.#parts.filter(({ kind }) => kind === 'person')
    this.#calls = new Map()
  }

  /** Forgets all: a compaction brings the history that replaces it. */
  clear(): void {
    this.#parts = []
    this.#calls = new Map()
  }

  /** How much was said so far: a place for `summarise`. */
  get length(): number {
    return this.#parts.length
  }

  /** A summary takes the place of what was said before a place. Answers to calls before it have no call any more. */
  summarise(before: number, text: string): void {
    const rest = this.#parts.slice(before)
    this.#parts = []
    this.person({ blocks: [{ kind: 'text', text }], isCut: false })
    this.#keep([...this.#parts, ...rest])
  }

  /** Takes the last turns back, each with what a person said to begin it. */
  takeBack(turns: number): void {
    for (let left = turns; left > 0; left--) {
      const at = this.#parts.findLastIndex(({ kind }) => kind === 'person')
      if (at === -1) return
      this.#parts = this.#parts.slice(0, at)
    }
    this.#keep(this.#parts)
  }

  build(): NeutralConversation {
    return { parts: this.#parts, leftOut: { ...this.#leftOut } }
  }

  #keep(parts: ConversationPart[]): void {
    this.#parts = parts
    const kept = new Set(parts)
    this.#calls = new Map([...this.#calls].filter(([, call]) => kept.has(call)))
  }

  #count(isCut: boolean): void {
    if (isCut) this.#leftOut.cut++
  }
}

function isSame(call: CallPart, { name, input }: Pick<CallPart, 'name' | 'input'>): boolean {
  return call.name === name && JSON.stringify(call.input) === JSON.stringify(input)
}

const plain = (text: string): string => clip(text, Number.POSITIVE_INFINITY)

/** Contents of lines are not nested deeply. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return plain(value)
  if (Array.isArray(value)) return value.map(plainValue)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [plain(name), plainValue(field)]))
}
