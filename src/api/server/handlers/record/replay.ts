import { sessions } from '../../../contract/operations/sessions'
import { getSession } from '../../find/find-session'
import { handle } from '../../handler'

export const sessionReplay = handle(sessions.replay, async ({ params }, context) => ({
  replay: await context.store.costs.replay((await getSession(params.id, context)).id),
}))
