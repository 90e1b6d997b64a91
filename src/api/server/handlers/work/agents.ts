import { type AgentId, agentId } from '../../../../domain/ids'
import { LIVE_TASK_STATUSES } from '../../../../domain/task/task'
import type { Caller, PollAnswer, PollInput } from '../../../../domain/task/worker-protocol'
import { agents } from '../../../contract/operations/agents'
import { MAX_PAGE_LIMIT } from '../../../contract/protocol'
import { kinOnly } from '../../callers/kin-only'
import type { Context } from '../../context'
import { noAgent, settle } from '../../find/find-task'
import { handle } from '../../handler'
import { folderOf } from './project-agents'

export const listAgents = handle(agents.list, async ({ caller, query }, context) => {
  await settle(context)
  const folder = await folderOf(query, caller, context)
  const files = folder === null ? [] : await context.services.agentFiles(folder)
  return {
    agents: await context.store.tasks.agents(),
    files: files.map(({ agent: { instructions: _, ...file } }) => file),
  }
})

export const describeAgent = handle(agents.describe, async ({ caller, params, body }, { services }) => ({
  agent: await services.tasks.describeAgent(caller, params.id, body),
}))

export const showAgent = handle(agents.get, async ({ caller, params }, context) => {
  await settle(context)
  const { tasks, registry } = context.store
  const agent = await tasks.findAgent(params.id)
  if (agent === undefined) throw await noAgent(params.id, tasks)
  const live = await tasks.list(
    { agentId: agent.id, statuses: [...LIVE_TASK_STATUSES], ...kinOnly(caller) },
    { limit: MAX_PAGE_LIMIT },
  )
  const [instructions, sessions] = await Promise.all([
    tasks.instructions(agent.id),
    caller.kind === 'attempt' ? [] : registry.sessionsOf(agent.id),
  ])
  return { agent, tasks: live.rows, instructions, sessions }
})

export const joinAgent = handle(
  agents.join,
  async ({ caller, body }, { services }) => await services.tasks.join(caller, body),
)

export const pollAgent = handle(agents.poll, async ({ caller, params, body, request }, context) => {
  const id = agentId(params.id)
  return body.waitMs === 0
    ? await context.services.tasks.poll(caller, id, body)
    : await waitForWork(caller, id, body, request, context)
})

/** How long a poll waits that can't hear of anything. */
const DEAF_MS = 500

/** Answers at once when there is something to say, else as soon as something was committed that changes that. */
async function waitForWork(
  caller: Caller,
  id: AgentId,
  input: PollInput,
  request: Request,
  context: Context,
): Promise<PollAnswer> {
  const { services, watch, seats } = context
  const leave = seats.take(caller)
  const until = performance.now() + input.waitMs
  const attempts = input.attempts.map((attempt) => attempt.id)
  const waiter = watch.join({ agentId: id, attempts, canClaim: input.capacity > 0 })
  try {
    // Listening begins before the first look, so that nothing falls between. Leases are renewed whether it works or not.
    const isListening = await waiter.ready().then(
      () => true,
      () => false,
    )
    let answer = await services.tasks.poll(caller, id, input)
    while (isEmpty(answer)) {
      const remaining = until - performance.now()
      const woken = await waiter.next(isListening ? remaining : Math.min(remaining, DEAF_MS), request.signal)
      if (woken === 'timeout' || woken === 'ended') return answer
      const isWanted = await hasWork(request, input, context)
      // Nothing is taken for one who left. What was on its way then is given again with its next poll.
      if (request.signal.aborted) return answer
      if (isWanted) answer = await services.tasks.poll(caller, id, input)
    }
    return answer
  } finally {
    waiter.leave()
    leave()
  }
}

/** A look that writes nothing. Without the agent's row (an operator polls for it) only a poll tells. */
async function hasWork(request: Request, input: PollInput, { store, who, now }: Context): Promise<boolean> {
  const agent = await who.refresh(request)
  if (agent === null) return true
  const attempts = input.attempts.map(({ id }) => id)
  return store.tasks.hasWork(
    agent,
    attempts,
    input.capacity > 0 && agent.drainingSince === null,
    now(),
    input.isAssignedOnly,
  )
}

const isEmpty = ({ assignments, commands, lost }: PollAnswer) =>
  assignments.length === 0 && commands.length === 0 && lost.length === 0
