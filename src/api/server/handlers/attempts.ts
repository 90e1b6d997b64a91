import { AppError } from '../../../domain/errors'
import { type AttemptId, attemptId } from '../../../domain/ids'
import type { Caller } from '../../../domain/worker-protocol'
import type { Context } from '../context'
import { getAttempt, taskOf } from '../find-task'
import type { Handler } from '../handler'
import { readRawBytes } from '../read-body'

export const reportAttempt: Handler<'attempts.report'> = async ({ caller, params, body }, { services, watch }) => {
  const attempt = await services.tasks.report(caller, attemptId(params.id), body)
  if (body.log !== undefined) watch.logGrew(taskOf(attempt.id))
  return { attempt }
}

/**
 * Output is a record of what was done, not an act: it is kept after the attempt's end too, since a worker delivers what it kept
 * while the server was away.
 */
export const appendStream: Handler<'attempts.stream'> = async ({ caller, params, query, request }, context) => {
  const { services, limits } = context
  const bytes = await readRawBytes(request, { maxBytes: limits.rawBodyBytes, timeoutMs: limits.bodyTimeoutMs })
  return services.appendStream(await ownAttempt(caller, params.id, context), query.offset, bytes)
}

async function ownAttempt(caller: Caller, given: string, context: Context): Promise<AttemptId> {
  if (caller.kind === 'attempt') {
    if (caller.attemptId !== given) throw new AppError('forbidden', `this token is not for attempt ${given}`)
    return caller.attemptId
  }
  const { id, agentId } = await getAttempt(given, context)
  if (caller.kind === 'agent' && caller.agentId !== agentId)
    throw new AppError('forbidden', `attempt ${id} is not this agent's`)
  return id
}

export const askQuestion: Handler<'attempts.ask'> = async ({ caller, params, body }, { services }) => ({
  question: await services.tasks.ask(caller, attemptId(params.id), body),
})
