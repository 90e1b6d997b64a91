import { AppError } from '../../domain/errors'
import { type IssueId, issueId } from '../../domain/ids'
import { type FullIssue, ISSUE_LIMITS } from '../../domain/issue/issue'
import { UNSET_ISSUE_FIELDS } from '../../domain/issue/issue-fields'
import { isIssueId, nextChildId, parentIdOf } from '../../domain/issue/issue-id'
import { NEW_ISSUE_PRIORITY } from '../../domain/issue/issue-priority'
import { issueIdCandidates } from '../../domain/issue/new-issue-id'
import { randomBytes } from '../../util/crypto'
import {
  checkExtra,
  checkIssueFields,
  checkLabels,
  checkPriority,
  checkStatus,
  checkTitle,
  checkType,
} from './check-fields'
import { addEdge, newEdge } from './edges'
import type { CreateIssue } from './issue-inputs'
import { getIssue, type IssueUnit, recordChange, saveIssue } from './issue-unit'

/** The fields of a new issue that need no look at others. */
export function checkNewIssue(input: CreateIssue, statuses: readonly string[]): Omit<FullIssue, 'id'> {
  return {
    title: checkTitle(input.title),
    ...UNSET_ISSUE_FIELDS,
    ...checkIssueFields(input),
    status: checkStatus(input.status ?? 'open', statuses),
    priority: checkPriority(input.priority ?? NEW_ISSUE_PRIORITY),
    issueType: checkType(input.issueType ?? 'task'),
    sourceSystem: null,
    labels: checkLabels(input.labels ?? []),
    dependencies: [],
    comments: [],
    activeTaskSession: null,
    extra: checkExtra(input.extra ?? {}),
    createdAt: '',
    createdBy: null,
    updatedAt: '',
    startedAt: null,
    closedAt: null,
    closeReason: null,
    closedBySession: null,
  }
}

/** @param refs  ids that the input names, resolved */
export async function createIssue(
  unit: IssueUnit,
  input: CreateIssue,
  refs: { parentId: IssueId | null; dependencies: IssueId[]; blocks: IssueId[] },
): Promise<IssueId> {
  const fields = checkNewIssue(input, unit.statuses.names)
  const isDone = unit.statuses.isDone(fields.status)
  const parent = refs.parentId === null ? null : await getIssue(unit, refs.parentId)
  const issue: FullIssue = {
    ...fields,
    id: await freeId(unit, input, fields, refs.parentId),
    createdAt: unit.at,
    updatedAt: unit.at,
    createdBy: unit.actor,
    startedAt: fields.status === 'in_progress' ? unit.at : null,
    closedAt: isDone ? unit.at : null,
    closedBySession: isDone ? unit.sessionId : null,
  }
  const wanted = (input.dependencies ?? []).map((edge, at) => ({ ...edge, dependsOnId: refs.dependencies[at] ?? '' }))
  if (parent !== null && !wanted.some(({ dependsOnId }) => dependsOnId === parent.id))
    wanted.unshift({ dependsOnId: parent.id, type: 'parent-child' })
  for (const edge of wanted) issue.dependencies = [...issue.dependencies, await newEdge(unit, issue, edge)]
  await saveIssue(unit, undefined, issue)
  // Most new issues hang on nothing, and nothing waits for one that was not there.
  const hangs = issue.dependencies.length > 0 || parentIdOf(issue.id) !== null
  if (hangs || (await unit.issues.isAwaited(unit.key, issue.id))) await unit.issues.refreshBlocked(unit.key, [issue.id])
  for (const other of refs.blocks) await addEdge(unit, await getIssue(unit, other), { dependsOnId: issue.id })
  await recordChange(unit, issue, 'created', {}, 'issue.created')
  return issue.id
}

async function freeId(
  unit: IssueUnit,
  input: CreateIssue,
  fields: Pick<FullIssue, 'title' | 'description'>,
  parentId: IssueId | null,
): Promise<IssueId> {
  unit.asked.hasId = input.id !== undefined
  unit.asked.hasPrefix = input.prefix !== undefined && input.prefix !== unit.tracker.prefix
  const given = unit.newIds.shift()
  if (given !== undefined) return given
  if (input.id !== undefined) {
    if (!isIssueId(input.id))
      throw new AppError('invalid', `${JSON.stringify(input.id.slice(0, 100))} can't be an ID.`, {
        hint: 'Use letters, digits, -, _ and ., starting with a letter or digit.',
      })
    const taken = await unit.issues.taken(unit.key, [issueId(input.id)])
    if (taken.length > 0) throw new AppError('conflict', `The ID ${input.id} belongs to an existing or deleted issue.`)
    return issueId(input.id)
  }
  if (parentId !== null) {
    const child = nextChildId(parentId, await unit.issues.idsUnder(unit.key, `${parentId}.`))
    if (child !== null) return child
    throw new AppError(
      'invalid',
      `Issue ${parentId} is ${ISSUE_LIMITS.depth} levels deep, so it can't have children.`,
      {
        hint: 'Choose a parent further up, or create the issue without a parent.',
      },
    )
  }
  const prefix = input.prefix ?? unit.tracker.prefix
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,49}$/.test(prefix) || prefix.includes('..'))
    throw new AppError('invalid', `${JSON.stringify(prefix.slice(0, 60))} can't be the prefix of an ID.`)
  const seed = {
    ...fields,
    creator: unit.actor,
    nanos: BigInt(unit.now) * 1_000_000n + BigInt(randomBytes(4).readUInt32BE() % 1_000_000),
  }
  const candidates = issueIdCandidates(prefix, seed, await unit.issues.count(unit.key))
  for (let at = 0; at < candidates.length; at += 10) {
    const chunk = candidates.slice(at, at + 10)
    const taken = new Set(await unit.issues.taken(unit.key, chunk))
    const free = chunk.find((id) => !taken.has(id))
    if (free !== undefined) return free
  }
  throw new AppError('conflict', `No free ID is left with the prefix ${prefix}.`)
}
