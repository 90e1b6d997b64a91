import type { TaskRow } from '../../../domain/task/task-store'
import { MINUTE_MS } from '../../../domain/time-units'
import { AWAY_AFTER_MS } from '../../unit/agent-presence'
import { REMEMBER_MS } from '../../unit/repeat'
import { DEFAULT_LEASE, inUnit, SYSTEM, type TaskParts, type Unit } from '../../unit/unit'
import { isParentBusy, moveTask } from '../move-task'
import { offerEnded } from '../offers'
import { expireQuestion } from '../questions'
import type { SweepTotals } from '../task-inputs'
import { loseAttempt } from './end-attempt'
import { freeAffine } from './join-agent'

/** Rows of one kind in one unit, so that none is long. */
const ROWS_PER_UNIT = 100
/** Rows of a few bytes that nobody looks at. */
const ANSWERS_PER_UNIT = 1_000
/** Units of one kind in one sweep. */
const ROUNDS = 50
/** A longer gap than this share of a lease since the last sweep: the server was down, or the machine asleep. */
const GAP_SHARE = 1 / 2
/** A sweep is written down at the latest after this share of a lease: well within the gap, and a second beside it for the next sweep. */
export const LOOK_SHARE = 1 / 4
/** Answers that are old are forgotten this often, in milliseconds. */
const FORGET_EVERY_MS = MINUTE_MS
/** No sweep of a command takes longer. */
const SWEEP_MOST_MS = 30_000
/** Longer than any gap between two looks at leases: nobody asks for one. */
const NEVER_MS = Number.MAX_SAFE_INTEGER

/**
 * What happens because time passed, in small units. Several servers may sweep at once.
 *
 * Keeps nothing but when agents were last given the benefit of the doubt: after a gap they could not have been heard of.
 */
export class Sweeper {
  private readonly parts: TaskParts
  private graceUntil = 0
  private forgotAt = Number.NEGATIVE_INFINITY

  constructor(parts: TaskParts) {
    this.parts = parts
  }

  async sweep(): Promise<SweepTotals> {
    if (this.parts.lease?.isStill === true) await this.keepAll()
    const totals: SweepTotals = { lost: 0, woken: 0, expired: 0 }
    totals.lost = await this.rounds((unit) => this.loseExpired(unit))
    await this.forgetOld()
    if (!(await this.isMoreDue())) return totals
    totals.expired = await this.rounds(expireOffers)
    totals.expired += await this.rounds(expireQuestions)
    totals.woken = await this.rounds(wakeDue)
    await this.unit((unit) => this.freeFromGone(unit))
    return totals
  }

  /**
   * Gives every live lease its full length. The one server of an embedded database calls it at its start, before it sweeps, however short
   * it was gone: workers on its machine count on it that no lease ends while no server is there.
   */
  async renewAll() {
    await this.unit(async (unit) => {
      await unit.tasks.extendAllLeases(unit.now)
    })
  }

  /** No lease is over while this sweep runs. Writes only when one could be. */
  private async keepAll(): Promise<void> {
    await this.unit(async (unit) => {
      const late = await unit.tasks.expired(unit.now + SWEEP_MOST_MS, 1)
      if (late.length > 0) await unit.tasks.extendAllLeases(unit.now + SWEEP_MOST_MS)
    })
  }

  private async forgetOld(): Promise<void> {
    const at = this.parts.now?.() ?? Date.now()
    if (Math.abs(at - this.forgotAt) < FORGET_EVERY_MS) return
    this.forgotAt = at
    await this.rounds(forget)
  }

  /** Most sweeps only look at leases. Asked by the database's time: with another clock all is looked at. */
  private async isMoreDue(): Promise<boolean> {
    if (this.parts.now !== undefined) return true
    return await this.parts.store.tasks.isSweepDue(NEVER_MS, AWAY_AFTER_MS)
  }

