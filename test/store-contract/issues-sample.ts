import type { IssueId, SessionId } from '../../src/domain/ids'
import { issueId } from '../../src/domain/ids'
import type { FullIssue, IssueDependency } from '../../src/domain/issue/issue'
import { issueFacts } from '../../src/domain/issue/issue-facts'
import { BUILT_IN_STATUSES } from '../../src/domain/issue/issue-status'
import type { IssueState, SavedIssue } from '../../src/domain/issue/issue-store'

/** An issue with nothing but what is given. */
export function anIssue(given: Partial<Omit<FullIssue, 'id'>> & { id: string }): FullIssue {
  return {
    title: `Title of ${given.id}`,
    description: '',
    design: '',
    acceptanceCriteria: '',
    notes: '',
    specId: null,
    status: 'open',
    priority: 2,
    issueType: 'task',
    assignee: null,
    owner: null,
    estimatedMinutes: null,
    createdAt: '2026-01-01T00:00:00Z',
    createdBy: null,
    updatedAt: '2026-01-01T00:00:00Z',
    startedAt: null,
    closedAt: null,
    closeReason: null,
    closedBySession: null,
    dueAt: null,
    deferUntil: null,
    externalRef: null,
    sourceSystem: null,
    labels: [],
    dependencies: [],
    comments: [],
    activeTaskSession: null as SessionId | null,
    extra: {},
    ...given,
    id: issueId(given.id),
  }
}

export const edge = (from: string, to: string, type = 'blocks', metadata = '{}'): IssueDependency => ({
  issueId: issueId(from),
  dependsOnId: issueId(to) as IssueId,
  type,
  createdAt: '2026-01-01T00:00:00Z',
  createdBy: null,
  metadata,
  threadId: null,
})

export const saved = (issue: FullIssue, more: Partial<SavedIssue> & { state?: IssueState } = {}): SavedIssue => ({
  key: null,
  issue,
  facts: issueFacts(issue, BUILT_IN_STATUSES),
  state: { isDeleted: false, isAbsent: false, isDirty: false, raw: null },
  ...more,
})
