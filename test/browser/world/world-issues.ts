/** A tracker with an epic, dependencies, and issues that tasks and sessions work on. */
import type { IssueId, TaskId } from '../../../src/domain/ids'
import type { Ground } from './world-ground'

export interface WorldIssues {
  epic: IssueId
  /** Below the epic, free to be taken. */
  ready: IssueId
  /** Below the epic; waits for `ready`. */
  blocked: IssueId
  /** Waits for `blocked`, so for two. */
  last: IssueId
  /** Somebody's, with a comment. */
  claimed: IssueId
  closed: IssueId
  /** Handed to `task`, which nobody may take. */
  dispatched: IssueId
  task: TaskId
}

export async function makeIssues({ client, claude }: Ground): Promise<WorldIssues> {
  const scope = { dir: claude.project, actor: 'ann' }
  const create = async (title: string, more: Omit<Parameters<typeof client.issues.create>[0], 'title' | 'dir'> = {}) =>
    (await client.issues.create({ ...scope, title, ...more })).issue.id
  const epic = await create('A quay for larger ships', { issueType: 'epic', priority: 1 })
  const ready = await create('Sound the depths in the south', {
    parentId: epic,
    priority: 0,
    labels: ['survey', 'south'],
    description: 'The chart is from **1911**.\n\n- [ ] rock\n- [ ] wrecks',
    acceptanceCriteria: 'Each 10 m one sounding.',
  })
  const blocked = await create('Drive the piles', { parentId: epic, dependencies: [{ dependsOnId: ready }] })
  const last = await create('Lay the planks', { parentId: epic, dependencies: [{ dependsOnId: blocked }] })
  const claimed = await create('The lamp flickers at dusk', { issueType: 'bug', labels: ['light'] })
  await client.issues.claim(claimed, scope)
  await client.issues.comment(claimed, { ...scope, text: 'Only when it is *damp*.' })
  const closed = await create('Order rope', { issueType: 'chore', priority: 3 })
  await client.issues.close(closed, { ...scope, reason: 'it came with the last ship' })
  const dispatched = await create('Paint the bollards', { dependencies: [{ dependsOnId: claimed, type: 'related' }] })
  // An agent that never comes, so that its task stays where it is.
  await client.agents.describe('painter', { description: 'Paints, when he comes.' })
  const { tasks } = await client.issues.dispatch(dispatched, { ...scope, agentId: 'painter' })
  const task = tasks[0]?.taskId
  if (!task) throw new Error('nothing was dispatched')
  return { epic, ready, blocked, last, claimed, closed, dispatched, task }
}
