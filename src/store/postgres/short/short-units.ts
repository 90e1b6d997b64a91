import { isAppError } from '../../../domain/errors'
import { answerOf, type Ended } from '../../../domain/last-read'
import type { WriteTx } from '../../../domain/store'
import { PERMISSION_MODES } from '../../../domain/task/permission-mode'
import { type RememberedToken, requireProven } from '../../../domain/token/remembered-token'
import type { UnitSubject } from '../../../domain/unit-subject'
import { UnitScope } from '../../sql/unit-scope'
import type { TaskLinks } from '../../tasks/shown'
import type { DatabaseClock } from '../database-clock'
import type { PostgresPool } from '../postgres-pool'
import type { ShortAnswer } from '../postgres-writer'
import { type AgentFacts, readAgents, readTask, type TaskFacts } from './facts'
import { type Known, ShortTx, type Writes } from './short-tx'
import { type AnsweredUnit, type AskedUnit, UnitBatches } from './unit-batches'

/** Tasks, and agents, that are remembered. */
const REMEMBERED = 1_000
/** Characters of the texts of a task that is remembered. */
const LONGEST = 20_000
/** Tries of one unit as a short one. */
const TURNS = 2

/**
 * Units of tasks in one statement. A unit is run on what is remembered of its subject. What it decides is sent with the transactions that
 * wrote what it read, and the database writes it only if those rows are still the same, under the lock under which any other unit reads
 * them. So the rules are asked in their one place, and no row is held while a round trip goes by.
 *
 * What was not remembered is read first. A unit that asks for more than is known, fails, writes nothing or was overtaken twice is done as
 * any other: nothing of it was kept.
 */
export class ShortUnits {
  private readonly batches: UnitBatches
  private readonly clock: DatabaseClock
  private readonly tasks = new Remembered<TaskFacts>()
  private readonly agents = new Remembered<AgentFacts>()

  /** @param onPass  see `PostgresSequencer.passed` */
  constructor(pool: PostgresPool, clock: DatabaseClock, onPass: (askedAt: number, isWhole: boolean) => void) {
    this.batches = new UnitBatches(pool, clock, onPass)
    this.clock = clock
  }

  /** @returns `undefined` when it has to be done as any other. @throws `unavailable` · `UnprovenCaller` */
  async write<T>(
    work: (tx: WriteTx) => Ended<T> | Promise<Ended<T>>,
    about: UnitSubject,
  ): Promise<ShortAnswer<T> | undefined> {
    const remembered = this.recall(about)
    let known = remembered ?? (await this.read(about))
    for (let turn = 0; turn < TURNS; turn++) {
      const now = this.clock.estimate(performance.now())
      if (now === undefined) return undefined
      const short = new ShortTx(about, known, now)
      const ended = await run(short, work)
      if (short.isOutdated && known === remembered) {
        known = await this.read(about)
        continue
      }
      if (ended === undefined || short.isSpoilt || Object.keys(short.writes).length === 0) return undefined
      const answered = await this.send(about, known, short, now)
      if (answered?.state === 'done') {
        this.keep(short, known, answered)
        return { answer: await answerOf(ended.it), isNumbered: answered.isNumbered }
      }
      // What is next for an agent is looked for anew.
      if (answered?.state !== 'stale' || about.claim !== undefined) return undefined
      known = this.learn(about, answered)
    }
    return undefined
  }

  private async read(about: UnitSubject): Promise<Known> {
    return this.learn(about, proven(about, await this.batches.ask(asking(about, null, null, 0))))
  }

  private recall({ task, agents = [], claim }: UnitSubject): Known | undefined {
    if (claim !== undefined) return undefined
    const facts = task === undefined ? undefined : this.tasks.get(task)
    const them = agents.map((id) => this.agents.get(id)).filter((one) => one !== undefined)
    if ((task !== undefined && facts === undefined) || them.length < agents.length) return undefined
    // A conversation and a request that nobody knows yet are the usual ones.
    return { facts, agents: them, hosts: [], answer: null }
  }

