import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionId } from '../../domain/ids'
import { startOf } from '../../util/process/process-tree'
import { liveSessionsBelow } from '../followed'
import { isOnPostgres } from '../hooks/local-record'
import { armRewake } from './rewake-lock'
import { hasWakingMail, type SessionMailCall, takeMail } from './session-mail'

export interface RewakeCall {
  home: string
  session: SessionId
  /** `<pid>@<start>` of the CLI. */
  cli: string
  transcript: string
  /** The CLI's configuration folder, where it reports its processes. */
  root: string
  env: Readonly<Record<string, string | undefined>>
}

const OFFER_LOOK_MS = 250
/** Where each look is a request. */
const ASK_MS = 2_000
/** Without a change of the database something may be free to be given all the same: another process that had it died. */
const LONGEST_MS = 10_000
/** How late at most a process reports its new conversation. */
const NAMED_MS = 5_000

/**
 * Waits until something is at the session's address that it waits for itself, and takes it. '' = the conversation is over, goes on as
 * another one, or another hook waits for it.
 */
export async function waitForMail(call: RewakeCall): Promise<string> {
  const { home, session, cli } = call
  const rewake = armRewake(home, cli, session)
  if (rewake === null) return ''
  const onPostgres = isOnPostgres(home, call.env)
  let seen = ''
  let lookedAt = 0
  const begunAt = Date.now()
  try {
    for (;;) {
      const state = await stateOf(call)
      if (state === 'over') return ''
      if (state === 'other' && Date.now() - begunAt > NAMED_MS) return ''
      const stamp = onPostgres ? '' : stampOf(home)
      const isDue = onPostgres || stamp !== seen || Date.now() - lookedAt > LONGEST_MS
      if (state === 'idle' && isDue) {
        const mail: SessionMailCall = { ...call, route: 'rewake', timeoutMs: ASK_MS, onlyWaking: true }
        const text = await look(mail, onPostgres)
        if (text !== '') return text
        seen = stamp
        lookedAt = Date.now()
      }
      await sleep(onPostgres ? ASK_MS : OFFER_LOOK_MS)
    }
  } finally {
    rewake.release()
  }
}

async function look(mail: SessionMailCall, onPostgres: boolean): Promise<string> {
  // A server is asked once for both, and may be away for a while.
  if (onPostgres) return await takeMail(mail).catch(() => '')
  return (await hasWakingMail(mail).catch(() => false)) ? await takeMail(mail) : ''
}

async function stateOf({ root, session, cli }: RewakeCall): Promise<'idle' | 'busy' | 'other' | 'over'> {
  const [pid, ticks] = cli.split('@')
  if (startOf(Number(pid))?.split('@')[0] !== ticks) return 'over'
  const live = (await liveSessionsBelow(root)).find((one) => one.pid === Number(pid))
  // It was cleared: the hook of the new conversation's start waits.
  if (live !== undefined && live.sessionId !== session) return 'other'
  // The end of a turn that is under way carries what waits.
  return live?.status === 'busy' ? 'busy' : 'idle'
}

/** Changes with every write to the database. */
function stampOf(home: string): string {
  const stats = ['lodeline.db', 'lodeline.db-wal'].map((name) => statSync(join(home, name), { throwIfNoEntry: false }))
  return stats.map((stat) => (stat === undefined ? '' : `${stat.mtimeMs} ${stat.size}`)).join(' ')
}
