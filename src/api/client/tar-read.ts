import { AppError } from '../../domain/errors'
import type { ByteSource } from './byte-source'

/** Bytes of a tar archive come in blocks of this size. */
export const TAR_BLOCK = 512
/** Longest extended header that is taken: it holds a path and a size. */
const MAX_EXTENDED = 65_536

const text = new TextDecoder()

/** Reads up to the next file's content; `null` at the archive's end mark. Understands ustar with pax `path` and `size`. */
export async function readTarHeader(source: ByteSource): Promise<{ path: string; size: number } | null> {
  let extended = new Map<string, string>()
  for (;;) {
    const block = await source.exactly(TAR_BLOCK)
    if (block.every((byte) => byte === 0)) return null
    const type = String.fromCharCode(block[156] ?? 0)
    const size = Number(extended.get('size') ?? Number.parseInt(field(block, 124, 12), 8))
    if (!Number.isSafeInteger(size) || size < 0) throw malformed('a size')
    if (type === 'x') {
      if (size > MAX_EXTENDED) throw malformed('an extended header')
      const padded = await source.exactly(Math.ceil(size / TAR_BLOCK) * TAR_BLOCK)
      extended = parseExtended(padded.subarray(0, size))
      continue
    }
    if (type !== '0' && type !== '\0') throw malformed(`a type (${JSON.stringify(type)})`)
    const prefix = field(block, 345, 155)
    const name = field(block, 0, 100)
    return { path: extended.get('path') ?? (prefix === '' ? name : `${prefix}/${name}`), size }
  }
}

function field(block: Uint8Array, start: number, length: number): string {
  const bytes = block.subarray(start, start + length)
  const end = bytes.indexOf(0)
  return text.decode(end < 0 ? bytes : bytes.subarray(0, end))
}

/** Records of the form `<length> <key>=<value>\n`, where length counts the whole record in bytes. */
function parseExtended(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const length = Number.parseInt(text.decode(bytes.subarray(at, at + 8)), 10)
    if (!(length > 0) || at + length > bytes.length) throw malformed('an extended header')
    const record = text.decode(bytes.subarray(at, at + length - 1))
    const body = record.slice(record.indexOf(' ') + 1)
    const equals = body.indexOf('=')
    records.set(body.slice(0, equals), body.slice(equals + 1))
    at += length
  }
  return records
}

const malformed = (what: string) =>
  new AppError('invalid', `The archive contains ${what} that can't be read.`, {
    hint: 'The server and this program may have different versions.',
  })
