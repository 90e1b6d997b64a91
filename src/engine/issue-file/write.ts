import type { FullIssue } from '../../domain/issue/issue'
import type { FileStyle, ParsedIssueFile } from '../../domain/issue/issue-file'
import { encodeIssue } from './encode'
import { isSameJson } from './json-text'
import { compareInOrder } from './style'

/** What is to be different in the file. */
export interface IssueFileChange {
  /** New and changed issues, whole; unchanged ones may be among them. New ones keep this order where the file has none. */
  issues: readonly FullIssue[]
  /** Ids whose lines go, with all older copies; a tombstone stays. */
  deleted?: ReadonlySet<string>
}

/**
 * The file with the change in it, as text. Lines of issues that did not change are the same bytes, and stand where they stood; so
 * do lines that are no issues and lines that can't be read. New issues go where the file's own order puts them, else to the end.
 */
export function writeIssueFile(file: ParsedIssueFile, { issues, deleted }: IssueFileChange): string {
  const { style } = file
  const byId = new Map(issues.map((issue) => [issue.id as string, issue]))
  const dependents = lazyDependents(file, issues, deleted)
  const lines: Line[] = [...file.kept, ...file.bad]
    .filter((one) => !('kind' in one && one.kind === 'duplicate' && deleted?.has(one.id ?? '')))
    .map(({ raw, line }) => ({ raw, line, issue: null }))
  for (const { issue, raw, line } of file.issues) {
    if (deleted?.has(issue.id)) continue
    const after = byId.get(issue.id) ?? issue
    const isSame = after === issue || isSameJson(after, issue)
    lines.push({ raw: isSame ? raw : encodeIssue(after, style, raw, dependents(issue.id)), line, issue })
  }
  lines.sort((a, b) => a.line - b.line)

  const known = new Set(file.issues.map(({ issue }) => issue.id as string))
  const fresh = issues.filter(({ id }) => !known.has(id) && !deleted?.has(id) && byId.has(id))
  const added = [...new Set(fresh)].map((issue): Line => {
    return { raw: encodeIssue(issue, style, null, dependents(issue.id)), line: 0, issue }
  })
  return joined(withAdded(lines, added, style), style)
}

/** A new file of these issues. */
export function formatIssueFile(issues: readonly FullIssue[], style: FileStyle): string {
  return writeIssueFile({ issues: [], kept: [], bad: [], notices: [], style }, { issues })
}

/** A line to be written. `issue` decides where a new one goes; `null` = it is no issue. */
export interface Line {
  raw: string
  line: number
  issue: FullIssue | null
}

/** New lines at the places that the file's order gives them; else at the end, in their own order. */
export function withAdded(lines: Line[], added: Line[], { order }: FileStyle): Line[] {
  if (added.length === 0) return lines
  if (order !== 'none') added.sort((a, b) => (a.issue && b.issue ? compareInOrder(order, a.issue, b.issue) : 0))
  const result: Line[] = []
  let next = 0
  for (const line of lines) {
    for (let one = added[next]; order !== 'none' && one?.issue && line.issue; one = added[next]) {
      if (compareInOrder(order, one.issue, line.issue) >= 0) break
      result.push(one)
      next++
    }
    result.push(line)
  }
  return [...result, ...added.slice(next)]
}

export function joined(lines: readonly Line[], { endsWithNewline }: FileStyle): string {
  if (lines.length === 0) return ''
  return lines.map(({ raw }) => raw).join('\n') + (endsWithNewline ? '\n' : '')
}

/** Counts dependents when the first changed line asks; most changes touch one line of many. */
function lazyDependents(
  file: ParsedIssueFile,
  issues: readonly FullIssue[],
  deleted: ReadonlySet<string> | undefined,
): (id: string) => number | null {
  if (!file.style.hasCounts) return () => null
  let counts: Map<string, number> | undefined
  return (id) => {
    if (counts === undefined) {
      const all = new Map(
        [...file.issues.map(({ issue }) => issue), ...issues].map((issue) => [issue.id as string, issue]),
      )
      for (const gone of deleted ?? []) all.delete(gone)
      counts = dependentCounts(all.values())
    }
    return counts.get(id) ?? 0
  }
}

/** How many issues have a `blocks` edge to each, as beads counts them. */
export function dependentCounts(issues: Iterable<FullIssue>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { dependencies } of issues) {
    for (const { type, dependsOnId } of dependencies) {
      if (type === 'blocks') counts.set(dependsOnId, (counts.get(dependsOnId) ?? 0) + 1)
    }
  }
  return counts
}
