import type { FullIssue } from '../../domain/issue/issue'
import type { FileStyle, IssueOrder } from '../../domain/issue/issue-file'
import { compareReady } from '../../domain/issue/issue-ready'

/** How a file that does not exist yet is written: as beads' exporter does, but sorted by id, which makes the smallest diffs. */
export function newFileStyle(isBeads: boolean): FileStyle {
  return {
    escapesHtml: true,
    isSpaced: false,
    endsWithNewline: true,
    isBeads,
    hasCarriageReturn: false,
    isTyped: true,
    hasCounts: isBeads,
    order: 'id',
  }
}

/** Reads off a file how its writer writes. @param lines  some of the issues' lines, at least the first and the last */
export function styleOf(
  text: string,
  lines: readonly string[],
  issues: readonly FullIssue[],
  isBeads: boolean,
): FileStyle {
  const [first] = lines
  const fresh = newFileStyle(isBeads)
  if (first === undefined) return { ...fresh, endsWithNewline: text === '' || text.endsWith('\n') }
  const last = lines.at(-1) ?? first
  return {
    escapesHtml: /\\u00(?:3c|3e|26)/.test(text) || !/[<>&]/.test(text),
    isSpaced: /^\uFEFF?\{\s*"[^"]*": /.test(first),
    endsWithNewline: text.endsWith('\n'),
    isBeads,
    hasCarriageReturn: first.endsWith('\r'),
    isTyped: last.includes('"_type"'),
    hasCounts: last.includes('"dependency_count"'),
    order: orderOf(issues),
  }
}

type Sortable = Pick<FullIssue, 'id' | 'priority' | 'createdAt'>

/** Negative when `a` stands before `b` in a file of this order. */
export function compareInOrder(order: IssueOrder, a: Sortable, b: Sortable): number {
  if (order === 'priority') return compareReady(a, b)
  return order === 'none' || a.id === b.id ? 0 : a.id < b.id ? -1 : 1
}

function orderOf(issues: readonly Sortable[]): IssueOrder {
  const isSorted = (order: IssueOrder) =>
    issues.every((issue, at) => {
      const before = issues[at - 1]
      return before === undefined || compareInOrder(order, before, issue) <= 0
    })
  return isSorted('id') ? 'id' : isSorted('priority') ? 'priority' : 'none'
}
