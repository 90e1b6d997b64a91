import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/load'
import type { LiveSession } from '../domain/harness/harness-live'
import type { AgentName } from '../domain/ids'
import { addressKind, type Message } from '../domain/message/message'
import { isWaking, type ReceiverFacts, whyWaiting } from '../domain/message/route-choice'
import type { Store } from '../domain/store'
import { findHarness } from '../harness/registry'
import { rewakesOf } from './delivery/rewake-lock'
import type { HostIdentity } from './files/home'
import { filesOfSession, liveSessions } from './followed'
import { type LiveMods, NO_MODS } from './mod/live-mods'

/** The main transcript of a session on this machine; `null` = there is none. */
export async function transcriptOf(config: Config, session: string): Promise<string | null> {
  const files = await filesOfSession(config, session)
  const main = files.find(
    ({ kind, subagentId, path }) => kind === 'transcript' && subagentId === null && existsSync(path),
  )
  return main?.path ?? null
}

/** Tells what is known of a conversation that a process of this machine has open. Each keeps what it has read of transcripts. */
export function receiverFacts(config: Config, mods: LiveMods = NO_MODS): (live: LiveSession) => Promise<ReceiverFacts> {
  const modes = new Map<AgentName, (transcript: string) => string | null>()
  const permissionModeIn = async (agent: AgentName, transcript: string): Promise<string | null> => {
    const modeIn = modes.get(agent) ?? (await findHarness(agent)?.live?.())?.permissionModes()
    if (modeIn === undefined) return null
    modes.set(agent, modeIn)
    return modeIn(transcript)
  }
  return async (live) => {
    const transcript = live.socket === null ? null : await transcriptOf(config, live.sessionId)
    return {
      // A call that waits has taken what is there by now.
      isAwaited: false,
      process: {
        status: live.status,
        hasSocket: live.socket !== null,
        permissionMode: transcript === null ? null : await permissionModeIn(live.agent, transcript),
        isRewakeArmed: rewakesOf(config.home, live),
        hasMod: mods.hears(live.sessionId),
        hasHooks: hasHooks(config.home, live.sessionId),
      },
      clients: 0,
      onChildDone: 'hold',
      wake: config.messages.wake,
    }
  }
}

/** Tells why a message waits; `null` = it does not, or nothing is known of its receiver here. */
export function messageWait(
  config: Config,
  store: Store,
  host: HostIdentity,
): (message: Message) => Promise<string | null> {
  const factsOf = receiverFacts(config)
  return async (message) => {
    if (message.status !== 'produced' || addressKind(message.to) !== 'session') return null
    const resume = `lode session resume ${message.to}`
    for (const live of await liveSessions(config))
      if ((await store.messages.addressOf(live.sessionId)) === message.to)
        return whyWaiting(await factsOf(live), isWaking(message), resume)
    const newest = await store.registry.newestSession(message.to)
    const session = newest === undefined ? undefined : await store.sessions.find(newest)
    // Nothing is known of another machine's processes, or of a client's.
    if (session === undefined || session.hostName !== host.name) return null
    const [registration, worker] = await Promise.all([
      store.registry.registration(message.to),
      store.registry.workerOf(session.id),
    ])
    if (registration !== undefined || worker?.isLive || session.signals.processState === 'alive') return null
    const harness = findHarness(session.agent)
    if (harness?.live === null)
      return `${harness.title} does not accept messages from outside. Run '${resume}' and type it there.`
    const none = {
      isAwaited: false,
      process: null,
      clients: 0,
      onChildDone: 'hold',
      wake: config.messages.wake,
    } as const
    return whyWaiting(none, isWaking(message), resume)
  }
}

/** Whether hooks that answer are installed where the session runs: that of its start has left its claim. */
const hasHooks = (home: string, session: string): boolean =>
  existsSync(join(home, 'told', Bun.hash(session).toString(36)))
