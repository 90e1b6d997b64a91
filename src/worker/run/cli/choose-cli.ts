import { isAppError } from '../../../domain/errors'
import type { HarnessRun } from '../../../domain/harness/harness-run'
import type { AgentName } from '../../../domain/ids'
import type { Assignment } from '../../../domain/task/worker-protocol'
import { asWorker } from '../../as-worker'
import type { RunContext } from '../run-context'
import type { AgentCli } from './agent-cli'

/** The agent CLI that has the conversation which goes on; `null` = there is none, or nobody has recorded it. */
export async function findHolder(
  { conversation: source, task }: Assignment,
  context: Pick<RunContext, 'client'>,
): Promise<AgentName | null> {
  if (source.kind === 'none') return null
  const known = await context
    .client()
    .sessions.get(source.sessionId)
    .catch((error: unknown) => {
      if (isAppError(error) && error.code === 'not_found') return null
      throw error
    })
  if (known !== null) return known.session.agent
  const { attempts } = await asWorker(context, (as) => as.tasks.get(task.id))
  return attempts.findLast(({ conversation }) => conversation?.sessionId === source.sessionId)?.agentCli ?? null
}

/** What the person asked for, by the server's choice; else a conversation goes on in the agent CLI that has it. */
export async function chooseHarness(
  { task, agentCli }: Assignment,
  holder: AgentName | null,
  { options }: Pick<RunContext, 'options'>,
): Promise<HarnessRun> {
  const agent = (task.agentClis.length > 0 ? agentCli : (holder ?? agentCli)) ?? holder ?? options.harness.agent
  return agent === options.harness.agent ? options.harness : await options.runOf(agent)
}

/** The task is none the worse for a CLI that is not here, or not now: a worker that has it takes it. */
export async function findProgram(
  harness: HarnessRun,
  { cliOf, cliLost }: Pick<RunContext, 'cliOf' | 'cliLost'>,
): Promise<AgentCli | { why: string }> {
  try {
    return await cliOf(harness).find()
  } catch (error) {
    if (!isAppError(error)) throw error
    await cliLost(harness.agent)
    return { why: error.message }
  }
}
