import type { Answers } from '../../api/contract/operations'
import { openTracker } from '../issues/issue-call'
import { MAX_ISSUES_PER_REQUEST } from '../issues/issue-page'
import type { Input } from '../kit/arguments/specs'
import type { Context } from '../kit/context'
import { bdComments, bdFields, bdIssue, bdShown, bdStats, linked, SCHEMA_VERSION, type Shown } from './shapes'

type Page = Answers['issues']['list']
type Issue = Page['issues'][number]
type Changed = { issues: Issue[] }

/** bd's answer of each command, made of ours. */

export const created = ({ issue }: { issue: Issue }) => ({ ...bdIssue(issue), ...SCHEMA_VERSION })
export const changed = ({ issues }: Changed) => issues.map(bdIssue)

/** A bare list can't say that it is cut: that goes to stderr, as bd does it. */
export function listed(page: Pick<Page, 'issues' | 'total' | 'isTruncated'>, context: Context) {
  printCut(page, context)
  return page.issues.map(bdIssue)
}

/** Every issue with why it is ready or not. */
export interface Explained {
  free: Issue[]
  stuck: Answers['issues']['blocked']['issues']
  cycles: string[][]
}

/** A list, or with `--explain` the reasons. */
export function ready(
  page: Pick<Page, 'issues' | 'total' | 'isTruncated'> | Answers['issues']['explain'] | Explained,
  context: Context,
) {
  if ('free' in page) {
    const { free, stuck, cycles: circles } = page
    const summary = { total_ready: free.length, total_blocked: stuck.length, cycle_count: circles.length }
    return { ready: free.map(bdIssue), blocked: stuck.map(blockedIssue), cycles: circles, summary, ...SCHEMA_VERSION }
  }
  if ('reasons' in page) return { ...page, ...SCHEMA_VERSION }
  printCut(page, context)
  return page.issues.map(bdIssue)
}

export function blocked(page: Answers['issues']['blocked'], context: Context) {
  printCut(page, context)
  return page.issues.map(blockedIssue)
}

const blockedIssue = ({ blockedBy, ...issue }: Answers['issues']['blocked']['issues'][number]) => ({
  ...bdIssue(issue),
  blocked_by_count: blockedBy.length,
  blocked_by: blockedBy,
})

function printCut(
  { issues, total, isTruncated }: { issues: unknown[]; total: number; isTruncated: boolean },
  context: Context,
) {
  if (isTruncated) context.note(`showing ${issues.length} of ${total} issues; use --limit 0 to show all.`)
}

export function shown({ issues }: { issues: Shown[] }, _context: Context, { options }: Input) {
  const wishes = {
    comments: (options['include-comments'] as unknown) === true,
    dependents: (options['include-dependents'] as unknown) === true,
  }
  return issues.map((issue) => bdShown(issue, wishes))
}

type Edge = { issueId: string; dependsOnId: string; type: string } | null
const edge = (dependency: Edge, status: string) => ({
  depends_on_id: dependency?.dependsOnId ?? '',
  issue_id: dependency?.issueId ?? '',
  ...SCHEMA_VERSION,
  status,
  type: dependency?.type ?? '',
})
export const edgeAdded = ({ dependency }: { dependency: Edge }) => edge(dependency, 'added')
export const edgeRemoved = ({ dependency }: { dependency: Edge }) => {
  const { type: _, ...removed } = edge(dependency, 'removed')
  return removed
}
export const edges = ({ links }: { links: Answers['issues']['get']['dependencies'] }) => linked(links)

export async function tree({ nodes }: Answers['issues']['tree'], context: Context, input: Input) {
  const byId = await every(context, input)
  return nodes.map(({ id, title, status, priority, issueType, depth, parentId, edge: type, isCut }) => {
    const issue = byId.get(id)
    return {
      ...(issue === undefined ? { id, title, status, priority, issue_type: issueType } : bdFields(issue)),
      depth,
      parent_id: parentId ?? '',
      ...(type !== null && { edge_from_parent: type }),
      truncated: isCut,
    }
  })
}

export async function cycles(found: Answers['issues']['cycles'], context: Context, input: Input) {
  const byId = found.cycles.length === 0 ? new Map<string, Issue>() : await every(context, input)
  return found.cycles.map((ids) =>
    ids.slice(0, -1).map((id) => {
      const issue = byId.get(id)
      return issue === undefined ? { id } : bdFields(issue)
    }),
  )
}

async function every(context: Context, { options }: Input): Promise<Map<string, Issue>> {
  const { issues, scope } = await openTracker(context, options as unknown as Parameters<typeof openTracker>[1])
  const page = await issues.list({ ...scope, all: true, limit: MAX_ISSUES_PER_REQUEST })
  return new Map(page.issues.map((issue) => [issue.id, issue]))
}

/** For a named issue: words; else every label with its count. */
export const labels = ({ labels: all }: Answers['issues']['labels'], _context: Context, { args }: Input) =>
  args.length === 0 ? all : all.map(({ label }) => label)
export const labelled =
  (status: 'added' | 'removed') =>
  ({ issues }: Changed, _context: Context, { args }: Input) =>
    issues.map(({ id }) => ({ issue_id: id, label: args.at(-1) ?? '', status }))

export const commented = ({ issue, comment }: Answers['issues']['comment']) => ({
  ...bdComments(issue.id, [comment])[0],
  ...SCHEMA_VERSION,
})

export const stats = bdStats

export const imported = (outcome: Answers['issues']['import']) => ({
  created: outcome.created.length,
  updated: outcome.updated.length,
  unchanged: outcome.unchangedCount,
  skipped: outcome.skipped.length,
  ids: [...outcome.created, ...outcome.updated],
  dry_run: outcome.isDryRun,
  warnings: outcome.notices,
  ...SCHEMA_VERSION,
})

export const asItIs = (answer: unknown) => answer
