import { AppError } from '../../../domain/errors'
import { type AttemptId, agentId } from '../../../domain/ids'
import type { AgentRow, AttemptRow } from '../../../domain/task/task-store'
import type { Assignment, Command, PollAnswer, PollInput } from '../../../domain/task/worker-protocol'
import { recordSeen } from '../../unit/agent-presence'
import { getAgent } from '../../unit/find-task'
import { newToken } from '../../unit/secrets'
import type { LeaseSettings, Unit } from '../../unit/unit'
import { conversationSource } from './conversation-source'
import { assignmentOf, takeNext } from './dispatch'
import { leaveAgent, resumeAfterShutdown } from './join-agent'
import { inputCommands, mailCommands, mailFor } from './mail-of-runs'
import type { RecentCommands } from './recent-commands'

/** Attempts that one poll may begin. */
const TAKE_AT_ONCE = 100
const ATTEMPTS_AT_ONCE = 1_000

/**
 * A worker's poll: heartbeat, what is new for it, what it lost.
 *
 * An assignment that the worker does not list, and that it reported nothing of, never arrived (the answer was lost): it is given again,
 * with a new token. So a worker lists an attempt from the moment it has it until its end was taken.
 *
 * @throws `forbidden` another agent's poll · `conflict` another process speaks for this agent now
 */
export async function pollAgent(
  unit: Unit,
  ref: string,
  input: PollInput,
  { recentCommands: told, lease }: { recentCommands: RecentCommands; lease: LeaseSettings },
): Promise<PollAnswer> {
  if (input.attempts.length > ATTEMPTS_AT_ONCE)
    throw new AppError(
      'too_large',
      `\`attempts\` has ${input.attempts.length} items; the maximum is ${ATTEMPTS_AT_ONCE}.`,
    )
  // What does not need each other's answer is asked at once, here and below: the database is far.
  const [agent, liveOfId] = await Promise.all([
    getAgent(unit, ref),
    ref.startsWith('a-') ? unit.tasks.liveAttempts(agentId(ref)) : undefined,
  ])
  mayPoll(unit, agent, input)
  await recordSeen(unit, agent)
  const live = liveOfId ?? (await unit.tasks.liveAttempts(agent.id))
  const listed = new Map(input.attempts.map(({ id, generation }) => [id, generation]))
  const held = live.filter(({ id, number }) => listed.get(id) === number)
  const takes = input.isLeaving !== true && input.capacity > 0 && agent.drainingSince === null
  const [renewed, commands, isAsked, paused] = await Promise.all([
    renew(unit, held),
    commandsFor(unit, held),
    takes ? unit.tasks.isAskedFor(agent, unit.now, input.isAssignedOnly ?? false) : false,
    takes ? unit.tasks.pausedByShutdown(agent.key) : [],
  ])
  const unlisted = live.filter(({ id, bootId }) => bootId === input.bootId && !listed.has(id))
  const assignments = input.isLeaving === true ? [] : await giveAgain(unit, unlisted)
  if (input.isLeaving === true) await leaveAgent(unit, agent)
  else if (isAsked || paused.length > 0) await takeMore(unit, agent, input, lease.ms, assignments)
  const lost = lostOf(input, held)
  return {
    assignments,
    commands: told.filter(commands, unit.now),
    lost,
    renewed: renewed.map(({ id }) => id),
    // If an attempt was opened under another setting, the lease has the length of then.
    leaseMs: Math.min(lease.ms, ...renewed.map(({ leaseMs }) => leaseMs)),
    serverInstance: lease.serverInstance,
    epoch: lease.epoch ?? null,
    now: new Date(unit.now).toISOString(),
  }
}

