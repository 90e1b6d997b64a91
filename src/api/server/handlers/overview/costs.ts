import { MOST_COST_PERIODS, STEP_MS } from '../../../../domain/cost/periods'
import { AppError } from '../../../../domain/errors'
import { readTreeId } from '../../../../domain/overview/tree-id'
import type { Inputs } from '../../../contract/operations/index'
import { costs, costsOverTime } from '../../../contract/operations/overview'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { catchUp, getSession } from '../../find/find-session'
import { getTask } from '../../find/find-task'
import { checkTimeZone } from '../../find/time-zone'
import { handle } from '../../handler'

export const sumCosts = handle(costs, async ({ query }, context) => {
  const { by, since, until, limit = DEFAULT_PAGE_LIMIT } = query
  checkOrder(since, until)
  return await context.store.costs.sum({
    ...(await filtersOf(query, context)),
    ...{ by, limit },
    ...(since !== undefined && { since: Date.parse(since) }),
  })
})

export const sumCostsOverTime = handle(costsOverTime, async ({ query }, context) => {
  const { step, stack, until } = query
  checkOrder(query.since, until)
  const since = Date.parse(query.since)
  const spanMs = (until === undefined ? context.now() : Date.parse(until)) - since
  if (spanMs / STEP_MS[step] > MOST_COST_PERIODS)
    throw new AppError('invalid', `The time has more than ${MOST_COST_PERIODS.toLocaleString('en')} periods.`, {
      hint: 'Choose a later beginning or longer periods.',
    })
  return await context.store.costs.overTime({ ...(await filtersOf(query, context)), step, stack, since })
})

function checkOrder(since: string | undefined, until: string | undefined): void {
  if (since !== undefined && until !== undefined && Date.parse(until) <= Date.parse(since))
    throw new AppError('invalid', '`until` must be after `since`.', {
      hint: 'The sum covers messages from `since` up to but not including `until`.',
    })
}

/** What both take. Waits until what was written is recorded. */
async function filtersOf(
  query: Pick<Inputs['costs'], 'until' | 'project' | 'model' | 'agent' | 'sessionId' | 'taskId' | 'timeZone'>,
  context: Context,
) {
  const { until, project, model, agent, sessionId, taskId } = query
  checkAgentCli(agent, context)
  await catchUp(null, context)
  return {
    timeZone: checkTimeZone(query.timeZone),
    ...(until !== undefined && { until: Date.parse(until) }),
    ...(project !== undefined && { project: projectOf(project) }),
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(sessionId !== undefined && { sessionId: (await getSession(sessionId, context)).id }),
    ...(taskId !== undefined && { taskId: (await getTask(taskId, context)).id }),
  }
}

/** An entry's id, or what a person types: its folder or name. */
function projectOf(given: string): string | null {
  const place = readTreeId(given)
  return place?.kind === 'project' ? place.key : given
}
