import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CliPlace } from '../../../domain/harness/harness-run'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, isRecord } from '../../json-lines/json-value'

/** An entry is a few hundred bytes; a folder holds one for each process of the CLI. */
const ENTRY_BYTES = 64 * 1024
const ENTRY_LIMIT = 10_000

/**
 * The process that has the conversation open now: the CLI writes an entry for each of its processes, interactive and not, and takes it away
 * at its end. One that a crash left behind counts for nothing: the process must live, and have started when the entry says.
 *
 * @returns `kind` is how the process was started: `cli` in a person's terminal, `sdk-cli` driven by a program
 */
export function openedBy(place: CliPlace, sessionId: string): { pid: number; kind: string } | null {
  for (const entry of entriesOf(join(place.root, 'sessions'))) {
    const { pid } = entry
    if (entry.sessionId !== sessionId || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) continue
    if (isSameProcess(pid, entry.procStart))
      return { pid, kind: idOf(entry.entrypoint) ?? idOf(entry.kind) ?? 'unknown' }
  }
  return null
}

function* entriesOf(folder: string): Iterable<JsonRecord> {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return
  }
  for (const name of names.filter((file) => /^\d+\.json$/.test(file)).slice(0, ENTRY_LIMIT)) {
    try {
      const path = join(folder, name)
      if (statSync(path).size > ENTRY_BYTES) continue
      const entry: unknown = JSON.parse(readFileSync(path, 'utf8'))
      if (isRecord(entry)) yield entry
    } catch {
      // Gone in the meantime, or half written: its process is at its beginning or its end.
    }
  }
}

function isSameProcess(pid: number, procStart: unknown): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Another user's process is alive all the same.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const fields = statOf(pid)
  if (fields === undefined) return true
  const [state = '', started] = fields
  // Ended, and nobody has waited for it yet: it holds nothing.
  if (state === 'Z' || state === 'X') return false
  return typeof procStart !== 'string' || procStart === '' || started === procStart
}

/**
 * The state of a process, and when it started, as the CLI writes it on Linux; `undefined` elsewhere: there a live process is taken
 * for the one.
 */
function statOf(pid: number): [state: string | undefined, started: string | undefined] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may hold anything. Fields 3 and 22, the latter in clock ticks since the system's start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [fields[0], fields[19]]
  } catch {
    return undefined
  }
}
