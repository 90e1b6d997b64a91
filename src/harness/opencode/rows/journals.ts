import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RowJournals, RowLook } from '../../../domain/harness/harness-database'
import { type ProcessLock, tryProcessLock } from '../../../util/process/process-lock'
import { isDamage, OpencodeDatabase } from './read-database'
import { SessionIndex } from './session-index'
import { FILE_NAME, placesOf } from './session-places'
import { SessionRows, type Taken } from './session-rows'

/** Milliseconds without a change after which all rows of a session are compared. */
const QUIET_MS = 1_500
/** Least milliseconds between two looks at the rows of all sessions, and how often longer than such a look the pause is. */
const SWEEP_MS = 2_000
const SWEEP_SHARE = 50
/** Milliseconds after the last change at which the database is closed. */
const CLOSE_MS = 1_000
/** Milliseconds until something that waits is looked at again. */
const AGAIN_MS = 250
/**
 * SQLite shows a commit after it has written the log, and no file reports that: a change that shows nothing is looked for again this often,
 * after this many milliseconds.
 */
const UNSEEN = { looks: 4, ms: 8 }
/** Messages of a session that a quick look compares: what is older seldom changes, and is compared once the session is quiet. */
const RECENT_MESSAGES = 4
/** Sessions that are looked at with each change, where no list tells which one changed: those whose own rows changed last. */
const LATEST_SESSIONS = 8
/** Sessions of whose rows the versions are kept in memory. */
const SESSIONS_IN_MEMORY = 50
/** Milliseconds until a damaged session is read again. */
const DAMAGED_MS = 30_000
/** Least milliseconds between two times that all sessions are compared because a part was damaged. */
const FORGET_MS = 300_000
/** Milliseconds of work before others have their turn, and before changes are looked for again. */
const SLICE_MS = 8
const BACKFILL_MS = 100

/**
 * The journals of an `opencode.db`. A change of its files leads to a quick look at the sessions that changed: their own rows, to-dos and
 * last messages. While things change, the own rows of all sessions are compared now and then; and once a session is quiet, all of its rows
 * are. While nothing changes, nothing is opened.
 */
export class DatabaseJournals implements RowJournals {
  readonly watched: string
  readonly #path: string
  readonly #folder: string
  readonly #sessions = new Map<string, SessionRows>()
  /** Those whose rows are to be compared, or were lately; the one that changed last is last. */
  readonly #busy = new Set<SessionRows>()
  #lock: ProcessLock | null = null
  #index: SessionIndex | null = null
  #db: OpencodeDatabase | null = null
  /** How the files looked when they were last read. */
  #seen: FileLook = NOTHING
  #changedAt = 0
  #lastEvent: number | null = null
  #unseenLooks = 0
  #sweep = { isDue: true, notBefore: 0 }
  #problem: string | null = null
  /** Sessions with rows that could not be read, and whether all are to be compared once the file is another one. */
  readonly #damaged = new Set<SessionRows>()
  #hasDamage = false
  #forgetNotBefore = 0
  #sliceEnd = 0

  constructor(watched: string, path: string, folder: string) {
    this.watched = watched
    this.#path = path
    this.#folder = folder
  }

