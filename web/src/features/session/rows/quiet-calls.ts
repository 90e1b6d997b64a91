import { callParts } from '#domain/session/call-parts'
import { isQuiet, type Mark, type Row } from './row-types'

/** Tools of the agent CLIs that only look at something. */
const LOOKING_TOOLS: ReadonlySet<string> = new Set([
  ...['Read', 'Grep', 'Glob', 'LS', 'NotebookRead', 'ToolSearch'],
  ...['read', 'grep', 'glob', 'ls', 'list', 'find', 'view'],
  ...['read_file', 'read_many_files', 'list_directory', 'search_file_content'],
])

/** So many quiet calls in a row are folded; fewer are read at a glance. */
export const FOLDED_CALLS = 6

/** Whether a call only looked at something, did not fail, and stands without words of the model. */
function isQuietCall({ kind, call, event, launched, continued }: Row): boolean {
  if (call === null || !call.isAnswered || call.isError === true || launched.length + continued.length > 0) return false
  if (!LOOKING_TOOLS.has(call.name ?? '')) return false
  return kind === 'answer' || (kind === 'tool' && callParts(event.text ?? '', call.name).said === '')
}

/**
 * Runs of quiet calls, with the CLI's own lines between them: number of the first row to number of rows. What is at the end stays open, since
 * an agent may be at work there.
 */
export function foldedCalls(
  rows: ReadonlyMap<number, Row>,
  marks: ReadonlyMap<number, readonly Mark[]>,
  total: number,
): { runs: Map<number, number>; headOf: Map<number, number> } {
  const runs = new Map<number, number>()
  const headOf = new Map<number, number>()
  let run: number[] = []
  let calls = 0
  const end = (): void => {
    // Lines of the CLI behind the last call are no part of it.
    while (run.length > 0 && isQuiet(rows.get(run.at(-1) ?? -1) as Row)) run.pop()
    const [head] = run
    if (head !== undefined && calls >= FOLDED_CALLS && run.at(-1) !== total - 1) {
      runs.set(head, run.length)
      for (const number of run) headOf.set(number, head)
    }
    run = []
    calls = 0
  }
  for (const [number, row] of rows) {
    if (run.length > 0 && (run.at(-1) !== number - 1 || marks.has(number))) end()
    const isCall = isQuietCall(row)
    if (isCall && row.kind === 'tool') calls++
    if (isCall || (run.length > 0 && isQuiet(row))) run.push(number)
    else end()
  }
  end()
  return { runs, headOf }
}

/** What a folded run did, by the names of the tools: `Read 12, Grep 3`. */
export function runWords(rows: Iterable<Row>): string {
  const counts = new Map<string, number>()
  for (const { kind, call } of rows)
    if (kind === 'tool' && call !== null) counts.set(call.name ?? 'tool', (counts.get(call.name ?? 'tool') ?? 0) + 1)
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
}
