import type { Caller } from '../../../domain/task/worker-protocol'
import type { Operation } from '../../contract/operation'
import { agents } from '../../contract/operations/agents'
import { attempts } from '../../contract/operations/attempts'
import { messages } from '../../contract/operations/messages'
import { tasks } from '../../contract/operations/tasks'

interface Known {
  readonly caller: Caller
}

/** Tokens of which it is remembered whose they were. */
const REMEMBERED = 1_000

/** Operations that are one unit of work: see `RememberedToken`. What their handlers do beside it is reading. */
const IN_ONE_UNIT: ReadonlySet<Operation> = new Set<Operation>([
  tasks.create,
  tasks.claimNext,
  tasks.setConversation,
  tasks.progress,
  tasks.finish,
  attempts.report,
  agents.poll,
  messages.send,
])

/** The caller of each token, by its SHA-256 in hex, as of the last look-up. */
export class RememberedCallers<Identity extends Known> {
  private readonly identities = new Map<string, Identity>()

  /** The caller as it was; the operation's unit has to prove that it still is. `undefined` = the token must be looked up. */
  recall(hash: string, operation: Operation): Identity | undefined {
    const known = IN_ONE_UNIT.has(operation) ? this.identities.get(hash) : undefined
    if (known === undefined) return undefined
    const { caller } = known
    const id = caller.kind === 'attempt' ? caller.attemptId : caller.kind === 'agent' ? caller.agentId : null
    const of = caller.kind === 'attempt' || caller.kind === 'agent' ? caller.kind : 'operator'
    return { ...known, caller: { ...caller, remembered: { of, id, hash, isGood: false } } }
  }

  /** @param identity  of a token that was looked up just now: an operator's of a server, an agent's or a run's, and no other */
  keep(hash: string, identity: Identity): void {
    this.identities.delete(hash)
    this.identities.set(hash, identity)
    if (this.identities.size <= REMEMBERED) return
    const [oldest] = this.identities.keys()
    if (oldest !== undefined) this.identities.delete(oldest)
  }

  forget(hash: string): void {
    this.identities.delete(hash)
  }
}

/**
 * Handles a request for a caller whose access its unit of work has to prove. Before that, nobody gets anything of the result: neither what
 * was read, nor why it failed.
 *
 * @returns `undefined` = nothing proved it, and nothing was written: the token has to be looked up
 */
export async function whenProven<Identity extends Known, T>(
  known: Identity | undefined,
  handled: (known: Identity) => Promise<T>,
): Promise<T | undefined> {
  const { remembered } = known?.caller ?? {}
  if (known === undefined || remembered === undefined) return undefined
  try {
    const answer = await handled(known)
    return remembered.isGood ? answer : undefined
  } catch (thrown) {
    if (remembered.isGood) throw thrown
    return undefined
  }
}