function mayPoll(unit: Unit, agent: AgentRow, input: PollInput): void {
  const { caller } = unit
  if (caller.kind === 'attempt' || (caller.kind === 'agent' && caller.agentId !== agent.id))
    throw new AppError('forbidden', `Only ${agent.name} may poll for itself.`)
  // It was revoked while this poll waited. The next request says why.
  if (caller.kind === 'agent' && agent.tokenHash === null)
    throw new AppError('unauthorized', `The token of ${agent.name} is no longer valid.`)
  if (agent.bootId !== input.bootId)
    throw new AppError('conflict', `Another process is now polling as ${agent.name}.`, {
      hint: 'Give this worker another name, or stop it.',
      details: { isReplaced: true },
    })
}

/** A cancelled attempt is not renewed: it is over when its lease ends, whatever its worker does. */
async function renew(unit: Unit, held: AttemptRow[]): Promise<AttemptRow[]> {
  const keys = held.filter(({ wish }) => wish !== 'cancel').map(({ key }) => key)
  const renewed = new Set(keys.length > 0 ? await unit.tasks.renewLeases(keys, unit.now) : [])
  return held.filter(({ key }) => renewed.has(key))
}

const lostOf = (input: PollInput, held: AttemptRow[]): AttemptId[] => {
  const mine = new Set(held.map(({ id }) => id))
  return input.attempts.map(({ id }) => id).filter((id) => !mine.has(id))
}

/** Only attempts without any report: one that began has a process somewhere, and runs out with its lease. */
async function giveAgain(unit: Unit, unlisted: AttemptRow[]): Promise<Assignment[]> {
  const given: Assignment[] = []
  for (const attempt of unlisted) {
    if (attempt.conversation !== null || attempt.pid !== null || attempt.wish !== null) continue
    const task = await unit.tasks.taskByKey(attempt.taskKey)
    if (task?.status !== 'in_progress') continue
    const { token, hash } = newToken('lat', unit.random)
    await unit.tasks.updateAttempt(attempt.key, { tokenHash: hash })
    await unit.tasks.renewLeases([attempt.key], unit.now)
    const conversation = await conversationSource(unit, task, attempt.number - 1)
    const { id: attemptId, number: generation, leaseMs, agentCli } = attempt
    const shown = await unit.tasks.shown(task.key)
    given.push({ attemptId, generation, token, leaseMs, task: shown, conversation, agentCli })
  }
  return given
}

async function takeMore(
  unit: Unit,
  agent: AgentRow,
  input: PollInput,
  leaseMs: number,
  assignments: Assignment[],
): Promise<void> {
  // A worker that asks for work is not shutting down, whatever it said before.
  await resumeAfterShutdown(unit, agent)
  const capacity = Math.min(input.capacity, agent.concurrency, TAKE_AT_ONCE)
  const opening = { bootId: input.bootId, leaseMs }
  while (assignments.length < capacity) {
    const next = await takeNext(unit, agent, opening, input.isAssignedOnly ?? false)
    if (next === undefined) return
    assignments.push(await assignmentOf(unit, next))
  }
}

async function commandsFor(unit: Unit, held: AttemptRow[]): Promise<Command[]> {
  if (held.length === 0) return []
  const commands: Command[] = []
  for (const { id: attemptId, wish, wishReason } of held)
    if (wish !== null) commands.push({ kind: wish, attemptId, reason: wishReason ?? wish })
  const byKey = new Map(held.map((attempt) => [attempt.key, attempt.id]))
  const [answers, mail, early] = await Promise.all([
    unit.tasks.answersFor([...byKey.keys()]),
    mailFor(unit, held),
    inputCommands(unit, held),
  ])
  for (const question of answers) {
    const attemptId = byKey.get(question.attemptKey)
    if (attemptId === undefined || question.behavior === null) continue
    const { id: questionId, behavior, message } = question
    commands.push({ kind: 'answer', attemptId, questionId, behavior, message })
  }
  const given = await mailCommands(unit, mail)
  // What takes off now is among the inputs.
  commands.push(...(mail.length === 0 ? early : await inputCommands(unit, held)), ...given)
  return commands
}
