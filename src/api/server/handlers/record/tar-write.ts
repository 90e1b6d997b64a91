/** Writes tar archives (ustar, with pax headers for what that can't hold), as a stream of blocks. */
export interface TarFile {
  /** Relative, with `/`. */
  path: string
  /** Exactly as many bytes as `bytes` will give. */
  size: number
  /** Seconds since the epoch. */
  modifiedAt: number
  bytes: AsyncIterable<Uint8Array>
}

const BLOCK = 512
/** Largest size that eleven octal digits hold. */
const MAX_USTAR_SIZE = 0o77777777777
const encoder = new TextEncoder()

/** @throws when a file gives another number of bytes than its `size`: the archive is broken off then, never padded */
export async function* writeTar(files: Iterable<TarFile> | AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const file of files) {
    yield* headers(file)
    let written = 0
    for await (const chunk of file.bytes) {
      written += chunk.length
      if (written > file.size) break
      yield chunk
    }
    if (written !== file.size)
      throw new Error(`${file.path} has ${written} bytes instead of the announced ${file.size}.`)
    if (file.size % BLOCK !== 0) yield new Uint8Array(BLOCK - (file.size % BLOCK))
  }
  yield new Uint8Array(2 * BLOCK)
}

function* headers({ path, size, modifiedAt }: TarFile): Generator<Uint8Array> {
  const name = encoder.encode(path)
  const isPlain = name.length <= 100 && name.every((byte) => byte >= 0x20 && byte < 0x7f) && size <= MAX_USTAR_SIZE
  if (!isPlain) {
    const extended = encoder.encode(paxRecord('path', path) + paxRecord('size', String(size)))
    yield header(encoder.encode('pax-header'), extended.length, modifiedAt, 'x')
    const padded = new Uint8Array(Math.ceil(extended.length / BLOCK) * BLOCK)
    padded.set(extended)
    yield padded
  }
  yield header(name.subarray(0, 100), isPlain ? size : Math.min(size, MAX_USTAR_SIZE), modifiedAt, '0')
}

function header(name: Uint8Array, size: number, modifiedAt: number, type: '0' | 'x'): Uint8Array {
  const block = new Uint8Array(BLOCK)
  const put = (at: number, text: string) => block.set(encoder.encode(text), at)
  block.set(name, 0)
  put(100, '0000600\0')
  put(108, '0000000\0')
  put(116, '0000000\0')
  put(124, `${octal(size, 11)}\0`)
  put(136, `${octal(modifiedAt, 11)}\0`)
  put(148, ' '.repeat(8))
  put(156, type)
  put(257, 'ustar\0' + '00')
  put(
    148,
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
  )
  return block
}

const octal = (value: number, digits: number) => Math.max(0, Math.floor(value)).toString(8).padStart(digits, '0')

/** `<length> <key>=<value>\n`, where length counts itself. */
function paxRecord(key: string, value: string): string {
  const body = encoder.encode(` ${key}=${value}\n`).length
  let length = body + String(body).length
  if (String(length).length + body !== length) length = String(length).length + body
  return `${length} ${key}=${value}\n`
}
