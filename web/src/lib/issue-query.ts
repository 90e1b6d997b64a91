import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { RequestInput } from '../../../src/api/contract/requests'
import type { ResponseOf } from '../../../src/api/contract/responses'
import type { IssueOrder } from '../../../src/domain/issue-store'
import { client } from './api'
import type { IssueFilter } from './issue-search'

export type ListedIssue = ResponseOf<'issues.list'>['issues'][number]
export type BlockedIssue = ResponseOf<'issues.blocked'>['issues'][number]
export type IssueDetail = ResponseOf<'issues.get'>
export type IssueStatus = ResponseOf<'issues.statusList'>['statuses'][number]

/** Rows of a list that are asked for at once. */
const PAGE = 100
/** Of a column of the board. */
const COLUMN_PAGE = 50
/** So many issues stand in one graph. */
export const MAX_GRAPH = 1_000

/** Closed, or over by a status of the project's own. */
export const isOver = ({ status, closedAt }: Pick<ListedIssue, 'status' | 'closedAt'>): boolean =>
  status === 'closed' || closedAt !== null

export const scopeOf = (project: string | undefined) => (project === undefined ? {} : { dir: project })

/** The filter as the server takes it. Ages are counted from the moment of asking. */
export function listInput(filter: IssueFilter): RequestInput<'issues.list'> {
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
    ...(staleDays !== undefined && { updatedBefore: new Date(Date.now() - staleDays * 86_400_000).toISOString() }),
  }
}

/** What of an address chooses issues, and nothing else, so that a change of view asks for nothing. */
const keyOf = ({ project, q, status, type, priority, label, assignee, staleDays, ...rest }: IssueFilter) => {
  const { isUnassigned, isBlocked, withDone } = rest
  return [project, q, status, type, priority, label, assignee, staleDays, isUnassigned, isBlocked, withDone]
}

export function useIssueList(filter: IssueFilter, order: IssueOrder, isReversed: boolean) {
  return useInfiniteQuery({
    queryKey: ['issues', 'list', keyOf(filter), order, isReversed],
    queryFn: ({ pageParam, signal }) =>
      client.issues.list(
        {
          ...listInput(filter),
          order,
          isReversed,
          limit: PAGE,
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: (previous) => previous,
  })
}

/** Issues of one status. */
export function useIssueColumn(filter: IssueFilter, status: string) {
  return useInfiniteQuery({
    queryKey: ['issues', 'column', keyOf(filter), status],
    queryFn: ({ pageParam, signal }) =>
      client.issues.list(
        {
          ...listInput({ ...filter, status: [status] }),
          // What is done is looked at from its end.
          order: status === 'closed' ? 'updated' : 'priority',
          limit: COLUMN_PAGE,
          ...(pageParam !== null && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: (previous) => previous,
  })
}

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
          limit: 500,
        },
        { signal },
      ),
    placeholderData: (previous) => previous,
  })
}

export function useBlockedIssues(project: string | undefined) {
  return useQuery({
    queryKey: ['issues', 'blocked', project],
    queryFn: ({ signal }) => client.issues.blocked({ ...scopeOf(project), limit: 500 }, { signal }),
    placeholderData: (previous) => previous,
  })
}

export function useGraphIssues(filter: IssueFilter) {
  return useQuery({
    queryKey: ['issues', 'graph', keyOf(filter)],
    queryFn: ({ signal }) => client.issues.list({ ...listInput(filter), limit: MAX_GRAPH }, { signal }),
    placeholderData: (previous) => previous,
  })
}

export function useTrackers() {
  return useQuery({
    queryKey: ['issues', 'trackers'],
    queryFn: ({ signal }) => client.issues.trackers({}, { signal }),
  })
}

export function useStatuses(project: string | undefined) {
  return useQuery({
    queryKey: ['issues', 'statuses', project],
    queryFn: ({ signal }) => client.issues.statusList(scopeOf(project), { signal }),
    placeholderData: (previous) => previous,
  })
}

export function useLabels(project: string | undefined) {
  return useQuery({
    queryKey: ['issues', 'labels', project],
    queryFn: ({ signal }) => client.issues.labels(scopeOf(project), { signal }),
    placeholderData: (previous) => previous,
  })
}

/** Issues whose id or title hold the words, for choosing one. */
export function useIssueSearch(project: string | undefined, words: string) {
  return useQuery({
    queryKey: ['issues', 'search', project, words],
    queryFn: ({ signal }) => client.issues.list({ ...scopeOf(project), text: words, all: true, limit: 8 }, { signal }),
    enabled: words.trim() !== '',
    placeholderData: (previous) => previous,
  })
}

/** Why it is not ready. */
export function useExplanation(id: string, project: string | undefined, isWanted: boolean) {
  return useQuery({
    queryKey: ['issue', id, project, 'explain'],
    queryFn: ({ signal }) => client.issues.explain(id, scopeOf(project), { signal }),
    enabled: isWanted,
  })
}

export const detailKey = (id: string, project: string | undefined) => ['issue', id, project, 'detail'] as const

export function useIssue(id: string, project: string | undefined) {
  return useQuery({
    queryKey: detailKey(id, project),
    queryFn: ({ signal }) => client.issues.get(id, scopeOf(project), { signal }),
  })
}

export function useIssueHistory(id: string, project: string | undefined, limit: number) {
  return useQuery({
    queryKey: ['issue', id, project, 'history', limit],
    queryFn: ({ signal }) => client.issues.history(id, { ...scopeOf(project), limit }, { signal }),
    placeholderData: (previous) => previous,
  })
}

/** Sessions that work on it or did. */
export function useIssueSessions(id: string, project: string | undefined) {
  return useQuery({
    queryKey: ['issue-work', id, project],
    queryFn: ({ signal }) => client.links.ofIssue(id, scopeOf(project), { signal }),
  })
}
