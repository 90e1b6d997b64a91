import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The agent CLI's own files of one conversation, as they are on disk at this moment. */
export interface TranscriptFiles {
  /** Path below the agent's configuration folder → bytes. */
  files: Map<string, Buffer>
  /** Distinct line ids over all files. */
  lineIds: Set<string>
}

/**
 * Reads every file of a conversation without any of Lodeline's own reading code, so that the proof is a second opinion.
 *
 * @param claudeRoot  the agent's configuration folder
 */
export function readTranscriptFiles(claudeRoot: string, sessionId: string): TranscriptFiles {
  const files = new Map<string, Buffer>()
  const lineIds = new Set<string>()
  for (const name of readdirSync(join(claudeRoot, 'projects'), { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.includes(sessionId) || !/\.jsonl$|\.meta\.json$/.test(name)) continue
    const bytes = readFileSync(join(claudeRoot, 'projects', name))
    files.set(join('projects', name), bytes)
    if (!name.endsWith('.jsonl')) continue
    for (const line of bytes.toString('utf8').split('\n')) {
      const value: unknown = line === '' ? null : JSON.parse(line)
      if (typeof value === 'object' && value !== null && 'uuid' in value) lineIds.add(String(value.uuid))
    }
  }
  return { files, lineIds }
}
