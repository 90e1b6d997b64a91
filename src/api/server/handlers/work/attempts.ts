import { attemptId, taskOf } from '../../../../domain/ids'
import { WORK_COPY_LIMITS } from '../../../../domain/task/work-copy'
import { attempts } from '../../../contract/operations/attempts'
import { getAttempt } from '../../find/find-task'
import { handle } from '../../handler'
import { readRawBytes } from '../../request/read-body'

export const reportAttempt = handle(attempts.report, async ({ caller, params, body }, { services, watch }) => {
  const attempt = await services.tasks.report(caller, attemptId(params.id), body)
  if (body.log !== undefined) watch.logGrew(taskOf(attempt.id))
  return { attempt }
})

/**
 * Output is a record of what was done, not an act: it is kept after the attempt's end too, since a worker delivers what it kept
 * while the server was away.
 */
export const appendStream = handle(attempts.stream, async ({ params, query, request }, context) => {
  const { services, limits } = context
  const attempt = await getAttempt(params.id, context)
  const bytes = await readRawBytes(request, { maxBytes: limits.rawBodyBytes, timeoutMs: limits.bodyTimeoutMs })
  const { id, conversation, agentCli } = attempt
  return services.appendStream(id, query.offset, bytes, conversation?.sessionId ?? null, agentCli)
})

export const keepWorkCopy = handle(
  attempts.keepWorkCopy,
  async ({ caller, params, query, request }, { services, limits }) => {
    const bytes = await readRawBytes(request, { maxBytes: WORK_COPY_LIMITS.partBytes, timeoutMs: limits.bodyTimeoutMs })
    return {
      offset: await services.tasks.keepWorkCopy(caller, attemptId(params.id), { ...query, base64: bytes.toBase64() }),
    }
  },
)

export const askQuestion = handle(attempts.ask, async ({ caller, params, body }, { services }) => ({
  question: await services.tasks.ask(caller, attemptId(params.id), body),
}))
