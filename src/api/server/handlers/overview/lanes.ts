import { readLanes } from '../../../../engine/overview/lanes'
import { lanes } from '../../../contract/operations/overview'
import { catchUp } from '../../find/find-session'
import { handle } from '../../handler'
import { needSettings } from '../../need-settings'

const DEFAULT_MINUTES = 60
const DEFAULT_LIMIT = 200

export const showLanes = handle(lanes, async ({ query }, context) => {
  await catchUp(null, context)
  const now = context.now()
  const { minutes = DEFAULT_MINUTES, limit = DEFAULT_LIMIT } = query
  return {
    now: new Date(now).toISOString(),
    ...(await readLanes(context.store, now, await needSettings(context), { minutes, limit })),
  }
})
