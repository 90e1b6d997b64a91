import { AGENT_CONCURRENCY, AGENT_LIMITS } from '../../../domain/agent'
import { AppError } from '../../../domain/errors'
import type { AgentRow } from '../../../domain/task/task-store'
import { JOIN_LIMITS, type JoinAnswer, type JoinInput } from '../../../domain/task/worker-protocol'
import { recordAct } from '../../audit/record-act'
import { isOnline, lacking, shownAgent } from '../../unit/agent-presence'
import { mayBeHost } from '../../unit/rights'
import { hashOf, newAgentId, newToken } from '../../unit/secrets'
import { DEFAULT_LEASE, type TaskParts, type Unit } from '../../unit/unit'
import { checkCapabilities, checkDirs, checkText, checkWhole, checkWord } from '../check-fields'
import { moveTask } from '../move-task'
import { loseAttempt } from './end-attempt'

/**
 * Registers an agent, or the next process of one: the same name is the same identity. Its former token is worth nothing any more.
 *
 * With `isFormerGone` the attempts of its former process are over now, and their tasks are its own first; else they run out with
 * their leases. What its shutdown paused goes on.
 *
 * @throws `invalid` · `forbidden` · `conflict` the name is that of another kind of agent
 */
export async function joinAgent(unit: Unit, parts: TaskParts, given: JoinInput): Promise<JoinAnswer> {
  const checked = checkedJoin(given)
  const input = { ...checked, name: await nameFor(unit, checked) }
  const known = await unit.tasks.agentByName(input.name)
  mayJoin(unit, known, input)
  await mayBeHost(unit, known, input, parts.followedRoots())
  const { token, hash } = newToken(input.kind === 'lead' ? 'lld' : 'lwk', unit.random)
  const agent = known === undefined ? await register(unit, input, hash) : await renew(unit, known, input, hash)
  await unit.tasks.setAgentDirs(agent.key, input.dirs ?? [])
  await unit.feed('agent.updated', { agentId: agent.id, name: agent.name, status: 'online' })
  await recordAct(unit, 'agent.join', {
    target: agent.id,
    detail: { name: agent.name, kind: agent.kind, host: agent.hostname, isNew: known === undefined },
  })
  if (known !== undefined && input.isFormerGone) await endFormerAttempts(unit, agent)
  await resumeAfterShutdown(unit, agent)
  if (agent.drainingSince === null) await freeUnfit(unit, agent)
  else await sendElsewhere(unit, agent, `${agent.name} takes no new tasks`)
  const running = (await unit.tasks.liveAttempts(agent.id)).length
  const { hostName, roots } = parts.followedRoots()
  return {
    agent: shownAgent(agent, running, unit.now),
    token,
    leaseMs: (parts.lease ?? DEFAULT_LEASE).ms,
    followedRoots: hostName === input.hostName ? roots : [],
    epoch: parts.lease?.epoch ?? null,
  }
}

/**
 * Two installations of one host name would take its name from one another for ever. The one that came later gets a name with a part of its
 * own ID, and has it from then on.
 */
async function nameFor(unit: Unit, { name, isNameOfHost, hostName }: JoinInput): Promise<string> {
  if (isNameOfHost !== true || unit.caller.kind === 'agent') return name
  const own = `${name.slice(0, AGENT_LIMITS.name - OWN_PART - 1)}-${hostName.slice(0, OWN_PART)}`
  if ((await unit.tasks.agentByName(own))?.hostName === hostName) return own
  const holder = await unit.tasks.agentByName(name)
  const isOthers = holder !== undefined && holder.hostName !== null && holder.hostName !== hostName
  return isOthers && isOnline(holder, unit.now) ? own : name
}

/** Characters of an installation's ID that tell it from others of its host name. */
const OWN_PART = 6

function checkedJoin(input: JoinInput): JoinInput {
  const name = checkAgentName(input.name)
  for (const [field, limit] of Object.entries(JOIN_LIMITS))
    checkText(field, input[field as keyof typeof JOIN_LIMITS] ?? '', limit)
  return {
    ...input,
    name,
    capabilities: checkCapabilities(input.capabilities, 'capabilities'),
    dirs: joinDirs(input.dirs ?? []),
    concurrency: checkWhole('concurrency', input.concurrency, AGENT_CONCURRENCY),
  }
}

/** A worker of the root runs tasks anywhere. @throws `invalid` `too_large` */
function joinDirs(dirs: readonly string[]): string[] {
  const checked = checkDirs(dirs)
  return checked.includes('') ? [] : checked
}

/** @throws `invalid` */
export function checkAgentName(given: string): string {
  const name = checkWord('name', given)
  if (/^a-[0-9a-z]{8,}$/.test(name) || name.length > AGENT_LIMITS.name || name !== name.trim())
    throw new AppError('invalid', "The name can't be used.", {
      hint: `Use at most ${AGENT_LIMITS.name} characters, without surrounding spaces, and not the form of an agent ID.`,
    })
  return name
}

