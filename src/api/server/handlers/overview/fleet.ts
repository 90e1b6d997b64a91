import { fleet } from '../../../contract/operations/overview'
import { settle } from '../../find/find-task'
import { handle } from '../../handler'

export const showFleet = handle(fleet, async ({ query }, context) => {
  await settle(context)
  const now = context.now()
  return { now: new Date(now).toISOString(), ...(await context.store.fleet.show(now, query.textLimit)) }
})
