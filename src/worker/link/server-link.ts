import { AppError, isAppError } from '../../domain/errors'
import type { AgentId } from '../../domain/ids'
import type { MachineFacts } from '../../domain/machine/machine'
import { GPU } from '../../domain/machine/needs'
import type { InstalledCli } from '../../domain/task/agent-choice'
import type { JoinAnswer, JoinInput } from '../../domain/task/worker-protocol'
import { VERSION } from '../../util/version'
import type { WorkerClient, WorkerOptions } from '../options'
import { isPassing } from '../output/spool-uploader'
import { offeredDirs } from '../workplace/offered-dirs'
import { Backoff, pause } from './backoff'

type LinkOptions = Pick<
  WorkerOptions,
  'connect' | 'token' | 'capacity' | 'hostname' | 'hostName' | 'hostKey' | 'settings' | 'log' | 'onJoin'
> & { name: string; isNameOfHost: boolean; clis: () => readonly InstalledCli[]; machine: () => MachineFacts }

/** This worker's standing with the server: who it is there, and a client that speaks as it. */
export class ServerLink {
  readonly bootId: string
  /** Told by the next join. ISO 8601 */
  restartAskedAt: string | null = null
  readonly #options: LinkOptions
  #answer: JoinAnswer
  #client: WorkerClient

  private constructor(options: LinkOptions, bootId: string, answer: JoinAnswer) {
    this.#options = options
    this.bootId = bootId
    this.#answer = answer
    this.#client = options.connect(answer.token)
  }

  /**
   * Joins, and waits for a server that is away.
   *
   * @param before  done with the worker's token before the server hears that the former process is gone, which ends its attempts
   * @throws `unauthorized`, `forbidden`, `conflict`, `invalid` as the server says; the signal's reason
   */
  static async join(
    options: LinkOptions,
    isFormerGone: boolean,
    signal: AbortSignal,
    before: ((link: { client(): WorkerClient }) => Promise<void>) | null = null,
  ): Promise<ServerLink> {
    const bootId = crypto.randomUUID()
    let answer = await joinWhenItIsThere(options, bootId, isFormerGone && before === null, signal)
    if (before !== null) {
      const client = options.connect(answer.token)
      await before({ client: () => client })
      if (isFormerGone) answer = await joinWhenItIsThere(options, bootId, true, signal)
    }
    const link = new ServerLink(options, bootId, answer)
    await options.onJoin?.(answer, link.client)
    return link
  }

  get client(): WorkerClient {
    return this.#client
  }

  get agentId(): AgentId {
    return this.#answer.agent.id
  }

  /** As the server knows this worker. */
  get name(): string {
    return this.#answer.agent.name
  }

  get leaseMs(): number {
    return this.#answer.leaseMs
  }

  /** The epoch of the server's database, by the newest join. */
  get epoch(): string | null {
    return this.#answer.epoch ?? null
  }

  get followedRoots(): readonly string[] {
    return this.#answer.followedRoots
  }

  /**
   * Once more, by the same process: the server refused the token, or does not know the agent any more.
   *
   * @throws `conflict` another process has taken the name: two would take it from one another for ever; else as `join`
   */
  async rejoin(signal: AbortSignal): Promise<void> {
    if (await this.#isReplaced(signal)) {
      throw new AppError('conflict', `Another process is now running as ${JSON.stringify(this.#options.name)}.`, {
        hint: 'Give one of the two another name with --name.',
      })
    }
    await this.joinAnew(signal)
  }

  /** Tells the server what this worker is now. The same boot: what runs here goes on. */
  async joinAnew(signal: AbortSignal): Promise<void> {
    this.#answer = await this.#joinAgain(signal)
    this.#client = this.#options.connect(this.#answer.token)
    await this.#options.onJoin?.(this.#answer, this.#client)
  }

  async #joinAgain(signal: AbortSignal): Promise<JoinAnswer> {
    const { restartAskedAt } = this
    if (restartAskedAt !== null)
      try {
        return await joinWhenItIsThere(this.#options, this.bootId, false, signal, { restartAskedAt })
      } catch (error) {
        // A server of an older program knows no such field: what runs here must not end by that.
        if (!isAppError(error) || error.code !== 'invalid') throw error
      }
    return await joinWhenItIsThere(this.#options, this.bootId, false, signal)
  }

  /** Whether somebody else speaks for the agent: it is heard of while we are refused. */
  async #isReplaced(signal: AbortSignal): Promise<boolean> {
    const { agents } = this.#options.connect(this.#options.token())
    try {
      const seenAt = async () => (await agents.get(this.agentId)).agent.lastSeenAt
      const before = await seenAt()
      // A worker polls at the latest after this.
      const until = performance.now() + this.leaseMs / 3 + 1_000
      while (performance.now() < until && !signal.aborted) {
        await pause(PROOF_LOOK_MS, signal)
        if ((await seenAt()) !== before) return true
      }
    } catch {
      // The server does not know the agent, or us: the join says which.
    }
    return false
  }
}

const PROOF_LOOK_MS = 250

async function joinWhenItIsThere(
  options: LinkOptions,
  bootId: string,
  isFormerGone: boolean,
  signal: AbortSignal,
  more: Pick<JoinInput, 'restartAskedAt'> = {},
): Promise<JoinAnswer> {
  const { connect, token, name, isNameOfHost, clis, machine, capacity, hostname, hostName, hostKey, settings, log } =
    options
  const backoff = new Backoff()
  for (let isFirst = true; ; isFirst = false) {
    if (signal.aborted) throw signal.reason
    try {
      const { capabilities, concurrency } = capacity()
      const facts = machine()
      return await connect(token()).agents.join(
        {
          name,
          isNameOfHost,
          kind: 'worker',
          capabilities: [...new Set([...capabilities, ...(facts.gpus.length > 0 ? [GPU] : [])])],
          machine: facts,
          concurrency,
          hostname,
          hostName,
          hostKey,
          maxPermissionMode: settings.maxPermissionMode,
          dirs: offeredDirs(settings),
          clis: [...clis()],
          fallsOver: settings.fallback,
          ...(settings.account !== null && { account: settings.account }),
          bootId,
          isFormerGone,
          version: VERSION,
          ...more,
        },
        { signal },
      )
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!isPassing(error)) throw refusal(error)
      if (isFirst) log.warn('the server does not respond; trying again until it does', { error, worker: name })
      await pause(backoff.next(), signal)
    }
  }
}

function refusal(error: unknown): unknown {
  if (!isAppError(error) || error.hint !== undefined || error.code !== 'unauthorized') return error
  return new AppError('unauthorized', `The server does not let this worker join: ${error.message}`, {
    hint: "Pass the server's token with --token-file: it is the file `token` in the server's folder.",
    cause: error,
  })
}