function mayJoin(unit: Unit, known: AgentRow | undefined, input: JoinInput): void {
  const { caller } = unit
  if (caller.kind === 'attempt') throw new AppError('forbidden', "A run can't join as an agent.")
  if (caller.kind === 'agent' && (known?.id !== caller.agentId || input.kind !== caller.agentKind))
    throw new AppError('forbidden', `This token may join only as its own agent, not as ${input.kind} ${input.name}.`)
  if (known !== undefined && known.kind !== input.kind)
    throw new AppError('conflict', `${input.name} is the name of a ${known.kind}.`, { hint: 'Choose another name.' })
}

async function register(unit: Unit, input: JoinInput, tokenHash: Uint8Array): Promise<AgentRow> {
  const row = {
    id: newAgentId(unit.random),
    name: input.name,
    kind: input.kind,
    limitedUntil: null,
    lastSeenAt: unit.now,
    instructions: null,
    model: null,
    description: null,
    hostKeyHash: null,
    cliLimits: {},
    drainingSince: null,
    ...presented(input, tokenHash),
  }
  const key = await unit.tasks.insertAgent(row)
  return { ...row, key, createdAt: unit.now }
}

async function renew(unit: Unit, known: AgentRow, input: JoinInput, tokenHash: Uint8Array): Promise<AgentRow> {
  // What it was described with, it can do whatever its process says.
  const capabilities =
    known.instructions === null
      ? input.capabilities
      : [...new Set([...known.capabilities, ...input.capabilities])].sort()
  const patch = { lastSeenAt: unit.now, ...presented(input, tokenHash), capabilities }
  await unit.tasks.updateAgent(known.key, patch)
  return { ...known, ...patch }
}

const presented = (input: JoinInput, tokenHash: Uint8Array) => ({
  hostname: input.hostname,
  hostName: input.hostName,
  capabilities: input.capabilities,
  concurrency: input.concurrency,
  bootId: input.bootId,
  version: input.version,
  tokenHash,
  ...(input.hostKey === undefined ? {} : { hostKeyHash: hashOf(input.hostKey) }),
  maxPermissionMode: input.maxPermissionMode ?? null,
  clis: input.clis ?? null,
  fallsOver: input.fallsOver ?? false,
  machine: input.machine ?? null,
  removedAt: null,
  account: input.account ?? null,
  restartAskedAt: input.restartAskedAt === undefined ? null : Date.parse(input.restartAskedAt),
})

/**
 * Attempts of a process that is proven gone, on the machine that proved it. Those without a process (claimed by hand) have nothing to do
 * with it.
 */
async function endFormerAttempts(unit: Unit, agent: AgentRow): Promise<void> {
  for (const attempt of await unit.tasks.liveAttempts(agent.id)) {
    if (attempt.bootId === null || attempt.bootId === agent.bootId || attempt.hostName !== agent.hostName) continue
    const task = await unit.tasks.taskByKey(attempt.taskKey)
    if (task === undefined) continue
    await loseAttempt(unit, task, attempt, `${agent.name} restarted during the run`, true)
  }
}

/** Nobody speaks for the agent any more. What its shutdown paused waits a while for it to come back. */
export async function leaveAgent(unit: Unit, agent: AgentRow): Promise<void> {
  await unit.tasks.updateAgent(agent.key, { bootId: null })
  await unit.feed('agent.updated', { agentId: agent.id, status: 'offline' })
  await sendElsewhere(unit, agent, `${agent.name} has ended`)
}

/** What the agent's shutdown paused goes on by itself when it is there again. */
export async function resumeAfterShutdown(unit: Unit, agent: AgentRow): Promise<void> {
  for (const task of await unit.tasks.pausedByShutdown(agent.key))
    await moveTask(unit, task, { kind: 'resume', why: `${agent.name} is back` })
}

/** Tasks that we sent to the agent and that it can no longer do. */
async function freeUnfit(unit: Unit, agent: AgentRow): Promise<void> {
  for (const task of await unit.tasks.affine(agent.key)) {
    const lacks = lacking(agent, task)
    if (lacks.length > 0) await freeAffine(unit, task, `${agent.name} now lacks ${lacks.join(', ')}`)
  }
}

/** What we had chosen the agent for is anybody's. */
export async function sendElsewhere(unit: Unit, agent: Pick<AgentRow, 'key'>, why: string): Promise<void> {
  for (const task of await unit.tasks.affine(agent.key)) await freeAffine(unit, task, why)
}

/** Takes a task back from the agent that we had chosen for it. */
export async function freeAffine(unit: Unit, task: AgentTask, why: string): Promise<AgentTask> {
  const changes = { agentKey: null, assignedBy: null }
  if (task.status === 'unassigned' || task.status === 'pending')
    return await moveTask(unit, task, { kind: 'place', why, changes })
  await unit.tasks.updateTask(task.key, changes)
  return { ...task, ...changes }
}
type AgentTask = Parameters<typeof moveTask>[1]
