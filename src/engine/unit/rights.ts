import { dirname } from 'node:path'
import { isOpenTo } from '../../domain/access/access'
import {
  ANSWER_QUESTION,
  DIRECT_TASK,
  HOLD_TASK,
  LEAD,
  PUT_BELOW_TASK,
  READ_TASK,
  RELEASE_TASK,
  REPORT_ATTEMPT,
  USE_ISSUES,
  WORK_ON_TASK,
} from '../../domain/access/rules'
import { AppError } from '../../domain/errors'
import type { AgentId, IssueId, SessionId, TaskId } from '../../domain/ids'
import { judge } from '../../domain/policy/tool-rules'
import { consentCommand, startsByConsent } from '../../domain/task/consent'
import type { LeadPolicy } from '../../domain/task/lead-answers'
import { exceedsMode, raiseCeilingHint } from '../../domain/task/permission-mode'
import { LEAD_TASK_TYPE } from '../../domain/task/task'
import type { AgentRow, AttemptRow, QuestionRow, TaskRow } from '../../domain/task/task-store'
import type { JoinInput } from '../../domain/task/worker-protocol'
import { isWithin } from '../../util/files/is-within'
import { projectOf } from '../../util/git/git-project'
import { hasAccess, isLeadRun, requireAccess } from '../access/require-access'
import { isSameKey } from '../access/same-key'
import { AWAY_AFTER_MS } from './agent-presence'
import { getAgent } from './find-task'
import { hashOf } from './secrets'
import type { TaskParts, Unit } from './unit'

/**
 * What use cases that change something ask: rows of the table of `domain/access/rules.ts`, and what no row can say (a lease that was
 * lost, a permission that nobody may give on, a machine that proves itself).
 */

/** `lease_lost`: a later attempt holds the task, or it was taken from this one. */
export const leaseLost = (what: string): AppError =>
  new AppError('lease_lost', `${what}; nothing was changed.`, { hint: 'Stop working on it.' })

const forbidden = (message: string, hint?: string): AppError =>
  new AppError('forbidden', message, hint === undefined ? {} : { hint })

/** The agent that the caller is, or acts for. @throws `not_found` when it is no longer registered */
export async function callingAgent(unit: Unit): Promise<AgentRow | undefined> {
  const { caller } = unit
  if (caller.kind === 'agent' || caller.kind === 'attempt') return await getAgent(unit, caller.agentId)
  return undefined
}

/**
 * Cancel, pause, patch and so on: who directs work, or made this task.
 * @throws `forbidden` · `lease_lost` a run that is over directs nothing any more
 */
export async function mayDirect(unit: Unit, task: Pick<TaskRow, 'id'>): Promise<void> {
  await requireAccess(unit, DIRECT_TASK, task.id)
  await mustLive(unit)
}

/** Pause, go on, let begin. @throws as `mayDirect` */
export async function mayHold(unit: Unit, task: Pick<TaskRow, 'id'>): Promise<void> {
  await requireAccess(unit, HOLD_TASK, task.id)
  await mustLive(unit)
}

/** @throws `lease_lost` the calling run is over */
export async function mustLive(unit: Unit): Promise<void> {
  const { caller } = unit
  if (caller.kind !== 'attempt') return
  const attempt = await unit.tasks.attempt(caller.attemptId)
  if (attempt === undefined || attempt.endedAt !== null) throw leaseLost(`Attempt ${caller.attemptId} is over`)
}

/**
 * Whether the caller leads: an agent by a lead's token, or a run of a task that an operator made to lead (`LEAD_TASK_TYPE`).
 * @throws `lease_lost` the run is over
 */
export async function isLead(unit: Unit): Promise<boolean> {
  const { caller } = unit
  if (caller.kind !== 'attempt') return caller.kind === 'agent' && caller.agentKind === 'lead'
  if (!(await isLeadRun(unit, caller))) return false
  await mustLive(unit)
  return true
}

