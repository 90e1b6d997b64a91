import type { Answers } from '#api/contract/operations/index'
import { meets } from '#domain/machine/needs'
import { type WhyNobody, whyNobodyInWords, whyNoneHas } from '#domain/task/placement/why-nobody'
import { type Rung, WAITS, type Wait } from '#domain/task/task'
import { counted } from '../../lib/format'

export type Fleet = Answers['fleet']
export type FleetAgent = Fleet['agents'][number]
export type Lease = Fleet['leases'][number]
type Queued = Pick<Fleet['queue']['next'][number], 'agentId' | 'offeredTo' | 'requiredCapabilities'>

/** What a task waits for, after a count. */
export const WAIT_WORDS: Readonly<Record<Wait, string>> = {
  dependency: 'waiting for another task',
  parent: "waiting for their parent's turn to end",
  children: 'waiting for their children',
  retry: 'waiting for their next attempt',
  limit: 'waiting for a usage limit to reset',
  time: 'waiting for their start time',
}

/** `8 cores, 16 GiB, 2 GPUs (NVIDIA H100)`. */
export function machineInWords({ cores, memoryBytes, gpus }: NonNullable<FleetAgent['machine']>): string {
  const names = [...new Set(gpus)].join(', ')
  return [
    counted(cores, 'core'),
    `${Math.round(memoryBytes / 2 ** 30)} GiB`,
    ...(gpus.length === 0 ? [] : [`${counted(gpus.length, 'GPU')} (${names})`]),
  ].join(', ')
}

/** How an attempt got its conversation, in a word or two. */
export const RUNG_NAMES: Readonly<Record<Rung, string>> = {
  native: 'resumed',
  restored: 'restored',
  snapshot: 'copied',
  translated: 'translated',
  preamble: 'summarised',
  fresh: 'started fresh',
}

/** `2 waiting for another task, 1 waiting for their start time`; empty if nothing waits. */
export const waitsInWords = (waits: Fleet['queue']['waitingFor']): string =>
  WAITS.flatMap((wait) => ((waits[wait] ?? 0) > 0 ? [`${waits[wait]} ${WAIT_WORDS[wait]}`] : [])).join(', ')

/**
 * How far the server's clock is ahead of this one, in milliseconds, judged by one response.
 *
 * @param serverNow  the server's time in the response. ISO 8601
 * @param heardAt  when the response arrived by this clock, in milliseconds since the epoch
 */
export const clockAhead = (serverNow: string, heardAt: number): number => Date.parse(serverNow) - heardAt

/** Whether it is online and can take a task now. @param now  milliseconds since the epoch */
export const isFree = ({ status, running, concurrency, limitedUntil }: FleetAgent, now: number): boolean =>
  status === 'online' && running < concurrency && (limitedUntil === null || Date.parse(limitedUntil) <= now)

/** Why no worker takes the task now; `null` if one can. */
export function whyNobody(task: Queued, { agents, leases }: Pick<Fleet, 'agents' | 'leases'>): string | null {
  const heard = agents.filter(({ status, isSpecialist }) => status === 'online' && !isSpecialist)
  const online = heard.filter(({ drainingSince }) => drainingSince === null)
  const named = agents.find(({ id }) => id === (task.agentId ?? task.offeredTo))
  const said = (why: WhyNobody, only: string | null): string => whyNobodyInWords(why, { only })
  if (named !== undefined && !named.isSpecialist && named.status === 'offline')
    return said({ is: 'away', heardAt: undefined }, named.name)
  if (named !== undefined && named.drainingSince !== null) return said({ is: 'draining' }, named.name)
  if (online.length === 0 && heard.length > 0)
    return whyNobodyInWords({ is: 'draining' }, { only: null, names: heard.map(({ name }) => name) })
  if (online.length === 0) return said({ is: 'away', heardAt: undefined }, null)
  const needs = task.requiredCapabilities
  const lacks = online.map((agent) => needs.filter((need) => !meets(agent, need)))
  const none = whyNoneHas(needs, lacks)
  if (none !== null) return said(none, null)
  const able = online.filter((_, at) => lacks[at]?.length === 0)
  return whyFull(named !== undefined && !named.isSpecialist ? [named] : able, leases)
}

/** `laptop is full: 4 of 4 busy, all wait for your answer`; `null` if one of them has room. */
function whyFull(workers: readonly FleetAgent[], leases: readonly Lease[]): string | null {
  if (workers.some(({ running, concurrency }) => running < concurrency)) return null
  const busy = workers.reduce((sum, { running }) => sum + running, 0)
  const room = workers.reduce((sum, { concurrency }) => sum + concurrency, 0)
  const ids = new Set(workers.map(({ id }) => id))
  const waiting = leases.filter(({ attempt, isWaiting }) => isWaiting && ids.has(attempt.agentId)).length
  const [only] = workers
  const who =
    workers.length === 1 && only !== undefined ? `${only.name} is full` : `all ${workers.length} workers are full`
  const some = waiting < busy ? String(waiting) : busy === 1 ? 'it' : 'all'
  const how = waiting === 0 ? '' : `, ${some} ${waiting === 1 ? 'waits' : 'wait'} for your answer`
  return `${who}: ${busy} of ${room} busy${how}`
}

/** The number of online workers and their free slots. @param now  milliseconds since the epoch */
export function roomInWords(agents: readonly FleetAgent[], now: number): string {
  const workers = agents.filter(({ status, isSpecialist }) => status === 'online' && !isSpecialist)
  if (workers.length === 0) return 'No worker is online. lode work starts one.'
  const free = workers.filter((one) => isFree(one, now)).reduce((sum, one) => sum + one.concurrency - one.running, 0)
  return `${counted(workers.length, 'worker')} online, room for ${counted(free, 'more task')}`
}
