import { createTarPacker } from 'modern-tar'
import type { ArchiveEntry } from './write-archive'

/** A tar archive ends with two empty blocks. */
const END_BYTES = 1_024

/** A piece of a tar archive: entries, and behind the last piece the archive's end. Pieces one after the other are one archive. */
export class TarSegment {
  /** What belongs into the archive. Read it while entries are added. */
  readonly bytes: ReadableStream<Uint8Array>
  readonly #packer = createTarPacker()
  #isLast = false

  constructor() {
    // The archive's end is the last part that the packer gives: each part is passed on when the next one comes.
    let held: Uint8Array | undefined
    this.bytes = this.#packer.readable.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(part, controller) {
          if (held !== undefined) controller.enqueue(held)
          held = part
        },
        flush: (controller) => {
          if (held?.length !== END_BYTES) throw new Error('The archive does not end with its end.')
          if (this.#isLast) controller.enqueue(held)
        },
      }),
    )
  }

  async add({ name, size }: Pick<ArchiveEntry, 'name' | 'size'>, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const writer = this.#packer.controller.add({ name, size, mode: 0o600 }).getWriter()
    for await (const part of bytes) await writer.write(part)
    await writer.close()
  }

  end(isLast: boolean): void {
    this.#isLast = isLast
    this.#packer.controller.finalize()
  }

  fail(error: unknown): void {
    this.#packer.controller.error(error)
  }
}

/** The head of an entry, as it stands before its bytes. */
export async function tarHead(name: string, size: number): Promise<Uint8Array> {
  const { readable, controller } = createTarPacker()
  controller.add({ name, size, mode: 0o600 })
  const reader = readable.getReader()
  const { value } = await reader.read()
  if (value?.length !== TAR_BLOCK_BYTES) throw new Error(`An entry of ${size} bytes needs more than one head.`)
  return value
}

export const TAR_BLOCK_BYTES = 512
export const TAR_END = new Uint8Array(END_BYTES)