  private unit<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    return inUnit(this.parts, SYSTEM, work)
  }

  private async rounds(work: (unit: Unit) => Promise<number>): Promise<number> {
    let total = 0
    for (let round = 0; round < ROUNDS; round++) {
      const done = await this.unit(work)
      total += done
      if (done < ROWS_PER_UNIT) break
    }
    return total
  }

  /**
   * The look at the clock and what it judges are one unit with one time. Were they two, this process could stand still in between, and
   * what should have been given time would be taken for silent.
   */
  private async loseExpired(unit: Unit): Promise<number> {
    await this.lookAtClock(unit)
    return await loseExpired(unit)
  }

  /** Leases run only while somebody looks. */
  private async lookAtClock(unit: Unit): Promise<void> {
    const { ms } = this.parts.lease ?? DEFAULT_LEASE
    const last = await unit.tasks.leaseClock(unit.now, ms * LOOK_SHARE)
    // A server that waited for another one's look is behind it by this long.
    if (Math.abs(unit.now - last) <= ms * GAP_SHARE) return
    await unit.tasks.extendAllLeases(unit.now)
    this.graceUntil = unit.now + AWAY_AFTER_MS
  }

  /** Tasks that we chose an agent for, or that its shutdown paused, are for anybody when it is gone. */
  private async freeFromGone(unit: Unit): Promise<void> {
    await this.lookAtClock(unit)
    if (unit.now < this.graceUntil && this.graceUntil - unit.now <= AWAY_AFTER_MS) return
    for (const agent of await unit.tasks.goneAgents(unit.now - AWAY_AFTER_MS)) {
      const why = `${agent.name} is away`
      for (const task of await unit.tasks.affine(agent.key)) await freeAffine(unit, task, why)
      for (const task of await unit.tasks.pausedByShutdown(agent.key)) await continueElsewhere(unit, task, why)
    }
  }
}

async function continueElsewhere(unit: Unit, task: TaskRow, why: string): Promise<void> {
  const resumed = await moveTask(unit, task, { kind: 'resume', why })
  if (resumed.assignedBy === 'affinity') await freeAffine(unit, resumed, why)
}

async function loseExpired(unit: Unit): Promise<number> {
  const expired = await unit.tasks.expired(unit.now, ROWS_PER_UNIT)
  for (const attempt of expired) {
    const task = await unit.tasks.taskByKey(attempt.taskKey)
    if (task === undefined) continue
    await loseAttempt(unit, task, attempt, `attempt ${attempt.number} was silent for ${spanOf(attempt.leaseMs)}`, false)
  }
  return expired.length
}

async function wakeDue(unit: Unit): Promise<number> {
  const due = await unit.tasks.due(unit.now, ROWS_PER_UNIT)
  for (const task of due) {
    if (task.status === 'paused') {
      await moveTask(unit, task, { kind: 'resume', why: 'the usage limit is over' })
      continue
    }
    const live = await unit.tasks.liveAttempt(task.key)
    if (live !== undefined) {
      // Its former attempt is still ending.
      await unit.tasks.updateTask(task.key, { notBefore: Math.max(live.leaseExpiresAt ?? 0, unit.now + 1_000) })
      continue
    }
    const isParent = task.waitingFor === 'time' && (await isParentBusy(unit, task))
    await moveTask(unit, task, { kind: 'place', why: 'its time has come', isParentBusy: isParent })
  }
  return due.length
}

async function expireOffers(unit: Unit): Promise<number> {
  const expired = await unit.tasks.expiredOffers(unit.now)
  for (const offer of expired) {
    await unit.tasks.removeOffer(offer.taskKey)
    const task = await unit.tasks.taskByKey(offer.taskKey)
    const agent = await unit.tasks.agentByKey(offer.agentKey)
    if (task !== undefined) await offerEnded(unit, task, `the offer to ${agent?.name ?? 'an agent'} expired`)
  }
  return expired.length
}

async function expireQuestions(unit: Unit): Promise<number> {
  const open = await unit.tasks.openQuestions({ dueBefore: unit.now })
  for (const question of open) await expireQuestion(unit, question)
  return open.length
}

const forget = async (unit: Unit): Promise<number> =>
  await unit.tasks.forgetAnswers(unit.now - REMEMBER_MS, ANSWERS_PER_UNIT)

/** A lease in the unit in which people set it. */
const spanOf = (ms: number): string => {
  const seconds = Math.round(ms / 1_000)
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}
