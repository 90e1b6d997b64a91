import { AppError } from '../../../../domain/errors'
import { readTreeId } from '../../../../domain/overview/tree-id'
import { costs } from '../../../contract/operations/overview'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import { checkAgentCli } from '../../find/find-agent-cli'
import { catchUp, getSession } from '../../find/find-session'
import { getTask } from '../../find/find-task'
import { checkTimeZone } from '../../find/time-zone'
import { handle } from '../../handler'

export const sumCosts = handle(costs, async ({ query }, context) => {
  const { by, since, until, project, model, agent, sessionId, taskId, limit = DEFAULT_PAGE_LIMIT } = query
  if (since !== undefined && until !== undefined && Date.parse(until) <= Date.parse(since))
    throw new AppError('invalid', '`until` must be after `since`.', {
      hint: 'The sum covers messages from `since` up to but not including `until`.',
    })
  checkAgentCli(agent, context)
  await catchUp(null, context)
  return await context.store.costs.sum({
    by,
    timeZone: checkTimeZone(query.timeZone),
    limit,
    ...(since !== undefined && { since: Date.parse(since) }),
    ...(until !== undefined && { until: Date.parse(until) }),
    ...(project !== undefined && { project: projectOf(project) }),
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(sessionId !== undefined && { sessionId: (await getSession(sessionId, context)).id }),
    ...(taskId !== undefined && { taskId: (await getTask(taskId, context)).id }),
  })
})

/** An entry's id, or what a person types: its folder or name. */
function projectOf(given: string): string | null {
  const place = readTreeId(given)
  return place?.kind === 'project' ? place.key : given
}
