import { AppError } from '../../domain/errors'
import type { AgentId } from '../../domain/ids'
import { exceedsMode, raiseCeilingHint } from '../../domain/permission-mode'
import { LEAD_TASK_TYPE } from '../../domain/task'
import type { AgentRow, AttemptRow, TaskRow } from '../../domain/task-store'
import type { JoinInput } from '../../domain/worker-protocol'
import { AWAY_AFTER_MS } from './agent-presence'
import { getAgent } from './find-task'
import { hashOf } from './secrets'
import type { TaskParts, Unit } from './unit'

/**
 * Who may do what to a task. An operator everything; a lead everything that directs work; a worker what concerns its own tasks and
 * those that it made; a run what concerns its own task and those that it made.
 */

/** `lease_lost`: a later attempt holds the task, or it was taken from this one. */
export const leaseLost = (what: string): AppError =>
  new AppError('lease_lost', `${what}; nothing was changed`, { hint: 'Stop working on it.' })

const forbidden = (message: string): AppError => new AppError('forbidden', message)

/** The agent that the caller is, or speaks for. @throws `not_found` when it is not registered any more */
export async function callingAgent(unit: Unit): Promise<AgentRow | undefined> {
  const { caller } = unit
  if (caller.kind === 'agent' || caller.kind === 'attempt') return await getAgent(unit, caller.agentId)
  return undefined
}

/**
 * Cancel, pause, patch and so on: who directs work, or made this task.
 * @throws `forbidden` · `lease_lost` a run that is over directs nothing any more
 */
export async function mayDirect(unit: Unit, task: TaskRow): Promise<void> {
  const { caller } = unit
  if (caller.kind === 'operator' || caller.kind === 'system') return
  if (caller.kind === 'agent' && caller.agentKind === 'lead') return
  if (caller.kind === 'agent') {
    const agent = await callingAgent(unit)
    if (agent !== undefined && task.creatorAgentKey === agent.key) return
    throw forbidden(`a worker may do this only to tasks that it made, and ${task.id} is none`)
  }
  if (task.id !== caller.taskId && (await isLead(unit))) return
  if (!(await isSpawnedBy(unit, task)))
    throw forbidden(`a run may do this only to tasks that it made, and ${task.id} is none`)
  const attempt = await unit.tasks.attempt(caller.attemptId)
  if (attempt === undefined || attempt.endedAt !== null) throw leaseLost(`attempt ${caller.attemptId} is over`)
}

/**
 * Whether the caller leads: an agent by a lead's token, or a run of a task that an operator made to lead (`LEAD_TASK_TYPE`).
 * @throws `lease_lost` the run is over
 */
export async function isLead(unit: Unit): Promise<boolean> {
  const { caller } = unit
  if (caller.kind !== 'attempt') return caller.kind === 'agent' && caller.agentKind === 'lead'
  if ((await unit.tasks.task(caller.taskId))?.taskType !== LEAD_TASK_TYPE) return false
  const attempt = await unit.tasks.attempt(caller.attemptId)
  if (attempt === undefined || attempt.endedAt !== null) throw leaseLost(`attempt ${caller.attemptId} is over`)
  return true
}

/** Only an operator makes a task that leads: its runs get a lead's rights by their token. @throws `forbidden` */
export function mayMakeLead(unit: Unit, taskType: string | null): void {
  if (taskType !== LEAD_TASK_TYPE || unit.caller.kind === 'operator' || unit.caller.kind === 'system') return
  throw forbidden('only an operator makes a task that leads')
}

/**
 * Only an operator says with which permissions a task's runs work: nobody may give others more than it has itself.
 * @param given  `undefined` = nothing was said
 * @throws `forbidden`
 */
export function mayChoosePermissions(unit: Unit, given: string | null | undefined): void {
  if (given === undefined || unit.caller.kind === 'operator' || unit.caller.kind === 'system') return
  throw new AppError('forbidden', 'only an operator chooses the permission mode of a task', {
    hint: 'Leave out permissionMode: the task then asks for what its worker does not allow.',
    details: { field: 'permissionMode' },
  })
}

/**
 * Says at once what every worker that could take the task would say before it starts it. Where no worker is there, or one does not tell
 * its ceiling, the task is made, and the worker says it.
 * @param named  the one worker that may take it
 * @throws `conflict` the mode is above the ceiling of all that are there
 */
export async function checkCeiling(unit: Unit, mode: string | null, named: AgentRow | undefined): Promise<void> {
  if (mode === null) return
  const workers = named === undefined ? await unit.tasks.workersHeard(unit.now - AWAY_AFTER_MS) : [named]
  const [first] = workers
  const isTaken = ({ maxPermissionMode: most }: AgentRow) => most === null || !exceedsMode(mode, most)
  if (first === undefined || workers.some(isTaken)) return
  const who =
    workers.length === 1 ? `the worker ${first.name} takes` : `the ${workers.length} workers that are there take`
  const most = [...new Set(workers.map((worker) => worker.maxPermissionMode))].join(', ')
  throw new AppError(
    'conflict',
    `${who} no task with the permission mode ${mode}: worker.maxPermissionMode is ${most}`,
    {
      hint: raiseCeilingHint(mode),
      details: { field: 'permissionMode', maxPermissionMode: most },
    },
  )
}

