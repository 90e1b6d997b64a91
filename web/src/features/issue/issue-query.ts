import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Answers, Inputs } from '#api/contract/operations/index'
import type { IssueOrder } from '#domain/issue/issue-store'
import { DAY_MS } from '#domain/time-units'
import { client } from '../../lib/api'
import type { IssueFilter } from './list/issue-search'

export type ListedIssue = Answers['issues']['list']['issues'][number]
export type BlockedIssue = Answers['issues']['blocked']['issues'][number]
export type IssueDetail = Answers['issues']['get']
export type IssueStatus = Answers['issues']['statusList']['statuses'][number]

/** Issues per page of the list. */
const LIST_PAGE_ISSUES = 100
/** Issues per page of a column of the board. */
const COLUMN_PAGE_ISSUES = 50
/** Issues of the ready view at most. */
const MAX_READY_ISSUES = 500
/** Issues offered while one is chosen by its words. */
const MAX_OFFERED_ISSUES = 8
/** Issues in the graph at most. */
export const MAX_GRAPH_ISSUES = 1_000

/** Whether it is closed, or done by one of the project's own statuses. */
export const isOver = ({ status, closedAt }: Pick<ListedIssue, 'status' | 'closedAt'>): boolean =>
  status === 'closed' || closedAt !== null

/** Request fields that select the project. @param project  its folder; undefined = all projects */
export const scopeOf = (project: string | undefined) => (project === undefined ? {} : { dir: project })

/** The filter as the server takes it. Ages count from now. */
export function listInput(filter: IssueFilter): Inputs['issues']['list'] {
  const { project, q, status, type, priority, label, assignee, staleDays } = filter
  return {
    ...scopeOf(project),
    ...(q !== undefined && { text: q }),
    ...(status.length > 0 && { statuses: [...status] }),
    ...(type.length > 0 && { types: [...type] }),
    ...(priority.length > 0 && { priorities: [...priority] }),
    ...(label.length > 0 && { labels: [...label] }),
    ...(assignee !== undefined && { assignee }),
    ...(filter.isUnassigned && { noAssignee: true }),
    ...(filter.isBlocked && { isBlocked: true }),
    ...(filter.withDone && { all: true }),
    ...(staleDays !== undefined && { updatedBefore: new Date(Date.now() - staleDays * DAY_MS).toISOString() }),
  }
}

/** The part of an address that selects issues, so that changing the view refetches nothing. */
const keyOf = ({ project, q, status, type, priority, label, assignee, staleDays, ...rest }: IssueFilter) => {
  const { isUnassigned, isBlocked, withDone } = rest
  return [project, q, status, type, priority, label, assignee, staleDays, isUnassigned, isBlocked, withDone]
}

