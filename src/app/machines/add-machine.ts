/** Brings a machine into the fleet, and its program up to date. Each step may be repeated. */
import type { Client } from '../../api/client/client'
import { AppError, isAppError } from '../../domain/errors'
import { MINUTE_MS } from '../../domain/time-units'
import { shellLine } from '../../util/shell-words'
import type { Restart } from '../service/service'
import { type Probed, REMOTE_LODE } from './probe'
import type { Ran, Ssh } from './ssh'

export interface AddedMachine {
  name: string
  system: string
  isCopied: boolean
  /** It got its access now; it had it before otherwise. */
  isEnrolled: boolean
  /** The part of its system that starts the worker; `null` = nobody does, and `startWith` says how. */
  service: string | null
  /** What a person types there. */
  startWith: string | null
}

export interface AddParts {
  ssh: Ssh
  client: Pick<Client, 'workers' | 'agents' | 'machines'>
  /** The machine's, and that of its worker. */
  name: string
  /** The server's address, as the machine reaches it. */
  reach: string
  /** Tells what is done. */
  note(text: string): void
  signal: AbortSignal
}

/** A worker that was started shows itself within this time, in milliseconds. */
const ONLINE_MS = MINUTE_MS
const LOOK_FOR_WORKER_MS = 500

/**
 * Gives the machine its access and starts its worker. If a step fails, the access that it got now is ended again.
 *
 * @throws `conflict` another machine has the name · `unavailable` a step failed there
 */
export async function startMachine(parts: AddParts, { system }: Probed, isCopied: boolean): Promise<AddedMachine> {
  const { name, reach, ssh, note } = parts
  const isEnrolled = await letIn(parts)
  try {
    const installed = await remoteLode(ssh, ['service', 'install', '--worker', '--server', reach, '--name', name])
    const added = { name, system, isCopied, isEnrolled }
    if (installed.exitCode !== 0) {
      note(`no service starts there: ${firstLine(installed.stderr)}`)
      return { ...added, service: null, startWith: byHand(parts) }
    }
    note('waiting for the worker')
    await untilOnline(parts)
    return { ...added, service: 'service', startWith: null }
  } catch (error) {
    if (isEnrolled) await undo(parts)
    throw error
  }
}

/** @returns whether it got its access now */
async function letIn({ client, name, reach, ssh, note }: AddParts): Promise<boolean> {
  const known = (await client.workers.list()).workers.find((worker) => worker.name === name)
  if (known?.state === 'active') {
    const has = await remoteLode(ssh, ['worker', 'enter', '--server', reach, '--name', name])
    if (has.exitCode === 0) return false
    throw new AppError('conflict', `Another machine is in the fleet as ${name}.`, {
      hint: `Choose another name with --name, or end the access of that one with 'lode machine remove ${name}'.`,
    })
  }
  note('giving it access')
  const { code } = await client.workers.enroll({ name })
  try {
    // By its input: the words of a command can be seen by others on that machine.
    const entered = await ssh.feed(
      `${REMOTE_LODE} worker enter - ${words(['--server', reach, '--name', name])}`,
      text(code),
    )
    if (entered.exitCode === 0) return true
    throw new AppError('unavailable', `The machine did not get its access: ${firstLine(entered.stderr)}`, {
      hint: `Does that machine reach ${reach}? Name the server's address as it is seen from there with --reach URL.`,
    })
  } catch (error) {
    await undo({ client, name, note })
    throw error
  }
}

/** Leaves no access behind. What was copied gives none. */
async function undo({
  client,
  name,
  note,
  ssh,
}: Pick<AddParts, 'client' | 'name' | 'note'> & { ssh?: Ssh }): Promise<void> {
  try {
    if (ssh !== undefined) await remoteLode(ssh, ['service', 'remove', '--worker']).catch(() => null)
    await client.workers.revoke(name)
    note(`ended the access that ${name} got`)
  } catch (error) {
    if (isAppError(error) && error.code === 'not_found') return
    note(`the access of ${name} could not be ended: run 'lode worker revoke ${name}'`)
  }
}

async function untilOnline({ client, name, signal, reach }: AddParts): Promise<void> {
  const until = performance.now() + ONLINE_MS
  while (performance.now() < until) {
    signal.throwIfAborted()
    const { agent } = await client.agents.get(name)
    if (agent.status === 'online') return
    await Bun.sleep(LOOK_FOR_WORKER_MS)
  }
  throw new AppError('unavailable', `The service runs there, and its worker did not show itself.`, {
    hint: `See '~/.local/bin/lode service logs' on that machine. It has to reach ${reach}.`,
  })
}

/** Brings its worker to the new program. @returns `null` = no service runs it */
export async function restartWorker(ssh: Ssh): Promise<Restart | null> {
  const { exitCode, stdout } = await remoteLode(ssh, ['service', 'restart', '--worker', '--json'])
  if (exitCode !== 0) return null
  return stdout.includes(`"when idle"`) ? 'when idle' : 'restarted'
}

async function remoteLode(ssh: Ssh, argv: readonly string[]): Promise<Ran> {
  return await ssh.run(`cd && exec ${REMOTE_LODE} ${words(argv)}`)
}

const byHand = ({ reach, name, ssh }: AddParts): string =>
  `ssh ${ssh.place.destination} 'nohup ${REMOTE_LODE} ${words(['work', '--server', reach, '--name', name])} >/dev/null 2>&1 &'`

const words = (argv: readonly string[]): string => shellLine(argv)
const text = (given: string): Uint8Array => new TextEncoder().encode(`${given}\n`)
const firstLine = (said: string): string => said.trim().split('\n')[0] || 'it gave no reason'
