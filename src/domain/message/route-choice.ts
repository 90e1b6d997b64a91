import type { MessageKind, MessageRoute } from './message'

/** Which idle conversations a message may wake: `all` allows both ways. */
export const WAKE_MODES = ['off', 'socket', 'rewake', 'all'] as const
export type WakeMode = (typeof WAKE_MODES)[number]

/** What is known of a receiver at this moment. */
export interface ReceiverFacts {
  /** A call waits at the address. */
  isAwaited: boolean
  /** The CLI's process that holds the conversation; `null` = none lives. */
  process: {
    /** `null` = the release does not say. */
    status: 'busy' | 'idle' | null
    hasSocket: boolean
    /** In the CLI's word; `null` = not known. */
    permissionMode: string | null
    /** A hook of it waits to wake it. */
    isRewakeArmed: boolean
    /** Our code within the CLI asks for what waits, and puts it in. */
    hasMod: boolean
    /** Its hooks answer: at the next prompt, and at the end of a turn. */
    hasHooks: boolean
  } | null
  /** Programs that are attached to the address. */
  clients: number
  /** What is to become of a conversation that has ended. */
  onChildDone: 'resume' | 'hold'
  wake: WakeMode
}

/** Worth a turn that nobody asked for: what the receiver waits for. Everything else comes with the next prompt. */
const WAKING: readonly MessageKind[] = ['result', 'question', 'answer']

/** Whether a receiver is woken, or kept at work, for a message. */
export const isWaking = (message: { kind: MessageKind; wantsReply: boolean }): boolean =>
  message.wantsReply || WAKING.includes(message.kind)

/**
 * The first way that works, for messages at a conversation that is no run of ours; `null` = they wait, and whatever changes of the
 * receiver asks again.
 *
 * @param wakes  one of the messages is worth a turn (`isWaking`)
 */
export function chooseRoute(facts: ReceiverFacts, wakes: boolean): MessageRoute | null {
  if (facts.isAwaited) return 'await'
  const { process, wake } = facts
  if (process !== null) return routeToProcess(process, wakes ? wake : 'off')
  if (facts.onChildDone === 'resume' && wakes) return 'resume'
  return facts.clients > 0 ? 'client' : null
}

function routeToProcess(process: NonNullable<ReceiverFacts['process']>, wake: WakeMode): MessageRoute | null {
  const { status, hasHooks, isRewakeArmed } = process
  // There the CLI holds what comes by the socket, and asks the person about it.
  const hasSocket = process.hasSocket && process.permissionMode !== 'bypassPermissions'
  // The end of the turn that is under way carries it.
  if (status === 'busy' && hasHooks) return 'hook'
  // A person who added it wants it; it works in every mode, where the CLI holds what comes by the socket in one.
  if (process.hasMod && wake !== 'off') return 'rewake'
  if (hasSocket && (wake === 'socket' || wake === 'all')) return 'socket'
  if (isRewakeArmed && (wake === 'rewake' || wake === 'all')) return 'rewake'
  return hasHooks ? 'hook' : null
}

/**
 * Why messages still wait at a conversation of which all ways are known, and what to do: a sentence each. `null` = they go at the next look.
 *
 * @param resume  the command that goes on with the conversation
 */
export function whyWaiting(facts: ReceiverFacts, wakes: boolean, resume: string): string | null {
  const route = chooseRoute(facts, wakes)
  const { process } = facts
  if (process === null)
    return route === null
      ? `The conversation is not open. Run '${resume}' to continue it; it then receives the message.`
      : null
  if (route !== 'hook' && route !== null) return null
  const free = { ...process, permissionMode: null }
  const isHeld =
    process.permissionMode === 'bypassPermissions' && chooseRoute({ ...facts, process: free }, wakes) === 'socket'
  const why = isHeld
    ? 'The session runs with bypassPermissions, so its CLI does not accept messages over its socket.'
    : ''
  if (route === null)
    return `${why || 'No route leads to the session.'} It has no Lodeline hooks either: run 'lode setup claude', then restart the session.`
  if (process.status === 'busy')
    return `${why} A hook delivers it when the current turn ends. You don't need to do anything.`.trim()
  return `${why} A hook delivers it with the next prompt: type anything in the terminal of the session.`.trim()
}
