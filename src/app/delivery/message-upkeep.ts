import { statSync } from 'node:fs'
import type { Config } from '../../config/load'
import type { JournalRef } from '../../domain/harness/harness'
import { type Address, address, type SessionId, sessionId, type ToolUseId, taskId, taskOf } from '../../domain/ids'
import { type Carrier, carrierOf } from '../../domain/message/carrier'
import { addressKind } from '../../domain/message/message'
import type { MessageFlight } from '../../domain/message/message-store'
import type { Store } from '../../domain/store'
import type { Attempt } from '../../domain/task/task'
import { MINUTE_MS } from '../../domain/time-units'
import type { MessageService } from '../../engine/messages/message-service'
import type { Logger } from '../../util/log'
import { isSameProcess } from '../../util/process/process-tree'
import { startUpkeep } from '../../util/upkeep-loop'
import type { HostIdentity } from '../files/home'
import { streamPath } from '../files/kept-files'
import { agentOfStream } from '../files/run-files'
import { filesOfSession, followedFiles, refsOf } from '../followed'
import { bytesBehind } from '../processes/catch-up'
import type { RecordEngine } from '../threads/record-engine'
import { OVERTAKEN_MS, overtakenFlights } from './overtaken'

export interface MessageUpkeepOptions {
  store: Store
  messages: MessageService
  engine: RecordEngine
  config: Config
  /** This machine. */
  host: HostIdentity
  log: Logger
}

/** Lines that carry messages are looked for this soon after something was committed, in milliseconds. */
const SETTLE_MS = 50
/** Carriers are looked at this often. */
const CARRIER_LOOK_MS = 1_000
/** The same while no message is on its way. An expiry may be reported this much later. */
const QUIET_LOOK_MS = 5_000
/** Carriers that one look judges. */
const MAX_CARRIERS = 1_000
/** A flight that takes longer is checked: at most this many at once, the longest in flight first. */
const LATE_MS = 1_000
const MAX_LATE = 50
/**
 * A call that says nothing of itself is taken for over when it has neither acknowledged nor asked again for this long: as long as the
 * longest wait.
 */
const UNKNOWN_CALL_MS = 10 * MINUTE_MS
/** A transcript that the record does not follow never comes: this long after a worker spoke of it, it is not waited for any more. */
const LONGEST_COMING_MS = 10 * MINUTE_MS

/**
 * Keeps messages in step with the record, and brings back what their carriers did not deliver. Where no message is unfinished this
 * costs a look at three indexes each five seconds, and one after each commit.
 */
export function startMessageUpkeep(options: MessageUpkeepOptions): () => Promise<void> {
  const { store, messages, log } = options
  let overtakenAt = 0
  return startUpkeep({
    everyMs: CARRIER_LOOK_MS,
    quietMs: QUIET_LOOK_MS,
    onChange: (changed) => store.feed.onChange(changed),
    afterChangeMs: SETTLE_MS,
    log,
    failure: 'upkeep of messages failed; trying again',
    async check(cause) {
      if (await store.messages.hasUnsettled()) await messages.settle([])
      if (cause === 'change') return true
      if (await store.messages.hasLapsed()) await messages.settle([])
      const flights = await store.messages.flights(MAX_CARRIERS)
      await readBehind(flights, options)
      const gone = await goneCarriers(flights, options)
      const now = Date.now()
      if (now - overtakenAt > OVERTAKEN_MS) {
        overtakenAt = now
        gone.push(...(await overtakenFlights(flights, options, now)))
      }
      if (gone.length === 0) return flights.length > 0
      // The lines that a last look found are known before anything is said to be without one.
      const { returned } = await messages.settle(gone)
      if (returned > 0)
        log.info('messages returned from carriers that are gone or lost them', {
          returned,
          carriers: gone.slice(0, 5).map(({ target }) => target),
        })
      return true
    },
  })
}

/**
 * If a change of a file was missed, the collector's slow rescan finds it; a message on its way should not wait for that.
 */
