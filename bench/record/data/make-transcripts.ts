import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../../common/random'
import { makeConversation } from '../conversation'

/** What was written. */
export interface TranscriptTotals {
  /** Transcripts of sessions and of sub-agents; the small files beside the latter are not counted. */
  files: number
  bytes: number
  lines: number
  /** Lines with a uuid of their own. */
  events: number
}

/**
 * Makes a configuration folder of Claude Code that looks like a year of a person's: by default, the 363 files, 250 MB and
 * 3.7 kB a line of a folder that others were measured on. Prompts, text, thinking, tool calls with results of code, to-dos,
 * compactions, lines without a uuid, and in every other session a sub-agent. The same seed gives the same bytes.
 *
 * @param root  the configuration folder (`CLAUDE_CONFIG_DIR`); made when missing
 */
export function makeTranscripts(
  root: string,
  options: { bytes?: number; files?: number; seed?: number } = {},
): TranscriptTotals {
  const random = new Random(options.seed ?? 1)
  const files = options.files ?? 363
  const bytesWanted = options.bytes ?? 250e6
  const total: TranscriptTotals = { files: 0, bytes: 0, lines: 0, events: 0 }
  while (total.files < files) {
    const project = join(root, 'projects', `-home-user-project-${total.files % 12}`)
    const session = random.uuid()
    // Sizes are spread widely: most sessions are short, a few are very long. What is left sets the mean.
    const perFile = (bytesWanted - total.bytes) / (files - total.files)
    const hasSubagent = total.files + 1 < files && random.chance(0.4)
    const bytes = perFile * (hasSubagent ? 2 : 1) * (0.1 + 2.7 * random.next() ** 2)
    const made = makeConversation(random, { session, bytes, agent: hasSubagent ? random.hex(17) : null })
    mkdirSync(project, { recursive: true })
    write(join(project, `${session}.jsonl`), made.main, total)
    if (made.subagent === null) continue
    const folder = join(project, session, 'subagents')
    mkdirSync(folder, { recursive: true })
    write(join(folder, `agent-${made.subagent.id}.jsonl`), made.subagent.lines, total)
    writeFileSync(join(folder, `agent-${made.subagent.id}.meta.json`), made.subagent.meta)
  }
  return total
}

function write(path: string, lines: string[], total: TranscriptTotals): void {
  const text = `${lines.join('\n')}\n`
  writeFileSync(path, text)
  total.files++
  total.bytes += Buffer.byteLength(text)
  total.lines += lines.length
  for (const line of lines) if (line.includes('"uuid":"')) total.events++
}
