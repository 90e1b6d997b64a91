import type { CallPart, ConversationPart, NeutralConversation } from '../../domain/harness/translation'
import type { ContentImage, LineContent } from '../../domain/session/line-content'

/** Puts a neutral conversation together from the contents of lines, in the order in which they come. */
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
    if (texts.length > 0 || images.length > 0) this.#parts.push({ kind: 'person', text: texts.join('\n'), images })
  }

  /** What the model says and calls. */
  agent({ blocks, isCut }: LineContent): void {
    this.#count(isCut)
    for (const block of blocks) {
      if (block.kind === 'thinking') this.#leftOut.thinking++
      else if (block.kind === 'text' && block.text.trim() !== '') this.#parts.push({ kind: 'agent', text: block.text })
      else if (block.kind === 'call' && block.toolUseId !== '' && !this.#calls.has(block.toolUseId)) {
        const { toolUseId: id, name, input } = block
        const call: CallPart = { kind: 'call', id, name, input, answer: null }
        this.#calls.set(id, call)
        this.#parts.push(call)
      }
    }
  }

  /** What tools answered: each answer stands with its call. The first one counts. */
  answers({ blocks, isCut }: LineContent): void {
    this.#count(isCut)
    for (const block of blocks) {
      if (block.kind !== 'answer') continue
      const call = this.#calls.get(block.toolUseId)
      if (call === undefined) this.#leftOut.answers++
      else call.answer ??= { text: block.text, isError: block.isError, images: block.images }
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

  /** Takes the last turns back, each with what a person said to begin it. */
  takeBack(turns: number): void {
    for (let left = turns; left > 0; left--) {
      const at = this.#parts.findLastIndex(({ kind }) => kind === 'person')
      if (at === -1) return
      this.#parts = this.#parts.slice(0, at)
    }
    this.#calls = new Map(this.#parts.flatMap((part) => (part.kind === 'call' ? [[part.id, part]] : [])))
  }

  build(): NeutralConversation {
    return { parts: this.#parts, leftOut: { ...this.#leftOut } }
  }

  #count(isCut: boolean): void {
    if (isCut) this.#leftOut.cut++
  }
}
