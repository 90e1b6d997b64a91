import * as z from 'zod/mini'
import { STATUS_CATEGORIES } from '../../../domain/issue/issue'
import { ISSUE_FIELDS, type IssueFields, issueFieldNames } from '../../../domain/issue/issue-fields'
import { SHOWN_TASK_STATUSES } from '../../../domain/task/task'
import {
  agentIdSchema,
  Instant,
  issueIdSchema,
  MaybeInstant,
  MaybeText,
  sessionIdSchema,
  taskIdSchema,
} from './scalars'

const maybe = z.nullable
const notices = z.array(z.string())

/** `issueId` needs `dependsOnId`, which need not exist. `metadata` is JSON as text. */
export const IssueDependency = z.object({
  issueId: issueIdSchema,
  dependsOnId: issueIdSchema,
  type: z.string(),
  createdAt: z.string(),
  createdBy: MaybeText,
  metadata: z.string(),
  threadId: MaybeText,
})

export const IssueComment = z.object({ id: z.string(), author: z.string(), text: z.string(), createdAt: z.string() })

/** The session or agent that works on it now. `unknown` counts as alive; `gone` lapses at `lapsesAt`. */
export const IssueClaim = z.object({
  holder: z.string(),
  sessionId: maybe(sessionIdSchema),
  agentId: maybe(agentIdSchema),
  since: Instant,
  aliveAt: MaybeInstant,
  state: z.enum(['alive', 'unknown', 'gone']),
  lapsesAt: MaybeInstant,
})

/** The newest task that is at work on it. `agentName`: of the agent that has it. */
export const TaskAtWork = z.object({ id: taskIdSchema, agentName: MaybeText })

const VALUES = { text: z.string(), name: MaybeText, minutes: maybe(z.number()), time: MaybeText }
const issueFields = Object.fromEntries(
  issueFieldNames.map((name) => [name, VALUES[ISSUE_FIELDS[name].kind]]),
) as unknown as { [Name in keyof IssueFields]: z.ZodMiniType<IssueFields[Name]> }

/**
 * An issue, in one shape everywhere; lists leave `comments` empty. Times of the issue are as they were written, of any precision.
 * Counts of dependencies are over `blocks` edges alone.
 */
export const TrackedIssue = z.object({
  id: issueIdSchema,
  title: z.string(),
  ...issueFields,
  status: z.string(),
  priority: z.int(),
  issueType: z.string(),
  createdAt: z.string(),
  createdBy: MaybeText,
  updatedAt: z.string(),
  startedAt: MaybeText,
  closedAt: MaybeText,
  closeReason: MaybeText,
  closedBySession: MaybeText,
  sourceSystem: MaybeText,
  labels: z.array(z.string()),
  dependencies: z.array(IssueDependency),
  comments: z.array(IssueComment),
  activeTaskSession: maybe(sessionIdSchema),
  extra: z.record(z.string(), z.unknown()),
  dependencyCount: z.int(),
  dependentCount: z.int(),
  commentCount: z.int(),
  parentId: maybe(issueIdSchema),
  isBlocked: z.boolean(),
  claim: maybe(IssueClaim),
  taskAtWork: maybe(TaskAtWork),
})

export const OneIssue = z.object({ issue: TrackedIssue, notices })
/** `total`: of all that fit. `isTruncated`: there are more than these. */
export const IssuePage = z.object({
  issues: z.array(TrackedIssue),
  total: z.int(),
  isTruncated: z.boolean(),
  nextCursor: MaybeText,
  notices,
})
export const ReadyIssues = z.object({
  issues: z.array(TrackedIssue),
  total: z.int(),
  isTruncated: z.boolean(),
  notices,
})
export const BlockedIssues = z.object({
  issues: z.array(z.extend(TrackedIssue, { blockedBy: z.array(issueIdSchema) })),
  total: z.int(),
  isTruncated: z.boolean(),
  notices,
})
const LinkedIssue = z.object({ issue: maybe(TrackedIssue), id: issueIdSchema, type: z.string() })
/** `isInFile` false: the file had it once and has it no longer. `path`: the file, where there is one. `tasks`: the newest ten for it. */
export const IssueDetail = z.object({
  issue: TrackedIssue,
  children: z.array(TrackedIssue),
  dependencies: z.array(LinkedIssue),
  dependents: z.array(LinkedIssue),
  isInFile: z.boolean(),
  path: MaybeText,
  tasks: z.array(z.object({ id: taskIdSchema, title: z.string(), status: z.enum(SHOWN_TASK_STATUSES) })),
  notices,
})
/**
 * The issue that was named comes first. `taskId` null: it would be made. `waitsFor`: open issues that hold it up; those with a task
 * are in `dependsOn` by it. `isNew` false: the issue has a task that is not over.
 */
