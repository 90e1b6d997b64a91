import { issueCycles } from '../../domain/issue/issue-cycles'
import { danglingEdges } from '../../domain/issue/issue-edges'
import type { BadLine, IssueLine } from '../../domain/issue/issue-file'
import { withoutMark } from './encode'
import { isObject } from './json-text'

/** Sentences of one kind; the rest is counted. */
const MAX_OF_A_KIND = 50

/**
 * Pairs that say the same thing twice: where `b` has `a` as its parent, an edge `child` from `a` to `b` means just that; read as `a`
 * being the child it would close a circle that is none. Such edges get their own spelling back, and with it no effect.
 */
export function settleMirroredEdges(lines: readonly IssueLine[]): void {
  const suspects = lines.filter(({ raw }) => raw.includes('"child"'))
  if (suspects.length === 0) return
  const issues = new Map(lines.map(({ issue }) => [issue.id, issue]))
  for (const { issue, raw } of suspects) {
    const spelled = (JSON.parse(withoutMark(raw)) as { dependencies?: unknown }).dependencies
    const targets = new Set(Array.isArray(spelled) ? spelled.filter(isChildEdge).map((edge) => edge.depends_on_id) : [])
    for (const edge of issue.dependencies) {
      if (edge.type !== 'parent-child' || !targets.has(edge.dependsOnId)) continue
      const back = issues
        .get(edge.dependsOnId)
        ?.dependencies.some(({ type, dependsOnId }) => type === 'parent-child' && dependsOnId === issue.id)
      if (back) edge.type = 'child'
    }
  }
}

function isChildEdge(edge: unknown): edge is { depends_on_id: string } {
  return isObject(edge) && edge.type === 'child' && typeof edge.depends_on_id === 'string'
}

/** What a person should know about a file, one sentence each. */
export function noticesOf(
  lines: readonly IssueLine[],
  bad: readonly BadLine[],
  copies: ReadonlyMap<string, readonly number[]>,
  buried: ReadonlyMap<string, number>,
): string[] {
  const issues = lines.map(({ issue }) => issue)
  const lineOf = new Map(lines.map(({ issue, line }) => [issue.id as string, line]))
  return [
    ...limited(
      bad.map(({ line, reason }) => `Line ${line} is ignored: ${reason}.`),
      'lines are ignored',
    ),
    ...limited(
      [...copies].map(
        ([id, at]) =>
          `${id} is on lines ${list(at)}; line ${lineOf.get(id) ?? at.at(-1)} is used because it is the newest.`,
      ),
      'issues occur more than once',
    ),
    ...limited(
      [...buried].map(([id, line]) => `${id} is deleted: line ${line} deletes it and is newer than the issue.`),
      'issues are deleted by newer lines',
    ),
    ...limited(
      danglingEdges(issues).map(
        ({ issueId, dependsOnId, type }) =>
          `Line ${lineOf.get(issueId)}: ${issueId} has an edge (${type}) to ${dependsOnId}, which is not in the file.`,
      ),
      'edges point to issues that are not in the file',
    ),
    ...limited(
      issueCycles(issues).map((path) => `These issues wait for one another: ${list(path, ' → ')}.`),
      'groups of issues wait for one another',
    ),
    ...limited(
      issues.flatMap(({ id, dependencies }) => {
        const parents = dependencies.filter(({ type }) => type === 'parent-child').map(({ dependsOnId }) => dependsOnId)
        return parents.length > 1 ? [`Line ${lineOf.get(id)}: ${id} has several parents: ${list(parents)}.`] : []
      }),
      'issues have several parents',
    ),
  ]
}

function limited(sentences: string[], rest: string): string[] {
  if (sentences.length <= MAX_OF_A_KIND) return sentences
  return [...sentences.slice(0, MAX_OF_A_KIND), `${sentences.length - MAX_OF_A_KIND} more ${rest}.`]
}

function list(items: readonly (string | number)[], separator = ', '): string {
  return items.length <= 12
    ? items.join(separator)
    : `${items.slice(0, 12).join(separator)}${separator}… (${items.length})`
}
