import type { ContentBlock, ContentImage } from '../../domain/conversation/line-content'
import { IMAGE_TYPES } from '../../domain/conversation/line-content'
import { ContentBudget } from './content-budget'

/** Bytes of JSON that a block takes beside its words. */
const BLOCK_BYTES = 100

/** Collects the blocks of a line's content, within the bytes that an answer may have. */
export class BlockWriter {
  readonly blocks: ContentBlock[] = []
  readonly #budget = new ContentBudget()

  /** Whether something had no room. */
  get isCut(): boolean {
    return this.#budget.isCut
  }

  text(text: string): void {
    this.#put(() => ({ kind: 'text', text: this.#budget.text(text) }))
  }

  thinking(text: string): void {
    this.#put(() => ({ kind: 'thinking', text: this.#budget.text(text) }))
  }

  call(toolUseId: string, name: string, input: unknown): void {
    this.#put(() => ({
      kind: 'call',
      toolUseId: this.#budget.text(toolUseId),
      name: this.#budget.text(name),
      input: this.#budget.value(input ?? null),
    }))
  }

  /** @param images  those that do not fit are left out */
  answer(toolUseId: string, isError: boolean, text: string, images: readonly ContentImage[]): void {
    const kept = images.filter((image) => this.#budget.take(image.base64.length + BLOCK_BYTES))
    this.#put(() => ({
      kind: 'answer',
      toolUseId: this.#budget.text(toolUseId),
      isError,
      text: this.#budget.text(text),
      images: kept,
    }))
  }

  patch({ path, hunks }: Extract<ContentBlock, { kind: 'patch' }>): void {
    this.#put(() => ({
      kind: 'patch',
      path: this.#budget.text(path),
      hunks: hunks.flatMap((hunk) =>
        this.#budget.take(BLOCK_BYTES) ? [{ ...hunk, lines: this.#budget.lines(hunk.lines) }] : [],
      ),
    }))
  }

  image(image: ContentImage): void {
    if (this.#budget.take(image.base64.length + BLOCK_BYTES)) this.blocks.push({ kind: 'image', ...image })
  }

  /** What only this agent CLI has, as JSON. */
  other(name: string, value: unknown): void {
    this.#put(() => ({
      kind: 'other',
      name: this.#budget.text(name),
      json: this.#budget.text(typeof value === 'string' ? value : JSON.stringify(this.#budget.value(value))),
    }))
  }

  #put(make: () => ContentBlock): void {
    if (this.#budget.take(BLOCK_BYTES)) this.blocks.push(make())
  }
}

const SHOWN_TYPES: ReadonlySet<string> = new Set(IMAGE_TYPES)
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** An image that may be shown; `null` = its type or its bytes are none of an image. */
export function shownImage(mediaType: unknown, base64: unknown): ContentImage | null {
  if (typeof mediaType !== 'string' || typeof base64 !== 'string') return null
  return SHOWN_TYPES.has(mediaType) && BASE64.test(base64) ? { mediaType, base64 } : null
}
