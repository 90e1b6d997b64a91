import type { OverviewReads, UntakenTasks } from '../../domain/overview/overview-store'
import { cliNeed, type WhyNobody, whyNobodyInWords } from '../../domain/task/placement/why-nobody'
import { MINUTE_MS } from '../../domain/time-units'
import type { NeedDraft, Scene } from './scene'
import { argument, isoTime } from './words'

/** Tasks wait this long before they are reported as not takeable: a restarted worker takes its own up within seconds. */
export const CLAIM_GRACE_MS = MINUTE_MS

/**
 * Groups of tasks that no online agent may take, for a minute at least. They are reported however long they wait: an old task that waits is
 * still to be done.
 *
 * @param lost  tasks that are reported as lost: they wait for the same reason, and are reported once
 */
export async function untaken(reads: OverviewReads, scene: Scene, lost: readonly NeedDraft[]): Promise<NeedDraft[]> {
  const groups = await reads.untaken(
    scene.now,
    lost.flatMap(({ task }) => task?.key ?? []),
  )
  return groups.flatMap((group): NeedDraft[] => {
    const { agent, requiredCapabilities, openSince, heardAt, first } = group
    if (scene.now - Math.max(openSince, heardAt ?? 0) < CLAIM_GRACE_MS) return []
    return [
      {
        kind: 'untaken',
        // Its representative comes and goes; the wait of the oldest is the occasion, however many join it.
        id: `untaken:${agent?.id ?? 'pool'}:${named([...requiredCapabilities, ...group.neededClis])}:${openSince}`,
        since: openSince,
        evidence: `${isSingleTask(group) ? 'open' : 'the oldest is open'} since ${isoTime(openSince)}, and ${silence(group)}`,
        task: isSingleTask(group) ? first : null,
        session: null,
        group,
      },
    ]
  })
}

/** Whether it is one task alone, which is reported as itself. */
export const isSingleTask = ({ count, isMore }: UntakenTasks): boolean => count === 1 && !isMore

/** A set of capabilities in an id: as it is while it is short, else by its digest. */
function named(capabilities: readonly string[]): string {
  const text = JSON.stringify(capabilities)
  const plain = capabilities.join('+')
  return /^[\w.+-]{0,64}$/.test(plain) ? plain : new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16)
}

function silence({ heardAt }: UntakenTasks): string {
  if (heardAt === null) return 'no agent that may take it has ever been online'
  return `no agent that may take it has been online since ${isoTime(heardAt)}`
}

/** `3 tasks wait`, of a group of several. */
export const untakenTitle = ({ count, isMore }: UntakenTasks): string =>
  isMore ? `More than ${count.toLocaleString('en')} tasks wait` : `${count} tasks wait`

/** Why nobody takes them. @param firstTitle  of the first in the queue; `null` = the need is about one task, under its own title */
export function untakenText(group: UntakenTasks, firstTitle: string | null): string {
  const why = whyNobodyInWords(reasonOf(group), { only: group.agent?.name ?? null, names: group.draining ?? [] })
  return firstTitle === null ? why : `${why}${why.endsWith('.') ? ' The' : '; the'} first is ${firstTitle}`
}

function reasonOf(group: UntakenTasks): WhyNobody {
  const {
    agent,
    missing,
    requiredCapabilities,
    neededClis,
    lacksClis,
    isAnyoneOnline,
    draining = [],
    ceiling,
    outside,
  } = group
  if (ceiling !== null) return { is: 'above', mode: ceiling.needed, highest: ceiling.highest }
  if (outside !== null) return { is: 'outside', dir: outside }
  if (agent?.isDraining || draining.length > 0) return { is: 'draining' }
  if (agent !== null && !agent.isOnline) return { is: 'away', heardAt: agent.heardAt }
  if (!isAnyoneOnline) return { is: 'away', heardAt: undefined }
  const lacked = [...missing, ...(lacksClis ? [cliNeed(neededClis)] : [])]
  if (lacked.length > 0) return { is: 'lacking', missing: lacked }
  return { is: 'scattered', needs: [...requiredCapabilities, ...(neededClis.length > 0 ? [cliNeed(neededClis)] : [])] }
}

/** What a person types: a worker where there is none, else a list of those that are there, or the task, which can be given to another. */
export function untakenCommand(group: UntakenTasks): string | null {
  const { agent, isAnyoneOnline, requiredCapabilities, draining = [] } = group
  if (draining.length > 0) return 'lode machine list'
  if (agent === null && !isAnyoneOnline && requiredCapabilities.length === 0) return 'lode work'
  if (!isSingleTask(group)) return 'lode agent list'
  const task = argument(group.first.id)
  return task === null ? null : `lode task show ${task}`
}
