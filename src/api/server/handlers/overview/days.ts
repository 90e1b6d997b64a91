import { MOST_DAY_MS } from '../../../../domain/day/day'
import { AppError } from '../../../../domain/errors'
import { readTreeId } from '../../../../domain/overview/tree-id'
import { HOUR_MS } from '../../../../domain/time-units'
import { days } from '../../../contract/operations/days'
import type { Inputs } from '../../../contract/operations/index'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { catchUp } from '../../find/find-session'
import { handle } from '../../handler'

const DEFAULT_SESSIONS = 40

export const showDay = handle(days.show, async ({ query }, context) =>
  context.store.days.lanes(await scopeOf(query, context)),
)

export const showMoment = handle(days.moment, async ({ query }, context) => {
  const scope = await scopeOf(query, context)
  const at = Date.parse(query.at)
  if (at < scope.from || at >= scope.to)
    throw new AppError('invalid', '`at` must lie within the day.', {
      hint: 'It begins at `since` and ends before `until`.',
    })
  const asking = [...(await context.services.agentLines.askingTools(null))]
  return await context.store.days.moment(scope, { at, limit: query.limit ?? DEFAULT_SESSIONS, asking })
})

/** Waits until what was written is recorded. */
async function scopeOf({ since, until, project, agent }: Inputs['days']['show'], context: Context) {
  const [from, to] = [Date.parse(since), Date.parse(until)]
  if (to <= from) throw new AppError('invalid', '`until` must be after `since`.')
  if (to - from > MOST_DAY_MS)
    throw new AppError('invalid', `A day has at most ${MOST_DAY_MS / HOUR_MS} hours.`, {
      hint: 'Ask for one day at a time.',
    })
  checkAgentCli(agent, context)
  await catchUp(null, context)
  return {
    from,
    to,
    ...(project !== undefined && { project: projectOf(project) }),
    ...(agent !== undefined && { agent }),
  }
}

/** An entry's id, or what a person types: its folder or name. */
function projectOf(given: string): string | null {
  const place = readTreeId(given)
  return place?.kind === 'project' ? place.key : given
}
