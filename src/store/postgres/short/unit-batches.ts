import { isAppError } from '../../../domain/errors'
import type { RememberedToken } from '../../../domain/token/remembered-token'
import type { UnitSubject } from '../../../domain/unit-subject'
import { toJson } from '../../sql/columns'
import type { DatabaseClock } from '../database-clock'
import type { PostgresPool } from '../postgres-pool'
import { isWholePass, ROWS_OF_PASS } from '../postgres-sequencer'
import type { Writes } from './short-tx'

/** Units gather while a statement is under way, but do not wait longer for its answer, in milliseconds: it may wait for somebody's row. */
const GATHER_MS = 10
/** Statements under way at once. */
const STATEMENTS_AT_ONCE = 4
/** Units in one statement. */
const UNITS_AT_ONCE = 16
/** Units that wait for a row, each with a connection of the pool. */
const WAITING_AT_ONCE = 3

/** What a unit asks of the function `task_unit`. */
export interface AskedUnit {
  about: Omit<UnitSubject, 'remembered'> & {
    modes?: readonly string[]
    token?: Pick<RememberedToken, 'of' | 'id' | 'hash'>
    /** It is one of several, and is left out if it would have to wait for its task's row. */
    together?: true
  }
  seen: Readonly<Record<string, unknown>> | null
  /** `null` = it only reads. */
  writes: Writes | null
  now: number
}

export interface AnsweredUnit {
  state: 'read' | 'done' | 'stale' | 'clock' | 'unproven'
  clock: number
  /** For a unit that was done, only what is linked to the task. */
  facts: string | null
  agents: string | null
  hosts: string | null
  answer: string | null
  xid: string | null
  task_key: number | null
  attempt_key: number | null
  /** Its entries of the feed have their numbers. */
  isNumbered: boolean
}

const ANSWER = 'state, clock, facts, agents, hosts, answer, xid, task_key, attempt_key'

/** Its last row is of the feed. */
const UNITS = `select ${ANSWER} from task_units($1::text::jsonb, ${ROWS_OF_PASS})`

interface Waiting {
  asked: AskedUnit
  resolve(answered: AnsweredUnit): void
  reject(thrown: unknown): void
}

/**
 * Sends units to the database: at once while none is under way, else several in one statement, which is one transaction. If that fails,
 * nothing of it was kept, and each is sent alone. So is one that has to wait for its task's row, aside: it keeps no other from being sent.
 */
export class UnitBatches {
  private readonly pool: PostgresPool
  private readonly clock: DatabaseClock
  private readonly onPass: (askedAt: number, isWhole: boolean) => void
  private readonly waiting: Waiting[] = []
  private readonly aside: Waiting[] = []
  private asideUnderWay = 0
  private underWay = 0
  private sentAt = 0
  private growing: ReturnType<typeof setTimeout> | undefined

  /** @param onPass  see `PostgresSequencer.passed` */
  constructor(pool: PostgresPool, clock: DatabaseClock, onPass: (askedAt: number, isWhole: boolean) => void) {
    this.pool = pool
    this.clock = clock
    this.onPass = onPass
  }

  /** In a statement with others. None of these may hold what another statement's units wait for while it waits for theirs. */
  ask(asked: AskedUnit): Promise<AnsweredUnit> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject })
      this.start()
    })
  }

  async askAlone(asked: AskedUnit): Promise<AnsweredUnit> {
    const [answered] = await this.execute([asked])
    if (answered === undefined) throw new Error('the function of short units answered nothing')
    return answered
  }

  private start(): void {
    if (this.waiting.length === 0 || this.underWay >= STATEMENTS_AT_ONCE) return
    const left = this.underWay === 0 ? 0 : this.sentAt + GATHER_MS - performance.now()
    if (left > 0) {
      this.growing ??= setTimeout(() => {
        this.growing = undefined
        this.start()
      }, left)
      return
    }
    this.underWay++
    this.sentAt = performance.now()
    void this.send(this.waiting.splice(0, UNITS_AT_ONCE)).finally(() => {
      this.underWay--
      this.start()
    })
    this.start()
  }

  private async send(units: Waiting[]): Promise<void> {
    // One order of what they lock, whoever sends them: keys of requests, then tasks.
    units.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
    let answers: (AnsweredUnit | { state: 'locked' })[]
    try {
      // One that would have to wait for its task's row is left out: the others do not wait with it.
      answers = await this.execute(units.map(({ asked }) => ({ ...asked, about: { ...asked.about, together: true } })))
    } catch (thrown) {
      const isUseless = units.length === 1 || (isAppError(thrown) && thrown.code === 'unavailable')
      if (!isUseless) return await this.sendEach(units)
      for (const { reject } of units) reject(thrown)
      return
    }
    const left: Waiting[] = []
    for (const [at, unit] of units.entries()) {
      const answered = answers[at]
      if (answered === undefined || answered.state === 'locked') left.push(unit)
      else unit.resolve(answered)
    }
    this.aside.push(...left)
    this.startAside()
  }

  private startAside(): void {
    while (this.asideUnderWay < WAITING_AT_ONCE) {
      const unit = this.aside.shift()
      if (unit === undefined) return
      this.asideUnderWay++
      void this.sendEach([unit]).finally(() => {
        this.asideUnderWay--
        this.startAside()
      })
    }
  }

  private async sendEach(units: Waiting[]): Promise<void> {
    await Promise.all(units.map(({ asked, resolve, reject }) => this.askAlone(asked).then(resolve, reject)))
  }

  private async execute(units: readonly AskedUnit[]): Promise<AnsweredUnit[]> {
    const askedAt = performance.now()
    const { rows } = await this.pool.execute(UNITS, [toJson(units)])
    const answered = rows as unknown as AnsweredUnit[]
    const numbered = answered.pop()?.task_key ?? null
    const isNumbered = numbered !== null && isWholePass(numbered)
    if (numbered !== null) this.onPass(askedAt, isNumbered)
    const clock = answered[0]?.clock
    if (clock != null) this.clock.read({ now: clock, askedAt, answeredAt: performance.now() })
    return answered.map((one) => ({ ...one, isNumbered }))
  }
}

function orderOf({ asked: { about } }: Waiting): string {
  return about.answer === undefined ? `1 ${about.task ?? ''}` : `0 ${about.answer.join(' ')}`
}