/**
 * Nobody is taken for a machine that is known as another's: what a worker sends and reads goes by the machine that it joined from.
 *
 * A machine proves itself by the key that its first worker showed; the server's own by the key in the server's folder. Workers of one
 * folder share it. Where nobody showed a key, an operator says who is where.
 *
 * @param own  the server's machine
 * @throws `forbidden`
 */
export async function mayBeHost(
  unit: Unit,
  known: AgentRow | undefined,
  input: Pick<JoinInput, 'name' | 'hostName' | 'hostKey'>,
  own: ReturnType<TaskParts['followedRoots']>,
): Promise<void> {
  const { hostName, hostKey } = input
  const isOperator = unit.caller.kind === 'operator' || unit.caller.kind === 'system'
  const isBound = known !== undefined && known.hostName !== null
  if (isBound && known.hostName !== hostName && !isOperator)
    throw new AppError('forbidden', `${input.name} joined from another machine before`, {
      hint: "An operator may let it move: join with the operator's token once.",
    })
  const shown = hostKey === undefined ? null : Buffer.from(hashOf(hostKey))
  const keys = (await unit.tasks.agentsOfHost(hostName)).flatMap(({ hostKeyHash }) => hostKeyHash ?? [])
  if (own.hostName === hostName && own.hostKey !== undefined) keys.push(hashOf(own.hostKey))
  if (keys.some((key) => shown?.equals(key) !== true))
    throw new AppError(
      'forbidden',
      `${input.name} does not prove that it is on the machine ${hostName.slice(0, 100)}`,
      {
        hint: "Its folder of Lodeline is a copy of another machine's, or lost its key: remove host-id and host-key there, and start it again.",
      },
    )
  if (keys.length === 0 && !isOperator && !isBound)
    throw new AppError('forbidden', 'only an operator says on which machine an agent is')
}

/** Whether the calling run's task made it: as a child, or out of its conversation. */
async function isSpawnedBy(unit: Unit, task: TaskRow): Promise<boolean> {
  const { caller } = unit
  if (caller.kind !== 'attempt' || task.id === caller.taskId) return false
  const agent = await callingAgent(unit)
  if (agent === undefined || task.creatorAgentKey !== agent.key) return false
  if (task.parentTaskId === caller.taskId) return true
  const own = await unit.tasks.task(caller.taskId)
  return own?.lastSessionId != null && task.spawnedSessionId === own.lastSessionId
}

/** Leads and operators alone. @throws `forbidden` */
export function mayLead(unit: Unit, what: string): void {
  const { caller } = unit
  if (caller.kind === 'operator' || caller.kind === 'system') return
  if (caller.kind === 'agent' && caller.agentKind === 'lead') return
  throw forbidden(`only an operator or a lead may ${what}`)
}

/**
 * Progress, finish and the like of a task in progress: the attempt that holds it, the agent that has it, or an operator.
 *
 * @throws `lease_lost` the caller's attempt is not the live one · `forbidden` not its task
 */
export async function mayWorkOn(unit: Unit, task: TaskRow): Promise<void> {
  const { caller } = unit
  if (caller.kind === 'operator' || caller.kind === 'system') return
  if (caller.kind === 'attempt') {
    if (caller.taskId !== task.id) throw forbidden(`the run of ${caller.taskId} may not touch ${task.id}`)
    if (caller.generation !== task.attemptCount) throw leaseLost(`attempt ${caller.generation} of ${task.id} is over`)
    return
  }
  const agent = await callingAgent(unit)
  if (agent === undefined || task.agentKey !== agent.key)
    throw forbidden(`${task.id} is not a task of ${agent?.name ?? 'this agent'}`)
}

/** Whoever has it may give it up; whoever directs work may take it from them. @throws `forbidden` `lease_lost` */
export async function mayRelease(unit: Unit, task: TaskRow): Promise<void> {
  const { caller } = unit
  if (caller.kind === 'attempt' && caller.taskId === task.id) return await mayWorkOn(unit, task)
  if (caller.kind === 'agent' && task.agentKey !== null && task.agentKey === (await callingAgent(unit))?.key) return
  await mayDirect(unit, task)
}

/**
 * The agent that an accept, reject or claim is for: the caller itself, or the one that an operator names.
 * @throws `invalid` none named · `forbidden` another than the caller
 */
export async function actingAgent(unit: Unit, named: AgentId | string | undefined): Promise<AgentRow> {
  const { caller } = unit
  if (caller.kind === 'operator') {
    if (named === undefined) throw new AppError('invalid', 'agentId is missing', { hint: 'Say for which agent.' })
    return await getAgent(unit, named)
  }
  if (caller.kind !== 'agent') throw forbidden('only an agent may do this, or an operator for it')
  const agent = await getAgent(unit, caller.agentId)
  if (named !== undefined && named !== agent.id && named !== agent.name)
    throw forbidden(`${agent.name} may not act for ${named}`)
  return agent
}

/** The conversation that a run is in, as the worker or the CLI told it; never as the run's own words have it. */
export const actingSession = (attempt: AttemptRow): TaskRow['spawnedSessionId'] =>
  attempt.conversation?.sessionId ?? null
