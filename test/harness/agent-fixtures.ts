/** Files that agent CLIs wrote, as their parsers read them: for CLIs whose files stand below a folder for each story. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { type Harness, isDocument, type JournalRef } from '../../src/domain/harness/harness'
import type { Observation } from '../../src/domain/record/observation'

const FIXTURES = join(import.meta.dir, '../fixtures')

export interface AgentFile {
  ref: JournalRef
  bytes: Buffer
}

/** The files of an agent CLI's stories, or of one of them. @throws Error when one is not recognised */
export function filesOf(harness: Harness, story = '*'): AgentFile[] {
  const folder = join(FIXTURES, harness.agent)
  return [...new Glob(`*/${story}/**/*.json{l,}`).scanSync(folder)].sort().map((name) => {
    const bytes = readFileSync(join(folder, name))
    const ref = harness.classify(join('/home/user', name), bytes.subarray(0, 65_536))
    if (ref === null) throw new Error(`not recognised: ${name}`)
    return { ref, bytes }
  })
}

/** All that a file says. @throws Error when a line is broken, or of no known kind */
export function observe(harness: Harness, { ref, bytes }: AgentFile): Observation[] {
  if (isDocument(ref)) return harness.parseDocument(bytes, { ref, offset: 0 }) ?? []
  const { observations, malformed } = harness.parseLines(bytes, { ref, offset: 0 })
  const unknown = observations.filter((seen) => seen.kind === 'kind' && !seen.isKnown)
  if (malformed.length + unknown.length > 0) throw new Error(JSON.stringify({ malformed, unknown }))
  return observations
}

export const observeAll = (harness: Harness, story?: string): Observation[] =>
  filesOf(harness, story).flatMap((file) => observe(harness, file))
