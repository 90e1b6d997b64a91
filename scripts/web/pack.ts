/** Writes the dashboard's files as one, compressed once and for all; `src/app/server/dashboard-pack.ts` reads it. */
import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { PACK_MAGIC, type PackIndex } from '../../src/app/server/dashboard-pack'
import type { WebFile } from './bundle'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}
/** Compressed already. */
const DENSE = new Set(['.png', '.ico', '.woff2'])

/** @throws Error for a file whose ending says nothing of its type */
export async function packFiles(files: readonly WebFile[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let at = 0
  const add = (as: PackIndex[number]['parts'][number]['as'], bytes: Uint8Array) => {
    parts.push(bytes)
    at += bytes.length
    return { as, at: at - bytes.length, length: bytes.length }
  }
  const index: PackIndex = []
  for (const { path, bytes, compressed } of await Promise.all(files.map(compress))) {
    const type = TYPES[extname(path)]
    if (type === undefined)
      throw new Error(`${path}: files of this ending have no content type yet (scripts/web/pack.ts)`)
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 20)
    const stored =
      compressed === null ? [add('plain', bytes)] : [add('br', compressed.br), add('gzip', compressed.gzip)]
    index.push({ path, type, hash, parts: stored })
  }
  const head = Buffer.from(JSON.stringify(index))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return Buffer.concat([Buffer.from(PACK_MAGIC), length, head, ...parts])
}

/** In the threads of zlib, so that files are compressed beside one another. */
async function compress(file: WebFile) {
  if (DENSE.has(extname(file.path))) return { ...file, compressed: null }
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(file.bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: file.bytes.length },
    }),
    promisify(gzip)(file.bytes, { level: 9 }),
  ])
  return { ...file, compressed: { br, gzip: zipped } }
}
