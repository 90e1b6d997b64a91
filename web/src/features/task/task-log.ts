import type { TaskLogLine } from '#domain/task/task'
import type { LogView } from './page/task-page-search'

/** The loaded part of a task's log. */
export interface TaskLog {
  lines: readonly TaskLogLine[]
  /** Number of older lines that were dropped to save memory. */
  dropped: number
}

/** A log without lines. */
export const EMPTY_LOG: TaskLog = { lines: [], dropped: 0 }

/** Lines per request. */
export const LOG_PAGE_LINES = 1_000
/** Lines kept at most; older ones are dropped. */
export const MAX_LOG_LINES = 50_000

type ReadPage = (after: number) => Promise<readonly TaskLogLine[]>

/**
 * Loads the lines after the last known one, page by page, and no line twice.
 *
 * @param onPage  called after each page except the last, so that a long log appears while it is loaded
 */
export async function readLog(known: TaskLog, readPage: ReadPage, onPage: (log: TaskLog) => void): Promise<TaskLog> {
  for (let log = known; ; onPage(log)) {
    const lines = await readPage(log.lines.at(-1)?.id ?? 0)
    log = withLines(log, lines)
    if (lines.length < LOG_PAGE_LINES) return log
  }
}

/** Appends lines to a log. @param limit  lines kept at most */
export function withLines(log: TaskLog, lines: readonly TaskLogLine[], limit = MAX_LOG_LINES): TaskLog {
  if (lines.length === 0) return log
  const all = [...log.lines, ...lines]
  const over = Math.max(0, all.length - limit)
  return { lines: over === 0 ? all : all.slice(over), dropped: log.dropped + over }
}

/** A row of the log: a line, or the heading of another attempt. */
export type LogRow = { kind: 'attempt'; key: string; number: number } | { kind: 'line'; key: string; line: TaskLogLine }

/** Kinds of lines by view. */
const KINDS_BY_VIEW: Readonly<Record<LogView, readonly TaskLogLine['kind'][]>> = {
  words: ['text', 'result', 'move'],
  moves: ['move', 'run', 'result', 'stderr'],
}

/** The rows of a log in a view; undefined = all lines. */
export function logRows(lines: readonly TaskLogLine[], view: LogView | undefined): LogRow[] {
  const rows: LogRow[] = []
  let attempt: number | null = null
  for (const line of lines) {
    if (view !== undefined && !KINDS_BY_VIEW[view].includes(line.kind)) continue
    if (line.attempt !== null && line.attempt !== attempt) {
      attempt = line.attempt
      rows.push({ kind: 'attempt', key: `a${attempt}-${line.id}`, number: attempt })
    }
    rows.push({ kind: 'line', key: String(line.id), line })
  }
  return rows
}
