import { machines } from '../../../contract/operations/access/machines'
import { handle } from '../../handler'

export const drainMachine = handle(machines.drain, async ({ caller, params }, { services }) => ({
  agent: await services.tasks.drainMachine(caller, params.name),
}))

export const resumeMachine = handle(machines.resume, async ({ caller, params }, { services }) => ({
  agent: await services.tasks.resumeMachine(caller, params.name),
}))

export const removeMachine = handle(machines.remove, async ({ caller, params, headers }, { services }) => {
  await services.tokens.removeMachine(caller, params.name)
  return new Response(null, { status: 204, headers })
})