/** Only an operator makes a task that leads: its runs get a lead's rights by their token. @throws `forbidden` */
export function mayMakeLead(unit: Unit, taskType: string | null): void {
  if (taskType !== LEAD_TASK_TYPE || unit.caller.kind === 'operator' || unit.caller.kind === 'system') return
  throw forbidden('Only an operator may create a task whose run is a lead.')
}

/**
 * Only an operator says with which permissions a task's runs work: nobody may give others more than it has itself.
 * @param given  `undefined` = nothing was said
 * @throws `forbidden`
 */
export function mayChoosePermissions(unit: Unit, given: string | null | undefined): void {
  if (given === undefined || unit.caller.kind === 'operator' || unit.caller.kind === 'system') return
  throw new AppError('forbidden', 'Only an operator may choose the permission mode of a task.', {
    hint: 'Omit permissionMode: the task then asks for permission when its worker requires it.',
    details: { field: 'permissionMode' },
  })
}

/**
 * Under which task another may be put. What continues a task begins with its conversation, and what is below it may, so a run names its
 * own task, those above and those below it, and a worker those that it made or has.
 *
 * @param parent  `null` = none
 * @throws `forbidden`
 */
export async function mayPutBelow(unit: Unit, parent: TaskRow | null): Promise<void> {
  if (parent === null || (await hasAccess(unit, PUT_BELOW_TASK, parent.id))) return
  if (unit.caller.kind === 'agent')
    throw new AppError(
      'forbidden',
      `A worker may create tasks only below tasks that it created or runs, not below ${parent.id}.`,
      {
        hint: 'Leave out the parent (--parent, or `parentTaskId`).',
        details: { field: 'parentTaskId' },
      },
    )
  throw new AppError('forbidden', `Task ${parent.id} is neither above nor below the task of this run.`, {
    hint: 'Leave out the parent (--parent, or `parentTaskId`): the new task is then below your own. Write what it needs to know about another task into its text.',
    details: { field: 'parentTaskId' },
  })
}

/**
 * A run's tasks wait for tasks that it may see: what depends on a task is shown what that came to.
 * @throws `forbidden`
 */
export async function mayDependOn(unit: Unit, on: readonly TaskId[]): Promise<void> {
  for (const id of on)
    if (!(await hasAccess(unit, READ_TASK, id)))
      throw new AppError('forbidden', `Task ${id} does not belong to the tree of this run.`, {
        hint: 'Omit it from dependsOn.',
        details: { field: 'dependsOn' },
      })
}

/**
 * A run's task works where the run works: in its folder, in that of its task, or elsewhere in their projects; in its task's repository.
 * @throws `forbidden`
 */
export async function mayWorkIn(unit: Unit, { dir, repository }: Pick<TaskRow, 'dir' | 'repository'>): Promise<void> {
  const { caller } = unit
  if (caller.kind !== 'attempt' || (dir === null && repository === null)) return
  const task = await unit.tasks.task(caller.taskId)
  // Its worker fetches with a person's keys.
  if (repository !== null && repository !== task?.repository)
    throw new AppError('forbidden', 'The tasks of a run must stay within its repository.', {
      hint: 'Omit repository. A person may create the task elsewhere.',
      details: { field: 'repository' },
    })
  if (dir === null) return
  const own = [(await unit.tasks.attempt(caller.attemptId))?.cwd, task?.dir]
  const folders = own.filter((folder) => folder != null)
  // Nobody said where it works: it is a claim by hand, and no process of ours is its own.
  if (folders.length === 0) return
  const roots = folders.flatMap((folder) => [folder, projectOf(folder).root])
  if (roots.some((root) => isWithin(dir, root))) return
  throw new AppError(
    'forbidden',
    `The tasks of a run must stay within its project, and ${dir.slice(0, 200)} is outside.`,
    {
      hint: `Omit dir, or give a folder below ${roots.at(-1)}. A person may create the task elsewhere.`,
      details: { field: 'dir' },
    },
  )
}

/**
 * Whether a task may serve this issue: its run reads what the issue says, so that a run names those of its own project, and what its own
 * task serves. Where it may not, the issue is as if it were not there.
 */
