import type { Budget } from '../../../../domain/budget/budget'
import { AppError } from '../../../../domain/errors'
import { readTreeId } from '../../../../domain/overview/tree-id'
import { countBudgets } from '../../../../engine/budgets/count'
import { budgets } from '../../../contract/operations/overview'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { getTask } from '../../find/find-task'
import { handle } from '../../handler'

export const listBudgets = handle(budgets.list, async (_call, { store, services }) => {
  const now = Date.now()
  return {
    budgets: await store.budgets.all(now, await countBudgets(store, now)),
    usageLimits: await store.budgets.usageLimits(now),
    usageWindows: await services.usageWindows(),
  }
})

export const putBudget = handle(budgets.put, async ({ caller, params: { name }, body }, context) => {
  const { project, taskId, ...rest } = body
  checkAgentCli(rest.agentCli ?? undefined, context)
  await context.services.budgets.put(caller, {
    name,
    ...rest,
    ...(project !== undefined && { project: project === null ? null : await projectKey(project, context) }),
    ...(taskId !== undefined && { taskId: taskId === null ? null : (await getTask(taskId, context)).id }),
  })
  return { budget: await counted(name, context) }
})

export const allowMore = handle(budgets.allow, async ({ caller, params: { name }, body: { more } }, context) => {
  await context.services.budgets.allow(caller, name, more)
  return { budget: await counted(name, context) }
})

export const removeBudget = handle(budgets.remove, async ({ caller, params, headers }, { services }) => {
  await services.budgets.remove(caller, params.name)
  return new Response(null, { status: 204, headers })
})

/** Counted now, so that nothing begins that it would hold. */
async function counted(name: string, { store, services }: Context): Promise<Budget> {
  const now = Date.now()
  await services.budgets.takeCounts(await countBudgets(store, now))
  const found = (await store.budgets.all(now, [])).find((one) => one.name === name)
  if (found === undefined) throw new Error(`The budget ${name} was removed at the same time.`)
  return found
}

/** @throws `not_found` */
async function projectKey(given: string, { store }: Context): Promise<string> {
  const place = readTreeId(given)
  const key = await store.budgets.projectKey(place?.kind === 'project' && place.key !== null ? place.key : given)
  if (key !== undefined) return key
  throw new AppError('not_found', `There is no project ${JSON.stringify(given)}.`, {
    hint: "Run `lode cost list --by project`. Give a project's folder, name or ID.",
  })
}
