import { settle } from '../find-task'
import type { Handler } from '../handler'

export const showFleet: Handler<'fleet'> = async ({ query }, context) => {
  await settle(context)
  const now = context.now()
  return { now: new Date(now).toISOString(), ...(await context.store.fleet.show(now, query.textLimit)) }
}
