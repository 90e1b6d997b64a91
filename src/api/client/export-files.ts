import { AppError } from '../../domain/errors'
import { createByteSource } from './byte-source'
import { readTarHeader, TAR_BLOCK } from './tar-read'

/** One file of an export. `bytes` must be read to its end (or left) before the next file is asked for; leaving it skips the rest. */
export interface ExportFile {
  /** Where it belongs below the folder that the CLI reads: segments joined by `/`, checked to stay inside. */
  relativePath: string
  size: number
  bytes: AsyncIterable<Uint8Array>
}

/** Reads the archive as it comes: holds no more than one chunk of the connection. */
export async function* readExport(open: () => Promise<Response>): AsyncGenerator<ExportFile> {
  const response = await open()
  const source = createByteSource(response.body ?? new ReadableStream())
  try {
    for (;;) {
      const header = await readTarHeader(source)
      if (header === null) return
      let left = header.size
      async function* content(): AsyncGenerator<Uint8Array> {
        while (left > 0) {
          const chunk = await source.upTo(left)
          left -= chunk.length
          yield chunk
        }
      }
      yield { relativePath: safePath(header.path), size: header.size, bytes: content() }
      while (left > 0) left -= (await source.upTo(left)).length
      await source.exactly((TAR_BLOCK - (header.size % TAR_BLOCK)) % TAR_BLOCK)
    }
  } finally {
    await source.cancel()
  }
}

/** A path that can't leave the folder it is joined to, on any system. */
function safePath(path: string): string {
  const isSafe = path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]|^[A-Za-z]:/.test(part))
  if (isSafe) return path
  throw new AppError('invalid', `The export contains a file outside its folder: ${JSON.stringify(path)}.`, {
    hint: "Check that no other program responds at this server's address. If none does, don't trust the server.",
  })
}
