import { READ_TASK_SESSION } from '../../../../domain/access/rules'
import type { SessionId } from '../../../../domain/ids'
import { issueId, sessionId } from '../../../../domain/ids'
import { chooseCli } from '../../../../domain/task/agent-choice'
import type { Task } from '../../../../domain/task/task'
import type { TaskFilter } from '../../../../domain/task/task-store'
import { hasAccess } from '../../../../engine/access/require-access'
import { tasks } from '../../../contract/operations/tasks'
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../../../contract/protocol'
import { askingOf, requireFor } from '../../callers/authorize'
import { kinOnly } from '../../callers/kin-only'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { catchUp } from '../../find/find-session'
import { filterTaskId, getAgentId, getTask, settle } from '../../find/find-task'
import { type Call, handle } from '../../handler'
import { presentSession } from '../../present-session'
import { idempotencyKey } from '../../request/idempotency-key'
import { withProjectAgent } from './project-agents'

export const createTask = handle(
  tasks.create,
  async ({ caller, body, request }, context) =>
    await context.services.tasks.create(caller, await withProjectAgent(body, caller, context), idempotencyKey(request)),
)

export const listTasks = handle(tasks.list, async ({ caller, query }, context) => {
  await settle(context)
  const { limit = DEFAULT_PAGE_LIMIT, cursor, order, textLimit } = query
  checkAgentCli(query.agent, context)
  const request = { limit, ...(cursor !== undefined && { cursor }) }
  const filter = { ...(await filterOf(query, context)), ...kinOnly(caller) }
  const page = await context.store.tasks.list(filter, request, order, textLimit)
  return { tasks: page.rows, nextCursor: page.nextCursor }
})

async function filterOf(query: Call<typeof tasks.list>['query'], context: Context): Promise<TaskFilter> {
  const { status, agentId, parentTaskId, epicId, issueId: issue, sessionId: session, ...rest } = query
  const { limit: _limit, cursor: _cursor, order: _order, textLimit: _texts, ...texts } = rest
  return {
    ...texts,
    ...(status !== undefined && { statuses: status }),
    ...(agentId !== undefined && { agentId: await getAgentId(agentId, context) }),
    ...(parentTaskId !== undefined && { parentTaskId: await filterTaskId(parentTaskId, context) }),
    ...(epicId !== undefined && { epicId: issueId(epicId) }),
    ...(issue !== undefined && { issueId: issueId(issue) }),
    ...(session !== undefined && { sessionId: sessionId(await context.store.messages.addressOf(session)) }),
  }
}

export const showTask = handle(tasks.get, async ({ caller, params }, context) => {
  await settle(context)
  const task = await getTask(params.id, context)
  await requireFor(tasks.get, caller, task.id, context)
  const isClose = await hasAccess(askingOf(caller, context.store), READ_TASK_SESSION, task.id)
  const { tasks: reads } = context.store
  const [behind, lacksCli, attempts, children, questions, dependencies, conversation] = await Promise.all([
    isOpen(task) ? context.services.tasks.behind(caller, task.id) : null,
    lacksNeeded(task, context),
    reads.attempts(task.id),
    reads.children(task.id),
    isClose ? reads.questions({ taskId: task.id }, { limit: MAX_PAGE_LIMIT }) : { rows: [] },
    dependenciesOf(task, context),
    isClose ? conversationOf(task, context) : NO_CONVERSATION,
  ])
  return { task, behind, lacksCli, attempts, children, questions: questions.rows, dependencies, ...conversation }
})

export const costsOfTasks = handle(tasks.costs, async ({ query }, context) => {
  await catchUp(null, context)
  const costs = await context.store.costs.ofTasks(query.id)
  return { costs: [...costs].map(([taskId, cost]) => ({ taskId, ...cost })) }
})

const isOpen = ({ status }: Pick<Task, 'status'>): boolean =>
  status === 'unassigned' || status === 'pending' || status === 'offered'

/** Whether a task that waits to be taken waits for an agent CLI that nobody online has. */
async function lacksNeeded({ status, neededClis }: Task, { store, now }: Context): Promise<boolean> {
  if (!isOpen({ status }) || neededClis.length === 0) return false
  const online = (await store.tasks.agents()).filter((agent) => agent.status === 'online' && agent.kind === 'worker')
  // A limit passes.
  return online.every(
    ({ clis }) => chooseCli(neededClis, { clis, cliLimits: {}, fallsOver: false }, now()) === undefined,
  )
}

function dependenciesOf(task: Task, { store }: Context) {
  return Promise.all(
    task.dependsOn.map(async (id) => {
      const found = await store.tasks.find(id)
      return { id, status: found?.status ?? null, title: found?.title ?? null }
    }),
  )
}

const NO_CONVERSATION = { session: null, todos: [], recorded: null }

/** Its newest conversation, and the usage of all of them. A task that never ran has none. */
async function conversationOf(task: Task, context: Context) {
  const id: SessionId | null = task.claudeSessionId
  if (id === null) return NO_CONVERSATION
  await catchUp(id, context)
  const { store } = context
  const [stored, todos, costs] = await Promise.all([
    store.sessions.find(id),
    store.todos.list({ sessionId: id }),
    store.costs.ofTasks([task.id]),
  ])
  return {
    session: stored === undefined ? null : await presentSession(stored, context),
    todos,
    recorded: costs.get(task.id) ?? null,
  }
}

export const taskTree = handle(tasks.tree, async ({ caller, params, query }, context) => {
  await settle(context)
  const { id } = await getTask(params.id, context)
  await requireFor(tasks.tree, caller, id, context)
  const found = await context.store.tasks.tree(id, query.textLimit)
  // Tasks are never removed: it was there a moment ago.
  if (found === undefined) throw new Error(`Task ${id} was not found.`)
  return { tree: found.root, isCut: found.isCut }
})

export const patchTask = handle(tasks.patch, async ({ caller, params, body }, { services }) => ({
  task: await services.tasks.patch(caller, params.id, body),
}))
