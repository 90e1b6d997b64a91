import type { TaskLogLine } from '../../../src/domain/task'
import type { LogView } from './task-page-search'

/** A task's log as far as it is known here. */
export interface TaskLog {
  lines: readonly TaskLogLine[]
  /** Older lines that were given up to stay small. */
  dropped: number
}

export const EMPTY_LOG: TaskLog = { lines: [], dropped: 0 }

/** Lines asked for at once. */
export const LOG_PAGE = 1_000
/** More are not kept: the oldest go. */
export const LOG_LIMIT = 50_000

type ReadPage = (after: number) => Promise<readonly TaskLogLine[]>

/**
 * Reads what came after the last line that is known, page by page, and never a line twice.
 *
 * @param onPage  told after each page but the last, so that a long log shows while it is read
 */
export async function readLog(known: TaskLog, readPage: ReadPage, onPage: (log: TaskLog) => void): Promise<TaskLog> {
  for (let log = known; ; onPage(log)) {
    const lines = await readPage(log.lines.at(-1)?.id ?? 0)
    log = withLines(log, lines)
    if (lines.length < LOG_PAGE) return log
  }
}

export function withLines(log: TaskLog, lines: readonly TaskLogLine[], limit = LOG_LIMIT): TaskLog {
  if (lines.length === 0) return log
  const all = [...log.lines, ...lines]
  const over = Math.max(0, all.length - limit)
  return { lines: over === 0 ? all : all.slice(over), dropped: log.dropped + over }
}

/** What is shown: lines, and a separator where another attempt begins to speak. */
export type LogRow = { kind: 'attempt'; key: string; number: number } | { kind: 'line'; key: string; line: TaskLogLine }

const SHOWN: Readonly<Record<LogView, readonly TaskLogLine['kind'][]>> = {
  words: ['text', 'result', 'move'],
  moves: ['move', 'run', 'result', 'stderr'],
}

export function logRows(lines: readonly TaskLogLine[], view: LogView | undefined): LogRow[] {
  const rows: LogRow[] = []
  let attempt: number | null = null
  for (const line of lines) {
    if (view !== undefined && !SHOWN[view].includes(line.kind)) continue
    if (line.attempt !== null && line.attempt !== attempt) {
      attempt = line.attempt
      rows.push({ kind: 'attempt', key: `a${attempt}-${line.id}`, number: attempt })
    }
    rows.push({ kind: 'line', key: String(line.id), line })
  }
  return rows
}