async function readBehind(flights: readonly MessageFlight[], options: MessageUpkeepOptions): Promise<void> {
  const late = flights.filter(({ since }) => Date.now() - since > LATE_MS)
  for (const { to } of late.slice(0, MAX_LATE)) await readToEnd(await sessionsAt(to, options), options)
  if (late.length > 0 && (await options.store.messages.hasUnsettled())) await options.messages.settle([])
}

/** Carriers that are gone, and whose files the record has to their end. */
async function goneCarriers(
  flights: readonly MessageFlight[],
  options: MessageUpkeepOptions,
): Promise<MessageFlight[]> {
  const gone: MessageFlight[] = []
  for (const flight of flights) if (await isGone(flight, carrierOf(flight.target), options)) gone.push(flight)
  return gone
}

async function isGone(flight: MessageFlight, carrier: Carrier, options: MessageUpkeepOptions): Promise<boolean> {
  switch (carrier.kind) {
    case 'attempt':
      return (await isAttemptGone(carrier, options)) || (await isAnswered(carrier.toolUseId, flight.to, options))
    case 'process':
      if (carrier.host !== options.host.name || isSameProcess(carrier)) return false
      return (await readToEnd(await sessionsAt(flight.to, options), options, carrier.host)) === 'here'
    case 'call':
      if (carrier.toolUseId === null) return Date.now() - flight.since > UNKNOWN_CALL_MS
      return (await isAnswered(carrier.toolUseId, flight.to, options)) || (await hasEnded(flight.to, options))
  }
}

/**
 * The attempt is over, its output is recorded as far as it came, and so is its transcript. For a run on another machine it takes its
 * worker's word, which says at the end how long the transcript is. If that worker was lost, the next attempt goes on from what the record
 * has, or else in the file that was left, and says how long that was.
 */
async function isAttemptGone(
  { attemptId }: Extract<Carrier, { kind: 'attempt' }>,
  options: MessageUpkeepOptions,
): Promise<boolean> {
  const { store, engine, config } = options
  const attempts = await store.tasks.attempts(taskOf(attemptId))
  const attempt = attempts.find(({ id }) => id === attemptId)
  if (attempt === undefined) return true
  if (attempt.endedAt === null || runsHere(attempt, options.host)) return false
  if (attempt.conversation === null) return true
  const path = streamPath(config.home, attemptId)
  const agent = await agentOfStream(store, attempt.conversation.sessionId, path, attempt.agentCli)
  const stream: JournalRef = { agent, kind: 'stream', path, sessionId: null, subagentId: null }
  await recordIfBehind([stream], options.host, store, engine)
  if ((await readToEnd([attempt.conversation.sessionId], options, attempt.hostName)) === 'here') return true
  const isToldByWorker = attempt.outcome !== null && attempt.outcome !== 'lost'
  const told = isToldByWorker
    ? attempt
    : attempts.find(({ number, process }) => number > attempt.number && process !== null)
  return told !== undefined && (await hasCome(told, store))
}

/** The record has what its worker said that there is, or what it will never have. */
async function hasCome({ conversation, startedAt, endedAt }: Attempt, store: Store): Promise<boolean> {
  const bytes = conversation?.transcriptBytes ?? 0
  if (conversation === null || bytes === 0) return true
  const journals = await store.journals.listBySession(conversation.sessionId)
  // Hosts on one machine each have a record of a file, of which one may stand still.
  const sizes = journals
    .filter(({ kind }) => kind === 'transcript')
    .flatMap(({ incarnations }) => incarnations.flatMap(({ size, closedAt }) => (closedAt === null ? [size] : [])))
  return Math.max(0, ...sizes) >= bytes || Date.now() - Date.parse(endedAt ?? startedAt) > LONGEST_COMING_MS
}

/** Its process is alive on this machine. */
function runsHere({ process: run, hostName }: Attempt, host: HostIdentity): boolean {
  return hostName === host.name && run?.startedAt != null && isSameProcess({ pid: run.pid, startedAt: run.startedAt })
}

