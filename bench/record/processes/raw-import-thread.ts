/** A thread that reads, compresses and parses files as an import does, and does nothing with what it found. */

import { readFileSync } from 'node:fs'
import { zstdCompressSync } from 'bun'

declare const self: Worker

/** Bytes handled at once, as the recorder does. */
const BLOCK_BYTES = 512 * 1_024

export interface RawImportDone {
  bytes: number
  /** Bytes after compression. */
  compressed: number
  lines: number
}

self.onmessage = (event: MessageEvent) => {
  const { files, next } = event.data as { files: string[]; next: SharedArrayBuffer }
  const counter = new Int32Array(next)
  const done: RawImportDone = { bytes: 0, compressed: 0, lines: 0 }
  for (;;) {
    const path = files[Atomics.add(counter, 0, 1)]
    if (path === undefined) break
    const bytes = readFileSync(path)
    for (let start = 0; start < bytes.length; ) {
      const newline = bytes.lastIndexOf(10, Math.min(start + BLOCK_BYTES, bytes.length) - 1)
      const end = newline < start ? bytes.length : newline + 1
      const block = bytes.subarray(start, end)
      done.compressed += zstdCompressSync(block, { level: 3 }).length
      for (const line of block.toString('utf8').split('\n')) {
        if (line === '') continue
        JSON.parse(line)
        done.lines++
      }
      start = end
    }
    done.bytes += bytes.length
  }
  self.postMessage(done)
}
