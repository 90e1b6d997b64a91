import { AppError } from '../../domain/errors'
import type { IssueId } from '../../domain/ids'
import { ISSUE_LIMITS } from '../../domain/issue/issue'
import { mayHaveChildren, parentIdOf } from '../../domain/issue/issue-id'
import type { IssueLinkSource } from '../../domain/session/session-issue'
import type { Store } from '../../domain/store'
import type { Caller } from '../../domain/task/worker-protocol'
import type { Todo } from '../../domain/todo/todo-item'
import { createIssue } from '../issues/create-issue'
import type { CreateIssue, IssueScope } from '../issues/issue-inputs'
import { recordChange } from '../issues/issue-unit'
import type { Target, TrackerUnits } from '../issues/trackers/tracker-units'
import { tellSession } from './tell-session'
import type { Promoted } from './todo-inputs'

/** Makes an issue of a to-do, once: in one unit with the note that it was. As `TodoService.promote`. */
export async function promoteTodo(
  store: Store,
  units: TrackerUnits,
  linkFrom: readonly IssueLinkSource[],
  caller: Caller,
  scope: IssueScope,
  todo: Todo,
  input: { parent?: string | undefined },
): Promise<Promoted> {
  const before = await store.write((tx) => tx.todos.promotion(todo.id))
  if (before !== undefined) return promoted(before.tracker, before.issueId, null, false, [])
  if (todo.status === 'completed')
    throw new AppError('conflict', `To-do ${todo.id} is completed: nothing is left to do.`, {
      hint: 'Create an issue instead: lode issue create.',
    })
  const { target, parentId } = await placeFor(store, units, linkFrom, caller, scope, todo, input.parent)
  const fields = issueOf(todo)
  let existing: IssueId | null = null
  const { tracker, ids, notices } = await units.change(caller, scope, target, async (unit) => {
    const { todos } = unit.tx
    const raced = await todos.promotion(todo.id)
    existing = raced?.issueId ?? null
    if (raced !== undefined) return [raced.issueId]
    const id = await createIssue(unit, fields, { parentId, dependencies: [], blocks: [] })
    const issue = await unit.issues.find(unit.key, id)
    if (issue === undefined) throw new Error('The new issue was not found.')
    await todos.promote(todo.id, todo.sessionId, issue.key)
    await recordChange(unit, issue, 'promoted', { new: { todoId: todo.id, sessionId: todo.sessionId } })
    await tellSession(unit.tx, todo.sessionId, { what: 'promoted', todoId: todo.id, issueId: id })
    return [id]
  })
  const [id] = ids
  if (id === undefined) throw new Error('The promotion has no issue.')
  return promoted(tracker, id, parentId, existing === null, notices)
}

const promoted = (
  tracker: Promoted['tracker'],
  issueId: IssueId,
  parentId: IssueId | null,
  isNew: boolean,
  notices: string[],
): Promoted => ({ tracker, issueId, parentId, isNew, notices })

/** Below the named issue, else below the one that the session works on, else beside all others of its project. */
async function placeFor(
  store: Store,
  units: TrackerUnits,
  linkFrom: readonly IssueLinkSource[],
  caller: Caller,
  scope: IssueScope,
  todo: Todo,
  parent: string | undefined,
): Promise<{ target: Target; parentId: IssueId | null }> {
  if (parent !== undefined) {
    const target = await units.targetOf(caller, scope)
    return { target, parentId: await units.resolve(target.tracker, parent) }
  }
  for (const { tracker, issueId } of await store.links.ofSession(todo.sessionId, linkFrom)) {
    const [issue] = (await store.issues.find(tracker, issueId)).filter(
      ({ isDeleted, closedAt }) => !isDeleted && !closedAt,
    )
    if (issue === undefined) continue
    return { target: { place: await units.placeOfKey(tracker), tracker }, parentId: highestParent(issue.id) }
  }
  const session = await store.sessions.find(todo.sessionId)
  const dir = scope.dir ?? session?.project ?? session?.cwd ?? undefined
  return { target: await units.targetOf(caller, { ...scope, dir }), parentId: null }
}

/** Issues are nested only so deep: a child of the deepest becomes its sibling. */
function highestParent(id: IssueId): IssueId | null {
  for (let parent: IssueId | null = id; parent !== null; parent = parentIdOf(parent))
    if (mayHaveChildren(parent)) return parent
  return null
}

/** A to-do as an issue: its words in one line, and whence it came. */
function issueOf({ id, sessionId, subagentId, content, description }: Todo): CreateIssue {
  const line = content.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim() || `To-do ${id}`
  const isCut = line.length > ISSUE_LIMITS.title
  const title = isCut ? `${[...line].slice(0, ISSUE_LIMITS.title / 2 - 1).join('')}…` : line
  const by = subagentId === null ? '' : `, sub-agent ${subagentId}`
  const parts = [isCut ? content : '', description ?? '', `From to-do ${id} of session ${sessionId}${by}.`]
  return { title, description: parts.filter((part) => part !== '').join('\n\n') }
}