  private learn(about: UnitSubject, { facts: text, agents: texts, hosts, answer }: AnsweredUnit): Known {
    const facts = text === null ? undefined : readTask(text)
    const agents = texts === null ? [] : readAgents(texts)
    if (facts !== undefined) this.remember(facts)
    else if (about.task !== undefined) this.tasks.delete(about.task)
    for (const one of agents) this.agents.set(one.agent.id, one)
    return { facts, agents, hosts: hosts === null ? [] : (JSON.parse(hosts) as string[]), answer }
  }

  private keep(short: ShortTx, known: Known, answered: AnsweredUnit): void {
    const { facts, xid, task_key: taskKey, attempt_key: attemptKey } = answered
    if (xid === null) throw new Error('a short unit was written without a transaction')
    // A claim that found nothing says that its agent was heard, and has no task.
    const since =
      facts !== null && taskKey !== null
        ? short.done({ links: JSON.parse(facts) as TaskLinks, xid, taskKey, attemptKey })
        : undefined
    if (since !== undefined) this.remember(since)
    const heard = known.agents.find(({ agent }) => agent.id === short.writes.heard)
    if (heard !== undefined) this.agents.set(heard.agent.id, { agent: { ...heard.agent, lastSeenAt: short.now }, xid })
  }

  private remember(facts: TaskFacts): void {
    const { task } = facts
    if (task.text.length + (task.output?.length ?? 0) > LONGEST) this.tasks.delete(task.id)
    else this.tasks.set(task.id, facts)
  }

  private async send(about: UnitSubject, known: Known, short: ShortTx, now: number): Promise<AnsweredUnit | undefined> {
    const { facts, agents } = known
    const subject = facts === undefined ? about : { ...about, task: facts.task.id }
    const seen = {
      taskXid: facts?.taskXid,
      liveXid: facts?.liveXid,
      // In the order of their keys, as the function puts them.
      agentsXid: [...agents]
        .sort((one, other) => one.agent.key - other.agent.key)
        .map(({ xid }) => xid)
        .join(' '),
      hosts: JSON.stringify(known.hosts),
      ...Object.fromEntries([...short.absent].map((what) => [what, 1])),
    }
    const asked = asking(subject, seen, short.writes, now)
    let answered: AnsweredUnit
    try {
      answered = await (short.isAlone ? this.batches.askAlone(asked) : this.batches.ask(asked))
    } catch (thrown) {
      if (isAppError(thrown) && thrown.code === 'unavailable') throw thrown
      // Nothing was kept: a row like it is there already, or two units met. The unit as any other tells.
      return undefined
    }
    return proven(about, answered)
  }
}

function asking(
  { remembered, ...about }: UnitSubject,
  seen: AskedUnit['seen'],
  writes: Writes | null,
  now: number,
): AskedUnit {
  const modes = about.claim === undefined ? {} : { modes: PERMISSION_MODES }
  const token = remembered === undefined || remembered.isGood ? {} : { token: tokenOf(remembered) }
  return { about: { ...about, ...modes, ...token }, seen, writes, now }
}

const tokenOf = ({ of, id, hash }: RememberedToken) => ({ of, id, hash })

/** The database looks up the token first: whatever it answers beside that it is not good tells that it is. @throws `UnprovenCaller` */
function proven({ remembered }: UnitSubject, answered: AnsweredUnit): AnsweredUnit {
  if (remembered !== undefined && answered.state !== 'unproven') remembered.isGood = true
  requireProven(remembered)
  return answered
}

/** Runs the unit on what is known. @returns `undefined` when it failed: whether it has to is not known by what may be old */
async function run<T>(
  short: ShortTx,
  work: (tx: WriteTx) => Ended<T> | Promise<Ended<T>>,
): Promise<{ it: Ended<T> } | undefined> {
  try {
    return { it: await new UnitScope().run(() => work(short.tx)) }
  } catch {
    return undefined
  }
}

/** The newest of what was set. */
class Remembered<Value> {
  private readonly values = new Map<string, Value>()

  get(name: string): Value | undefined {
    return this.values.get(name)
  }

  set(name: string, value: Value): void {
    this.values.delete(name)
    this.values.set(name, value)
    if (this.values.size <= REMEMBERED) return
    const [oldest] = this.values.keys()
    if (oldest !== undefined) this.values.delete(oldest)
  }

  delete(name: string): void {
    this.values.delete(name)
  }
}