/** The answer of the tool call is in a transcript of the receiver: what it brought is known. */
async function isAnswered(toolUseId: ToolUseId | null, at: Address, options: MessageUpkeepOptions): Promise<boolean> {
  if (toolUseId === null) return false
  for (const session of await sessionsAt(at, options)) {
    const filter = { sessionId: session, toolUseId, type: 'tool_result' } as const
    if ((await options.store.events.list(filter, { limit: 1 })).rows.length > 0) return true
  }
  return false
}

/** Nobody is at work in the receiver's conversation any more, and the record has all of it. */
async function hasEnded(at: Address, options: MessageUpkeepOptions): Promise<boolean> {
  const sessions = await sessionsAt(at, options)
  if (sessions.length === 0) return false
  for (const id of sessions) {
    const session = await options.store.sessions.find(id)
    if (session === undefined || (session.signals.processState !== 'gone' && session.endedAt === null)) return false
  }
  return (await readToEnd(sessions, options)) === 'here'
}

/** Conversations in which what is for the address is said: its own, those of its aliases, those of a task's attempts. */
async function sessionsAt(at: Address, { store }: MessageUpkeepOptions): Promise<SessionId[]> {
  const found = new Set<SessionId>()
  for (const name of [at, ...(await store.messages.aliasesOf(at)).map(address)]) {
    const kind = addressKind(name)
    if (kind === 'session') found.add(sessionId(name))
    if (kind !== 'task') continue
    for (const { conversation } of await store.tasks.attempts(taskId(name)))
      if (conversation !== null) found.add(conversation.sessionId)
  }
  return [...found]
}

/**
 * Takes in what the files of these sessions hold beyond the record.
 *
 * @param ranOn  the machine where the carrier ran, and where a file may be that nobody has seen yet; where it is not given, that of the
 *   session's process
 * @returns `elsewhere`: a file is on another machine, or may be, so that nothing is known of its end
 */
async function readToEnd(
  sessions: readonly SessionId[],
  { config, host, store, engine }: MessageUpkeepOptions,
  ranOn?: string | null,
): Promise<'here' | 'elsewhere'> {
  for (const session of sessions) {
    const known = (await store.journals.listBySession(session)).filter(({ kind }) => kind === 'transcript')
    const here = await store.journals.listOpen(host.name, { paths: known.map(({ path }) => path) })
    // Machines have files at the same paths: the incarnation tells whose it is.
    const ours = new Set(here.map(({ incarnation }) => incarnation))
    const open = known.flatMap(({ incarnations }) => incarnations.filter(({ closedAt }) => closedAt === null))
    if (open.some(({ id }) => !ours.has(id))) return 'elsewhere'
    const refs = new Map((await filesOfSession(config, session)).map((ref) => [ref.path, ref]))
    const paths = here.map(({ path }) => path)
    for (const files of await followedFiles(config))
      for (const ref of refsOf(files, paths)) if (!refs.has(ref.path)) refs.set(ref.path, ref)
    await recordIfBehind([...refs.values()], host, store, engine)
    if ((ranOn ?? (await hostOf(session, store))) !== host.name) return 'elsewhere'
  }
  return 'here'
}

/** Where the session's process was seen last, or else where it was recorded first; `null` = nothing is known of it. */
async function hostOf(session: SessionId, store: Store): Promise<string | null> {
  const found = await store.sessions.find(session)
  return found === undefined ? null : (found.processHost ?? found.hostName)
}

async function recordIfBehind(
  refs: readonly JournalRef[],
  host: HostIdentity,
  store: Store,
  engine: RecordEngine,
): Promise<void> {
  const existing = refs.filter(({ path }) => statSync(path, { throwIfNoEntry: false }) !== undefined)
  if (existing.length === 0) return
  const stored = await store.journals.listOpen(host.name, { paths: existing.map(({ path }) => path) })
  const open = new Map(stored.map((journal) => [journal.path, journal]))
  for (const ref of existing) if (bytesBehind(ref.path, open.get(ref.path)) > 0) await engine.recordFile(ref)
}