  async look(): Promise<RowLook> {
    const now = Date.now()
    const seen = lookAt(this.#path)
    if (seen.inode === null) {
      this.#disconnect()
      return NOTHING_NEW
    }
    if (this.#index === null) this.#begin()
    const isChanged = seen.text !== this.#seen.text
    if (!isChanged && this.#db === null && !this.#isSomethingDue(now)) return this.#answer([])
    if (!this.#takeLock()) return { ...NOTHING_NEW, againInMs: 5_000 }
    if (isChanged && (this.#db?.isFrozen === true || seen.inode !== this.#seen.inode)) this.#disconnect()
    if (isChanged && this.#hasDamage && now >= this.#forgetNotBefore) this.#forgetDamage(now)
    const db = this.#connect()
    // As it looked before it was read: what changes meanwhile is another change.
    this.#seen = seen
    if (typeof db === 'string') {
      this.#problem = db
      return this.#answer([])
    }
    this.#sliceEnd = performance.now() + SLICE_MS
    try {
      return await this.#lookInto(db, now, isChanged)
    } catch (error) {
      this.#hasDamage ||= isDamage(error)
      throw error
    }
  }

  async #lookInto(db: OpencodeDatabase, now: number, isChanged: boolean): Promise<RowLook> {
    const paths = await this.#quickLook(db, now, isChanged)
    if (this.#sweep.isDue && now >= this.#sweep.notBefore) this.#sweepAll(db, now)
    paths.push(...(await this.#wholeLooks(db, now)))
    if (this.#busy.size === 0 && !this.#sweep.isDue) this.#rest(now)
    return this.#answer(paths)
  }

  close(): void {
    this.#disconnect()
    this.#lock?.release()
    this.#lock = null
  }

  /** What an earlier process took over whole, and did not change since, is not looked at again. */
  #begin(): void {
    const index = this.#indexOf()
    const seen = lookAt(this.#path)
    if (index.look !== seen.text) return
    this.#seen = seen
    this.#sweep.isDue = false
  }

  /** Everything is taken over. */
  #rest(now: number): void {
    const index = this.#indexOf()
    index.look = this.#seen.text
    index.save()
    if (now - this.#changedAt > CLOSE_MS) this.#disconnect()
  }

  #answer(paths: string[]): RowLook {
    const isWaiting = this.#busy.size > 0 || this.#db !== null
    const isBehind = [...this.#busy].some((session) => isRipe(session, Date.now()))
    return {
      paths: [...new Set(paths)],
      isBehind,
      againInMs: isBehind ? 0 : this.#unseenLooks > 0 ? UNSEEN.ms : isWaiting ? AGAIN_MS : null,
      problem: this.#damaged.size > 0 ? `${this.#damaged.size} of its conversations are damaged` : this.#problem,
    }
  }

  #isSomethingDue(now: number): boolean {
    return (this.#sweep.isDue && now >= this.#sweep.notBefore) || [...this.#busy].some((each) => isRipe(each, now))
  }

  /** Takes over the last rows of the sessions that changed. Releases without a list of events: of those that changed lately. */
  async #quickLook(db: OpencodeDatabase, now: number, isChanged: boolean): Promise<string[]> {
    const before = this.#lastEvent
    const last = db.lastEvent()
    this.#lastEvent = last
    const hasEvents = last !== null && before !== null && last >= before
    if (last !== before) this.#unseenLooks = 0
    else if (isChanged) this.#unseenLooks = UNSEEN.looks
    else if (this.#unseenLooks > 0) this.#unseenLooks--
    // Times of files are coarse: a change within the same tick shows in the list alone.
    if (!isChanged && (!hasEvents || last === before)) return []
    this.#changedAt = now
    this.#sweep.isDue = true
    if (!hasEvents) this.#sweep.notBefore = Math.min(this.#sweep.notBefore, now)
    const paths: string[] = []
    for (const id of hasEvents ? db.sessionsAfter(before) : this.#candidates(last === null ? db : null)) {
      const session = this.#sessionOf(db, id)
      if (session === null) continue
      if (hasEvents || this.#busy.has(session)) this.#touch(session, now)
      const { path, isPartial } = await this.#take(session, db, now, () => db.recentSince(id, RECENT_MESSAGES) ?? 0)
      if ((path !== null || isPartial) && !this.#damaged.has(session)) this.#touch(session, now)
      if (path !== null) paths.push(path)
    }
    return paths
  }

  /**
   * Sessions that may have changed where nothing tells which did. A turn goes on without a trace in the row of its session.
   *
   * @param db  of a release without a list of events
   */
  #candidates(db: OpencodeDatabase | null): Set<string> {
    const busy = [...this.#busy].map(({ place }) => place.id)
    const all = new Set([...busy, ...(db?.latestSessions(LATEST_SESSIONS) ?? [])])
    for (const session of this.#sessions.values()) if (!all.has(session.place.id)) session.rest()
    return all
  }

  /** Finds the sessions whose own rows are not those that were taken over; those that changed last come first. */
  #sweepAll(db: OpencodeDatabase, now: number): void {
    const began = performance.now()
    const index = this.#indexOf()
    const summaries = db.sessions()
    const places = placesOf(summaries)
    for (const { id, signature } of summaries.sort((a, b) => b.updated - a.updated)) {
      const place = places.get(id)
      if (place === undefined || index.has(id, signature)) continue
      const session = this.#sessions.get(id) ?? new SessionRows(this.#folder, place)
      this.#sessions.set(id, session)
      // Nothing more comes of a turn that was broken off, and yet it is not settled.
      if (session.compared === signature) continue
      session.isDue = true
      this.#busy.add(session)
    }
    const newer = db.newerSessions()
    this.#problem =
      newer > 0 ? `opencode 2.x wrote ${newer} of its conversations, whose messages are not understood` : null
    const pause = Math.max(SWEEP_MS, (performance.now() - began) * SWEEP_SHARE)
    this.#sweep = { isDue: false, notBefore: now + pause }
  }

  /** Compares all rows of the sessions that are due and quiet, for a while. */
  async #wholeLooks(db: OpencodeDatabase, now: number): Promise<string[]> {
    const ripe = [...this.#busy].filter((session) => isRipe(session, now))
    if (ripe.length === 0) return []
    const paths: string[] = []
    const index = this.#indexOf()
    // Read before the messages: what changes while they are read gives the session's row another signature.
    const signatures = new Map(db.sessions().map(({ id, signature }) => [id, signature]))
    const end = performance.now() + BACKFILL_MS
    for (const session of ripe) {
      if (performance.now() > end) break
      const { id } = session.place
      session.isDue = false
      const { path } = await this.#take(session, db, now, () => null)
      if (path !== null) paths.push(path)
      if (session.isDue) continue
      const signature = signatures.get(id)
      session.compared = signature ?? null
      if (signature !== undefined && db.isSettled(id)) index.set(id, signature)
      this.#busy.delete(session)
      session.rest()
    }
    index.save()
    return paths
  }

  /** What can be read of a damaged session is taken over; it is tried again now and then, and holds up no other one. */
  async #take(session: SessionRows, db: OpencodeDatabase, now: number, since: () => number | null): Promise<Taken> {
    try {
      const taken = await session.take(db, since(), now, () => this.#pause())
      this.#damaged.delete(session)
      return taken
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#hasDamage = true
      this.#damaged.add(session)
      session.isDue = true
      session.changedAt = now + DAMAGED_MS
      this.#busy.add(session)
      return { path: existsSync(session.path) ? session.path : null, isPartial: false }
    }
  }

  /** The file changed: what was compared may have been a part of it. */
  #forgetDamage(now: number): void {
    this.#forgetNotBefore = now + FORGET_MS
    this.#hasDamage = false
    this.#disconnect()
    this.#indexOf().clear()
    for (const session of this.#damaged) session.changedAt = 0
    this.#damaged.clear()
    for (const session of this.#sessions.values()) session.compared = null
    this.#sweep = { isDue: true, notBefore: 0 }
  }

  #sessionOf(db: OpencodeDatabase, id: string): SessionRows | null {
    const known = this.#sessions.get(id)
    if (known !== undefined) return known
    const place = FILE_NAME.test(id) ? placesOf(db.sessions()).get(id) : undefined
    if (place === undefined) return null
    const session = new SessionRows(this.#folder, place)
    this.#sessions.set(id, session)
    return session
  }

  #touch(session: SessionRows, now: number): void {
    session.changedAt = now
    session.isDue = true
    this.#busy.delete(session)
    this.#busy.add(session)
    if (this.#busy.size <= SESSIONS_IN_MEMORY) return
    const [oldest] = this.#busy
    oldest?.rest()
  }

  /** One process at a time writes the journals. */
  #takeLock(): boolean {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#lock ??= tryProcessLock(join(this.#folder, 'lock'))
    return this.#lock !== null
  }

  #indexOf(): SessionIndex {
    this.#index ??= new SessionIndex(this.#folder)
    return this.#index
  }

  #connect(): OpencodeDatabase | string {
    if (this.#db !== null) return this.#db
    const db = OpencodeDatabase.open(this.#path)
    if (typeof db !== 'string') this.#db = db
    return db
  }

  #disconnect(): void {
    this.#unseenLooks = 0
    this.#db?.close()
    this.#db = null
  }

  async #pause(): Promise<void> {
    if (performance.now() < this.#sliceEnd) return
    await new Promise((done) => setImmediate(done))
    this.#sliceEnd = performance.now() + SLICE_MS
  }
}

const isRipe = ({ isDue, changedAt }: SessionRows, now: number): boolean => isDue && now - changedAt >= QUIET_MS

const NOTHING_NEW: RowLook = { paths: [], isBehind: false, againInMs: null, problem: null }

interface FileLook {
  text: string
  /** `null` = it is not there. */
  inode: number | null
}

const NOTHING: FileLook = { text: '', inode: null }

/** How a database and its log of writes look. */
function lookAt(path: string): FileLook {
  const [main, log] = [path, `${path}-wal`].map((each) => statSync(each, { throwIfNoEntry: false }))
  if (main === undefined) return NOTHING
  const text = [main, log].map((each) => each && `${each.ino}:${each.size}:${each.mtimeMs}`).join(' ')
  return { text, inode: main.ino }
}
