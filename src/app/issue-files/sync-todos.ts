import { mkdirSync } from 'node:fs'
import { AppError } from '../../domain/errors'
import type { JournalRef } from '../../domain/harness/harness'
import type { AgentName, SessionId } from '../../domain/ids'
import type { Observation, TodoChange } from '../../domain/record/observation'
import type { Recorder } from '../../domain/record/recorder'
import type { Store } from '../../domain/store'
import type { TodosSynced } from '../../engine/services'
import { defaultHarness, findHarness } from '../../harness/registry'
import { appendLine } from '../../util/append-line'
import { currentHookJournal, encodeHookLine, hookJournalFolder, pickHookEnv } from '../../util/hook-journal'
import { hookJournalRef } from '../followed'

/** Keeps a line of an agent CLI in the hook journal, durably. @returns the file that it went to. @throws `unavailable` */
export function keepHookLine(home: string, payload: Uint8Array, at: number, agent?: AgentName): JournalRef {
  const line = encodeHookLine(
    { at, pid: process.pid, ppid: process.ppid, env: pickHookEnv({}), isCut: false, agent },
    payload,
  )
  // The collector may begin a new file of the journal, or remove an old one, at any moment.
  for (let tries = 0; tries < 5; tries++) {
    const folder = hookJournalFolder(home)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = currentHookJournal(folder)
    if (appendLine(path, line)) return hookJournalRef(path)
  }
  throw new AppError('unavailable', 'The hook journal changes too fast.', { hint: 'Send the hook again.' })
}

export interface SyncOptions {
  home: string
  store: Store
  engine(): Promise<Recorder>
  /** Items that are kept of one session. */
  maxItems: number
}

/**
 * Takes in one payload of a to-do tool as the session's own, as `Services.syncTodos`. The journal is the truth, as with any hook: what
 * reads it next to us finds the same bytes, and recording them twice changes nothing.
 */
export async function syncTodos(
  { home, store, engine, maxItems }: SyncOptions,
  session: SessionId,
  payload: Readonly<Record<string, unknown>>,
): Promise<TodosSynced> {
  const at = Date.now()
  const { hook_event_name: _event, ...call } = payload
  // A call without an id of its own is one that somebody hands over, whatever the moment that it names.
  const stamped = { ...(typeof payload.tool_use_id === 'string' ? payload : call), session_id: session }
  const known = await store.sessions.find(session)
  const harness = (known === undefined ? undefined : findHarness(known.agent)) ?? defaultHarness()
  const changes = changesOf((await harness.read()).parseHook(stamped, at)?.observations ?? [])
  if (changes.length === 0) return { sessionId: session, syncedCount: 0, leftOutCount: 0, changed: false }
  if (await store.sessions.isTombstoned('session', session))
    throw new AppError('not_found', `Session ${session} was forgotten.`, { hint: 'It will not be recorded again.' })
  const before = await fingerprint(store, session)
  const ref = keepHookLine(home, Buffer.from(JSON.stringify(stamped)), at, harness.name)
  await (await engine()).recordFile(ref)
  const changed = (await fingerprint(store, session)) !== before
  const given = Math.max(...changes.map(itemsOf))
  const syncedCount = Math.min(given, maxItems)
  const leftOutCount = given - syncedCount
  if (leftOutCount > 0)
    throw new AppError(
      'too_large',
      `The list has ${given} items: the first ${syncedCount} are kept, ${leftOutCount} are left out.`,
      {
        hint: `todos.maxPerSession is ${maxItems}.`,
        details: { sessionId: session, syncedCount, leftOutCount, changed },
      },
    )
  return { sessionId: session, syncedCount, leftOutCount, changed }
}

const changesOf = (observations: readonly Observation[]): TodoChange[] =>
  observations.flatMap((seen) => (seen.kind === 'todo' ? [seen.change] : []))

/** Items that a change speaks of. */
function itemsOf(change: TodoChange): number {
  if (change.op === 'snapshot' || change.op === 'list') return change.items.length + leftOut(change)
  return 1
}

/** What the parser passed over already, since nobody could mean so much. */
const leftOut = (change: TodoChange): number =>
  'leftOut' in change && typeof change.leftOut === 'number' ? change.leftOut : 0

async function fingerprint(store: Store, session: SessionId): Promise<string> {
  const todos = await store.todos.list({ sessionId: session, includeRemoved: true })
  return Bun.hash.wyhash(JSON.stringify(todos)).toString(36)
}
