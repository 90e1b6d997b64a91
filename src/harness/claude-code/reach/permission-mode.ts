import { statSync } from 'node:fs'
import { openWindow } from '../../../util/files/file-window'
import { isRecord } from '../../json-lines/json-value'

/** Bytes of the end that are searched: the CLI writes the mode with every prompt, and again now and then. */
const SEARCHED_BYTES = 16 * 1_048_576
/** More transcripts than wait for anything at a time. */
const MAX_KEPT = 100
const KEY = '"permissionMode":'

/**
 * Reads in which permission mode conversations are, as their transcripts say it last. A mode that was chosen since the last prompt may
 * not be there yet. A file that did not change is not read twice.
 *
 * @returns a function that takes the path of a transcript; `null` = the transcript does not say
 */
export function permissionModes(): (transcript: string) => string | null {
  const known = new Map<string, { size: number; modifiedAtMs: number; mode: string | null }>()
  return (transcript) => {
    const stat = statSync(transcript, { throwIfNoEntry: false })
    if (stat === undefined) return null
    const before = known.get(transcript)
    if (before?.size === stat.size && before.modifiedAtMs === stat.mtimeMs) return before.mode
    const mode = lastMode(transcript)
    if (known.size >= MAX_KEPT) known.clear()
    known.set(transcript, { size: stat.size, modifiedAtMs: stat.mtimeMs, mode })
    return mode
  }
}

function lastMode(transcript: string): string | null {
  const bytes = endOf(transcript)
  for (let at = bytes.lastIndexOf(KEY); at >= 0; ) {
    const start = bytes.lastIndexOf(0x0a, at) + 1
    const end = bytes.indexOf(0x0a, at)
    // What is quoted in a text is no field of the line.
    const line = end < 0 ? null : parse(bytes.toString('utf8', start, end))
    if (isRecord(line) && line.isSidechain !== true && typeof line.permissionMode === 'string')
      return line.permissionMode
    if (start === 0) break
    at = bytes.lastIndexOf(KEY, start - 1)
  }
  return null
}

function endOf(path: string): Buffer {
  try {
    const file = openWindow(path)
    try {
      const start = Math.max(0, file.size - SEARCHED_BYTES)
      const { buffer, byteOffset, byteLength } = file.read(start, file.size - start)
      return Buffer.from(buffer, byteOffset, byteLength)
    } finally {
      file.close()
    }
  } catch {
    return Buffer.alloc(0)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
