import { overwriteSpans, type SecretMask } from '../../domain/secrets/mask'

/** A longer line is masked in pieces of this size. */
const MAX_LINE_BYTES = 64 * 1_024 * 1_024
const NEWLINE = 10
/** As much of it as a short secret has room for. */
const WORD = '[secret]'

/** The bytes of a journal with its secrets overwritten, of the same length as before. Takes the memory of its longest line. */
export async function* maskLines(chunks: AsyncIterable<Uint8Array>, mask: SecretMask): AsyncGenerator<Uint8Array> {
  let open: Uint8Array[] = []
  let length = 0
  const take = (): Uint8Array => {
    const bytes = Buffer.concat(open)
    open = []
    length = 0
    overwriteSpans(bytes, mask.find(bytes), WORD)
    return bytes
  }
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (end > 0) {
      open.push(chunk.subarray(0, end))
      yield take()
    }
    if (end === chunk.length) continue
    open.push(chunk.subarray(end))
    length += chunk.length - end
    if (length >= MAX_LINE_BYTES) yield take()
  }
  if (open.length > 0) yield take()
}
