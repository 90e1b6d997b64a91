import { AGENT_CONCURRENCY } from '../../domain/agent'
import { AppError } from '../../domain/errors'
import type { AgentRow } from '../../domain/task/task-store'
import { JOIN_LIMITS } from '../../domain/task/worker-protocol'
import { ENROLL_CODE_MS } from '../../domain/token/token'
import { enrollmentState, type TokenRow } from '../../domain/token/token-store'
import { newCode, readCode } from '../../util/typed-code'
import { addLine, recordAct } from '../audit/record-act'
import { checkText } from '../tasks/check-fields'
import { loseAttempt } from '../tasks/runs/end-attempt'
import { checkAgentName } from '../tasks/runs/join-agent'
import { isOnline } from '../unit/agent-presence'
import { quoted } from '../unit/find-task'
import { mayBeHost } from '../unit/rights'
import { hashOf, newAgentId, newToken, newTokenId } from '../unit/secrets'
import { nameOf, type OwnHost, SYSTEM } from '../unit/unit'
import { checkRoom, endOfSpan, mayGiveAccess, type TokenUnit } from './token-unit'

/** What the machine that uses a code says of itself. */
export interface EnterInput {
  code: string
  hostname: string
  /** The installation's random id of the machine. */
  hostName: string
  /** By which the machine proves that it is `hostName`. */
  hostKey: string
  /** The network address that it calls from, for the audit log. */
  peer?: string | null
}

/**
 * Makes a code with which one machine gets the token of this worker. Another code takes the place of one that was not used.
 *
 * @throws `forbidden` `invalid` `too_large` · `conflict` a machine has the worker's token, or the name is taken
 */
export async function enrollWorker(
  unit: TokenUnit,
  input: { name: string; expiresInMs?: number | undefined },
): Promise<{ code: string; expiresAt: string }> {
  const madeBy = await mayGiveAccess(unit)
  const name = checkAgentName(input.name)
  const known = await checkIsWorker(unit, name)
  const former = await unit.tokens.enrollment(name)
  if (former === undefined && known !== undefined && isOnline(known, unit.now))
    throw new AppError('conflict', `A worker named ${name} is at work already, with the operator's token.`, {
      hint: 'Choose another name, or stop that worker first.',
    })
  if (former !== undefined) {
    if (enrollmentState(former, unit.now) === 'active')
      throw new AppError('conflict', `The worker ${name} is enrolled already.`, {
        hint: `To enroll it on another machine, first run 'lode worker revoke ${name}'.`,
      })
    await endEnrollment(unit, former)
  }
  await checkRoom(unit)
  const code = newCode(unit.random)
  const codeExpiresAt = unit.now + ENROLL_CODE_MS
  const id = newTokenId(unit.random)
  const expiresAt = endOfSpan(unit, input.expiresInMs)
  const codeHash = hashOf(readCode(code))
  const row = { id, purpose: 'worker', name, codeHash, codeExpiresAt, createdAt: unit.now, expiresAt, madeBy } as const
  await unit.tokens.insert(row)
  await unit.feed('token.updated', { tokenId: id, what: 'created', by: nameOf(unit.caller) })
  await recordAct(unit, 'worker.enroll', { target: name })
  return { code, expiresAt: new Date(codeExpiresAt).toISOString() }
}

/**
 * Uses a code up: its machine gets the worker's token, and is bound to the worker. What ran under the name before has no token now.
 *
 * @throws `unauthorized` the code is wrong, used or too old · `forbidden` the machine is known as another's · `conflict` · `invalid`
 */