export async function mayNameIssue(unit: Unit, id: IssueId): Promise<boolean> {
  const { caller } = unit
  if (caller.kind !== 'attempt') return true
  const own = await unit.tasks.task(caller.taskId)
  if (own?.issueId === id || own?.epicId === id) return true
  for (const path of await unit.tasks.issueFiles(id))
    if (path !== null && (await hasAccess(unit, USE_ISSUES, dirname(path)))) return true
  return false
}

/**
 * What a worker or a claim by hand says of its conversation: the task's own, or one that is at home on its machine, or new. Else naming
 * a conversation would be enough to be given it.
 *
 * @throws `forbidden`
 */
export async function mayNameConversation(unit: Unit, task: TaskRow, hostName: string | null, session: SessionId) {
  if (unit.caller.kind === 'operator' || unit.caller.kind === 'system') return
  if (session === task.lastSessionId || session === task.nextSessionId) return
  const isOwn =
    hostName === null ? (await unit.tasks.hostsOf(session)).length === 0 : await unit.tasks.isOfHost(hostName, session)
  if (!isOwn)
    throw new AppError('forbidden', `Session ${session} belongs to another machine and to no attempt of ${task.id}.`, {
      hint: 'Only an operator may give a task the conversation of another task.',
      details: { sessionId: session },
    })
}

/**
 * The worker of an attempt reports what the attempt does, or, where that is gone for good, another of its machine: never the run itself.
 * @throws `forbidden`, also where there is none of that id
 */
export async function mayReport(unit: Unit, id: AttemptRow['id']): Promise<void> {
  if (unit.caller.kind === 'attempt')
    throw forbidden('The worker reports the progress of an attempt, not the run.', 'Use store-progress or finish-task.')
  await requireAccess(unit, REPORT_ATTEMPT, id)
}

/**
 * An answer lets a call through, or not: a person's to give, and a lead's only where a person said so, and only in its own tree.
 * @throws `forbidden`
 */
export async function mayAnswer(
  unit: Unit,
  task: TaskRow,
  question: Pick<QuestionRow, 'toolName' | 'input' | 'isCut'>,
  behavior: 'allow' | 'deny',
): Promise<void> {
  if (isPerson(unit)) return
  if (!(await isLead(unit)))
    throw forbidden(
      "A run may not answer questions: an agent can't grant permissions.",
      'A person will answer it. Until then, continue with other work.',
    )
  const { answers, allow, deny } = unit.leads ?? NO_ANSWERS
  if (answers === 'never')
    throw forbidden(
      'Leads may not answer questions here; only a person may.',
      "A person may change this with 'lode config set lead.answers rules' (or all).",
    )
  await requireAccess(unit, ANSWER_QUESTION, task.id)
  if (answers === 'all' || behavior === 'deny') return
  // What was cut is not known whole.
  const verdict = question.isCut
    ? null
    : judge({ allow, deny }, question.toolName, JSON.parse(question.input) as unknown, null)
  if (verdict?.behavior !== 'allow')
    throw forbidden(
      `No rule of worker.allow covers this call of ${question.toolName}, so a person must answer.`,
      'Deny it, or wait for a person to answer.',
    )
}

const NO_ANSWERS: LeadPolicy = { answers: 'never', allow: [], deny: [] }

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
    workers.length === 1
      ? `The worker ${first.name} does not accept`
      : `The ${workers.length} workers online do not accept`
  const most = [...new Set(workers.map((worker) => worker.maxPermissionMode))].join(', ')
  throw new AppError(
    'conflict',
    `${who} tasks with the permission mode ${mode}: worker.maxPermissionMode is ${most}.`,
    {
      hint: raiseCeilingHint(mode),
      details: { field: 'permissionMode', maxPermissionMode: most },
    },
  )
}