/** Issues of a list, page by page. */
export function useIssueList(filter: IssueFilter, order: IssueOrder, isReversed: boolean) {
  return useInfiniteQuery({
    queryKey: ['issues', 'list', keyOf(filter), order, isReversed],
    queryFn: ({ pageParam, signal }) =>
      client.issues.list(
        {
          ...listInput(filter),
          order,
          isReversed,
          limit: LIST_PAGE_ISSUES,
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: (previous) => previous,
  })
}

/** Issues of one status, page by page. */
export function useIssueColumn(filter: IssueFilter, status: string) {
  return useInfiniteQuery({
    queryKey: ['issues', 'column', keyOf(filter), status],
    queryFn: ({ pageParam, signal }) =>
      client.issues.list(
        {
          ...listInput({ ...filter, status: [status] }),
          // The latest closed issues come first.
          order: status === 'closed' ? 'updated' : 'priority',
          limit: COLUMN_PAGE_ISSUES,
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: (previous) => previous,
  })
}

/** How many issues a list has; `undefined` until it is known. */
export function useIssueCount(filter: IssueFilter): number | undefined {
  return useQuery({
    queryKey: ['issues', 'count', keyOf(filter)],
    queryFn: async ({ signal }) => (await client.issues.list({ ...listInput(filter), limit: 1 }, { signal })).total,
  }).data
}

/** Issues that can be started now, best first. */
export function useReadyIssues(filter: IssueFilter) {
  const { project, type, priority, label, assignee, isUnassigned } = filter
  return useQuery({
    queryKey: ['issues', 'ready', project, type, priority, label, assignee, isUnassigned],
    queryFn: ({ signal }) =>
      client.issues.ready(
        {
          ...scopeOf(project),
          ...(type.length > 0 && { types: [...type] }),
          ...(priority.length > 0 && { priorities: [...priority] }),
          ...(label.length > 0 && { labels: [...label] }),
          ...(assignee !== undefined && { assignee }),
          ...(isUnassigned && { noAssignee: true }),
          limit: MAX_READY_ISSUES,
        },
        { signal },
      ),
    placeholderData: (previous) => previous,
  })
}

/** Issues that are blocked. */
export function useBlockedIssues(project: string | undefined) {
  return useQuery({
    queryKey: ['issues', 'blocked', project],
    queryFn: ({ signal }) => client.issues.blocked({ ...scopeOf(project), limit: MAX_READY_ISSUES }, { signal }),
    placeholderData: (previous) => previous,
  })
}

/** Issues of the graph. */
export function useGraphIssues(filter: IssueFilter) {
  return useQuery({
    queryKey: ['issues', 'graph', keyOf(filter)],
    queryFn: ({ signal }) => client.issues.list({ ...listInput(filter), limit: MAX_GRAPH_ISSUES }, { signal }),
    placeholderData: (previous) => previous,
  })
}

/** All trackers. */
export function useTrackers() {
  return useQuery({
    queryKey: ['issues', 'trackers'],
    queryFn: ({ signal }) => client.issues.trackers({ signal }),
  })
}

/** Statuses with their numbers of issues. */
export function useStatuses(project: string | undefined) {
  return useQuery({
    queryKey: ['issues', 'statuses', project],
    queryFn: ({ signal }) => client.issues.statusList(scopeOf(project), { signal }),
    placeholderData: (previous) => previous,
  })
}

/** Labels with their numbers of issues. */
export function useLabels(project: string | undefined) {
  return useQuery({
    queryKey: ['issues', 'labels', project],
    queryFn: ({ signal }) => client.issues.labels(scopeOf(project), { signal }),
    placeholderData: (previous) => previous,
  })
}

/** How many issues are searched for assignees. */
const LAST_ASSIGNED_ISSUES = 100

/** Assignees of the issues that changed last, by name. */
export function useAssignees(project: string | undefined) {
  return useQuery({
    queryKey: ['issues', 'assignees', project],
    queryFn: ({ signal }) =>
      client.issues.list({ ...scopeOf(project), all: true, order: 'updated', limit: LAST_ASSIGNED_ISSUES }, { signal }),
    select: ({ issues }) => [...new Set(issues.flatMap(({ assignee }) => assignee ?? []))].sort(),
  })
}

/** Issues whose ID or title contains the words, to choose one. */
export function useIssueSearch(project: string | undefined, words: string) {
  return useQuery({
    queryKey: ['issues', 'search', project, words],
    queryFn: ({ signal }) =>
      client.issues.list({ ...scopeOf(project), text: words, all: true, limit: MAX_OFFERED_ISSUES }, { signal }),
    enabled: words.trim() !== '',
    placeholderData: (previous) => previous,
  })
}

/** Why an issue is not ready. */
export function useExplanation(id: string, project: string | undefined, isWanted: boolean) {
  return useQuery({
    queryKey: ['issue', id, project, 'explain'],
    queryFn: ({ signal }) => client.issues.explain(id, scopeOf(project), { signal }),
    enabled: isWanted,
  })
}

/** Query key of an issue. */
export const detailKey = (id: string, project: string | undefined) => ['issue', id, project, 'detail'] as const

/** An issue with its links and tasks. */
export function useIssue(id: string, project: string | undefined) {
  return useQuery({
    queryKey: detailKey(id, project),
    queryFn: ({ signal }) => client.issues.get(id, scopeOf(project), { signal }),
  })
}

/** The history of an issue, newest first. */
export function useIssueHistory(id: string, project: string | undefined, limit: number) {
  return useQuery({
    queryKey: ['issue', id, project, 'history', limit],
    queryFn: ({ signal }) => client.issues.history(id, { ...scopeOf(project), limit }, { signal }),
    placeholderData: (previous) => previous,
  })
}

/** Sessions that work or worked on an issue. */
export function useIssueSessions(id: string, project: string | undefined) {
  return useQuery({
    queryKey: ['issue-work', id, project],
    queryFn: ({ signal }) => client.links.ofIssue(id, scopeOf(project), { signal }),
  })
}