export const IssueDispatch = z.object({
  tasks: z.array(
    z.object({
      issueId: issueIdSchema,
      title: z.string(),
      taskId: maybe(taskIdSchema),
      dependsOn: z.array(taskIdSchema),
      waitsFor: z.array(issueIdSchema),
      isNew: z.boolean(),
    }),
  ),
  isDryRun: z.boolean(),
  notices,
})
export const IssueStats = z.object({
  total: z.int(),
  byStatus: z.record(z.string(), z.int()),
  byType: z.record(z.string(), z.int()),
  byPriority: z.record(z.string(), z.int()),
  blocked: z.int(),
  ready: z.int(),
  deferred: z.int(),
  claimed: z.int(),
  leadTimeMs: maybe(z.int()),
  epicsEligibleForClose: z.int(),
  notices,
})
/** Each a circle: first and last are the same. */
export const IssueCycles = z.object({ cycles: z.array(z.array(issueIdSchema)), notices })
export const IssueEpics = z.object({
  epics: z.array(
    z.object({
      epic: TrackedIssue,
      totalChildren: z.int(),
      closedChildren: z.int(),
      isEligibleForClose: z.boolean(),
    }),
  ),
  notices,
})
export const IssueLabels = z.object({ labels: z.array(z.object({ label: z.string(), count: z.int() })), notices })
/** A file of issues each. `dir`: the project's folder, which chooses it. `hostName`: of the machine that has it. */
export const IssueTrackers = z.object({
  trackers: z.array(z.object({ dir: z.string(), path: z.string(), hostName: MaybeText, prefix: z.string() })),
})
const imported = {
  created: z.array(issueIdSchema),
  updated: z.array(issueIdSchema),
  unchangedCount: z.int(),
  skipped: z.array(issueIdSchema),
  notices,
  isDryRun: z.boolean(),
}
export const IssueImport = z.object(imported)
export const IssueSync = z.object({
  ...imported,
  path: MaybeText,
  written: z.array(issueIdSchema),
  absent: z.array(issueIdSchema),
})
/** Built-in ones first. A category says how the tracker takes a status; `null` = as none of them. */
export const IssueStatusList = z.object({
  statuses: z.array(
    z.object({ name: z.string(), category: maybe(z.enum(STATUS_CATEGORIES)), isBuiltIn: z.boolean(), count: z.int() }),
  ),
  notices,
})
export const IssueStatuses = z.object({ notices })
export const ClaimedIssue = z.object({ issue: maybe(TrackedIssue), notices })
export const IssueDeletion = z.object({
  ids: z.array(issueIdSchema),
  dependents: z.array(issueIdSchema),
  isDone: z.boolean(),
  notices,
})
/** `reasons` is empty for an issue that is ready. */
export const IssueExplanation = z.object({
  id: issueIdSchema,
  isReady: z.boolean(),
  reasons: z.array(z.object({ kind: z.string(), text: z.string() })),
  notices,
})
export const IssueTree = z.object({
  nodes: z.array(
    z.object({
      id: issueIdSchema,
      title: z.string(),
      status: z.string(),
      priority: z.int(),
      issueType: z.string(),
      depth: z.int(),
      parentId: maybe(issueIdSchema),
      edge: MaybeText,
      isCut: z.boolean(),
      isMissing: z.boolean(),
    }),
  ),
  notices,
})
const fields = maybe(z.record(z.string(), z.unknown()))
export const IssueHistory = z.object({
  history: z.array(z.object({ at: Instant, by: z.string(), event: z.string(), old: fields, new: fields })),
  notices,
})
export const IssueComments = z.object({ comments: z.array(IssueComment), notices })
export const IssueCommented = z.object({ issue: TrackedIssue, comment: IssueComment, notices })