/**
 * No worker is taken for a machine that is known as another's: what a worker sends and reads goes by the machine that it joined from.
 *
 * A machine proves itself by the key that its first worker showed; the server's own by the key in the server's folder. Workers of one
 * folder share it. Where no worker showed a key, an operator says which machine each is on.
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
    throw new AppError('forbidden', `${input.name} joined from another machine before.`, {
      hint: "To move it, join once with the operator's token.",
    })
  const shown = hostKey === undefined ? null : hashOf(hostKey)
  const keys = (await unit.tasks.agentsOfHost(hostName)).flatMap(({ hostKeyHash }) => hostKeyHash ?? [])
  if (own.hostName === hostName && own.hostKey !== undefined) keys.push(hashOf(own.hostKey))
  if (keys.some((key) => !isSameKey(shown, key)))
    throw new AppError(
      'forbidden',
      `${input.name} can't prove that it runs on the machine ${hostName.slice(0, 100)}.`,
      {
        hint: 'Its Lodeline folder is a copy from another machine, or has lost its key. Remove host-id and host-key there, then restart it.',
      },
    )
  if (keys.length === 0 && !isOperator && !isBound)
    throw new AppError('forbidden', 'Only an operator may set the machine of an agent.')
}

/** Which person answers for what runs do; and what happens by itself, which a person let happen. */
const isPerson = ({ caller: { kind } }: Unit): boolean =>
  kind === 'operator' || kind === 'approver' || kind === 'system'

/** What came from outside starts when a person says so. @throws `forbidden` */
export function mayLetBegin(unit: Unit, task: TaskRow): void {
  if (!startsByConsent(task) || isPerson(unit)) return
  throw forbidden(
    `Task ${task.id} serves a request from outside, so only a person may let it begin.`,
    `A person sees it among what needs them, and starts it with '${consentCommand(task.id)}'.`,
  )
}

/** Leads and operators alone. @throws `forbidden` */
export function mayLead(unit: Pick<Unit, 'caller'>, what: string): void {
  if (!isOpenTo(LEAD, unit.caller)) throw forbidden(`Only an operator or a lead may ${what}.`)
}

/**
 * Progress, finish and the like of a task in progress: the attempt that holds it, the agent that has it, or an operator.
 *
 * @throws `lease_lost` the caller's attempt is not the live one · `forbidden` not its task
 */
export async function mayWorkOn(unit: Unit, task: Pick<TaskRow, 'id' | 'attemptCount'>): Promise<void> {
  await requireAccess(unit, WORK_ON_TASK, task.id)
  const { caller } = unit
  if (caller.kind === 'attempt' && caller.generation !== task.attemptCount)
    throw leaseLost(`Attempt ${caller.generation} of ${task.id} is over`)
}

/** The agent of a task may release it, and so may a director of the work. @throws `forbidden` `lease_lost` */
export async function mayRelease(unit: Unit, task: Pick<TaskRow, 'id' | 'attemptCount'>): Promise<void> {
  const { caller } = unit
  if (caller.kind === 'attempt' && caller.taskId === task.id) return await mayWorkOn(unit, task)
  await requireAccess(unit, RELEASE_TASK, task.id)
  await mustLive(unit)
}

/**
 * The agent that an accept, reject or claim is for: the caller itself, or the one that an operator names.
 * @throws `invalid` none named · `forbidden` another than the caller
 */
export async function actingAgent(unit: Unit, named: AgentId | string | undefined): Promise<AgentRow> {
  const { caller } = unit
  if (caller.kind === 'operator') {
    if (named === undefined)
      throw new AppError('invalid', 'agentId is missing.', { hint: 'Pass the agent that you act for.' })
    return await getAgent(unit, named)
  }
  if (caller.kind !== 'agent') throw forbidden('Only an agent may do this, or an operator for it.')
  const agent = await getAgent(unit, caller.agentId)
  if (named !== undefined && named !== agent.id && named !== agent.name)
    throw forbidden(`${agent.name} may not act for ${named}.`)
  return agent
}

/** The conversation that a run is in, as the worker or the CLI told it; never as the run's own words have it. */
export const actingSession = (attempt: AttemptRow): TaskRow['spawnedSessionId'] =>
  attempt.conversation?.sessionId ?? null
