/** The JSON of `bd`, made of our own answers: for agents and scripts that know it. */
import type { Answers } from '../../api/contract/operations'
import { issueFieldKeys } from '../../domain/issue/issue-fields'
import { HOUR_MS } from '../../domain/time-units'

type Detail = Answers['issues']['get']
type Issue = Detail['issue']
type Json = Record<string, unknown>

/** For a shape that is one object. */
export const SCHEMA_VERSION = { schema_version: 1 } as const

/** An issue's own keys, without what is empty, as bd leaves it out. */
export function bdFields(issue: Issue): Json {
  const known: Json = {
    id: issue.id,
    title: issue.title,
    ...Object.fromEntries(issueFieldKeys.map(([key, name]) => [key, issue[name]])),
    status: issue.status,
    priority: issue.priority,
    issue_type: issue.issueType,
    created_at: issue.createdAt,
    created_by: issue.createdBy,
    updated_at: issue.updatedAt,
    started_at: issue.startedAt,
    closed_at: issue.closedAt,
    close_reason: issue.closeReason,
    closed_by_session: issue.closedBySession,
    source_system: issue.sourceSystem,
    labels: issue.labels,
  }
  const given = Object.entries(known).filter(
    ([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
  return { ...issue.extra, ...Object.fromEntries(given) }
}

/** With its edges as edge objects: an item of `list` and `ready`. */
export function bdIssue(issue: Issue): Json {
  return {
    ...bdFields(issue),
    ...(issue.dependencies.length > 0 && {
      dependencies: issue.dependencies.map((edge) => ({
        issue_id: edge.issueId,
        depends_on_id: edge.dependsOnId,
        type: edge.type,
        created_at: edge.createdAt,
        ...(edge.createdBy !== null && { created_by: edge.createdBy }),
        metadata: edge.metadata,
        ...(edge.threadId !== null && { thread_id: edge.threadId }),
      })),
    }),
    dependency_count: issue.dependencyCount,
    dependent_count: issue.dependentCount,
    comment_count: issue.commentCount,
    ...(issue.parentId !== null && { parent: issue.parentId }),
  }
}

export interface ShowWishes {
  comments: boolean
  dependents: boolean
}

/** An item of our `show`. */
export type Shown = Issue & Pick<Detail, 'children' | 'dependents'> & { needs: Detail['dependencies'] }

/** An item of `show`: what it needs are whole issues, and the counts are over edges of every type. */
export function bdShown(shown: Shown, wishes: ShowWishes): Json {
  const dependencies = linked(shown.needs)
  const dependents = linked(shown.dependents)
  return {
    ...bdFields(shown),
    ...(dependencies.length > 0 && { dependencies }),
    ...(wishes.dependents && dependents.length > 0 && { dependents }),
    ...(wishes.comments && shown.comments.length > 0 && { comments: bdComments(shown.id, shown.comments) }),
    dependent_count: shown.dependents.length,
    dependency_count: shown.needs.length,
    comment_count: shown.comments.length,
    ...(shown.parentId !== null && { parent: shown.parentId }),
    ...(shown.issueType === 'epic' && epicCounts(shown)),
  }
}

function epicCounts({ children, status }: Shown): Json {
  const closed = children.filter((child) => child.closedAt !== null).length
  return {
    epic_total_children: children.length,
    epic_closed_children: closed,
    epic_closeable: status !== 'closed' && children.length > 0 && closed === children.length,
  }
}

/** Issues at the other end of edges; one that is missing has nothing to show. */
export function linked(links: Detail['dependencies']): Json[] {
  return links.flatMap(({ issue, type }) => (issue === null ? [] : [{ ...bdFields(issue), dependency_type: type }]))
}

export function bdComments(id: string, comments: Issue['comments']): Json[] {
  return comments.map((comment) => ({
    id: comment.id,
    issue_id: id,
    author: comment.author,
    text: comment.text,
    created_at: comment.createdAt,
  }))
}

export function bdStats(stats: Answers['issues']['stats']): Json {
  const { byStatus } = stats
  return {
    summary: {
      total_issues: stats.total,
      open_issues: byStatus.open ?? 0,
      in_progress_issues: byStatus.in_progress ?? 0,
      closed_issues: byStatus.closed ?? 0,
      blocked_issues: stats.blocked,
      deferred_issues: stats.deferred,
      ready_issues: stats.ready,
      pinned_issues: byStatus.pinned ?? 0,
      epics_eligible_for_closure: stats.epicsEligibleForClose,
      average_lead_time_hours: (stats.leadTimeMs ?? 0) / HOUR_MS,
    },
    ...SCHEMA_VERSION,
  }
}
