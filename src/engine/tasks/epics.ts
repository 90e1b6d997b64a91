import { AppError } from '../../domain/errors'
import type { IssueId } from '../../domain/ids'
import type { Issue } from '../../domain/task/task'
import { TASK_LIMITS, TASK_RANGES } from '../../domain/task/task-limits'
import { newIssueId } from '../unit/secrets'
import { nameOf, type Unit } from '../unit/unit'
import { checkText, checkWhole } from './check-fields'
import type { CreateEpic } from './task-inputs'

/** @throws `invalid` `too_large` */
export function checkEpic(input: CreateEpic): Required<CreateEpic> & { description: string; priority: number } {
  const title = checkText('title', input.title, TASK_LIMITS.title)
  if (title.trim() === '') throw new AppError('invalid', 'The title is empty.')
  const description = checkText('description', input.description ?? '', TASK_LIMITS.text)
  return { title, description, priority: checkWhole('priority', input.priority ?? 2, TASK_RANGES.epicPriority) }
}

export async function createEpic(unit: Unit, epic: ReturnType<typeof checkEpic>): Promise<Issue> {
  const at = new Date(unit.now).toISOString()
  const issue: Issue = {
    id: await freeIssueId(unit),
    type: 'epic',
    title: epic.title,
    description: epic.description,
    status: 'open',
    priority: epic.priority,
    parentId: null,
    createdAt: at,
    updatedAt: at,
  }
  await unit.tasks.insertIssue(issue)
  await unit.feed('issue.created', { issueId: issue.id, type: 'epic', title: issue.title, by: nameOf(unit.caller) })
  return issue
}

/** As short as there is room for. */
async function freeIssueId(unit: Unit): Promise<IssueId> {
  for (let length = 4; ; length++)
    for (let turn = 0; turn < 3; turn++) {
      const id = newIssueId(length, unit.random)
      if ((await unit.tasks.issue(id)) === undefined) return id
    }
}