export async function enterByCode(
  unit: TokenUnit,
  { code, peer = null, ...machine }: EnterInput,
  own: OwnHost,
): Promise<{ name: string; token: string; expiresAt: string | null }> {
  const row = await unit.tokens.byCode(hashOf(readCode(code)))
  if (row === undefined || enrollmentState(row, unit.now) !== 'waiting') throw wrongCode()
  for (const field of ['hostname', 'hostName', 'hostKey'] as const) checkText(field, machine[field], JOIN_LIMITS[field])
  const known = await checkIsWorker(unit, row.name)
  // The operator chose the machine by handing it the code: it has to prove only that it is no other's.
  await mayBeHost({ ...unit, caller: SYSTEM }, known, { name: row.name, ...machine }, own)
  const agent = await bindAgent(unit, known, row.name, machine)
  const { token, hash } = newToken('lwe', unit.random)
  await unit.tokens.update(row.key, { tokenHash: hash, codeHash: null, agentId: agent.id })
  await unit.feed('token.updated', { tokenId: row.id, what: 'enrolled', by: agent.id })
  await unit.feed('agent.updated', { agentId: agent.id })
  const nobody = { kind: 'nobody', name: null, peer }
  await addLine(unit.audit, unit.now, {
    act: 'worker.enter',
    actor: nobody,
    target: row.name,
    detail: { hostname: machine.hostname },
  })
  return { name: row.name, token, expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt).toISOString() }
}

/**
 * Ends the access of a worker: its token, that of its process, and its attempts, which others may go on with.
 *
 * @throws `forbidden` · `not_found` no such enrollment · `conflict` the worker joined with the operator's token, which it may still have
 */
export async function revokeWorker(unit: TokenUnit, name: string): Promise<void> {
  await mayGiveAccess(unit)
  const row = await unit.tokens.enrollment(name)
  if (row === undefined) throw notEnrolled(name, await unit.tasks.agentByName(name))
  await endEnrollment(unit, row)
  await recordAct(unit, 'worker.revoke', { target: name })
}

/** The worker's token, that of its process, and its attempts. */
export async function endEnrollment(unit: TokenUnit, row: TokenRow): Promise<void> {
  const { name } = row
  await unit.tokens.update(row.key, { revokedAt: unit.now, codeHash: null })
  await unit.feed('token.updated', { tokenId: row.id, what: 'revoked', by: nameOf(unit.caller) })
  const agent = row.agentId === null ? undefined : await unit.tasks.agent(row.agentId)
  if (agent === undefined) return
  // First, so that nobody hands the tasks back to it.
  await unit.tasks.updateAgent(agent.key, { tokenHash: null, bootId: null })
  for (const attempt of await unit.tasks.liveAttempts(agent.id)) {
    const task = await unit.tasks.taskByKey(attempt.taskKey)
    if (task !== undefined) await loseAttempt(unit, task, attempt, `the access of ${name} was revoked`, false)
  }
  await unit.feed('agent.updated', { agentId: agent.id, status: 'offline' })
}

/** @throws `conflict` the name is that of another kind of agent */
async function checkIsWorker(unit: TokenUnit, name: string): Promise<AgentRow | undefined> {
  const known = await unit.tasks.agentByName(name)
  if (known === undefined || known.kind === 'worker') return known
  throw new AppError('conflict', `${name} is the name of a ${known.kind}.`, { hint: 'Choose another name.' })
}

type Machine = Omit<EnterInput, 'code' | 'peer'>

async function bindAgent(
  unit: TokenUnit,
  known: AgentRow | undefined,
  name: string,
  { hostname, hostName, hostKey }: Machine,
): Promise<{ id: AgentRow['id'] }> {
  const bound = { hostname, hostName, hostKeyHash: hashOf(hostKey), tokenHash: null, bootId: null }
  if (known !== undefined) {
    await unit.tasks.updateAgent(known.key, bound)
    return known
  }
  const id = newAgentId(unit.random)
  const concurrency = AGENT_CONCURRENCY.least
  await unit.tasks.insertAgent({
    id,
    name,
    kind: 'worker',
    capabilities: [],
    cliLimits: {},
    fallsOver: false,
    concurrency,
    ...bound,
  })
  return { id }
}

const wrongCode = (): AppError =>
  new AppError('unauthorized', 'This enrollment code is wrong, already used or too old.', {
    hint: "Run 'lode worker enroll NAME' on the server's machine to get another one. Each code works once and for ten minutes.",
  })

function notEnrolled(name: string, agent: AgentRow | undefined): AppError {
  if (agent?.kind !== 'worker' || agent.tokenHash === null)
    return new AppError('not_found', `No worker ${quoted(name)} is enrolled.`, {
      hint: "Run 'lode worker list' to see all enrolled workers.",
    })
  return new AppError('conflict', `The worker ${name} joined with the operator's token, not with one of its own.`, {
    hint: "To end that token, run 'lode token rotate'.",
  })
}
