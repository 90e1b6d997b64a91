/** Commands on another machine by the system's `ssh`, which knows the person's keys and settings. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import { sha256 } from '../../util/crypto'

/** Where `ssh` leads. */
export interface SshPlace {
  /** `host` or `user@host`; the host may be a name of the person's ssh settings. */
  destination: string
  /** `null` = as the settings say. */
  port: number | null
  /** A file with a private key; `null` = as the settings say. */
  identity: string | null
}

/** Nothing that `ssh`, its settings or a shell could take for anything but a name or address. */
const DESTINATION = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}@)?(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}|[0-9A-Fa-f:]{2,45})$/

/** @throws `invalid` */
export function checkDestination(text: string): string {
  if (DESTINATION.test(text)) return text
  throw new AppError('invalid', `${JSON.stringify(text)} is no machine that ssh leads to.`, {
    hint: 'Use user@host or host: letters, digits, dots, dashes and underscores. Name a port with --port.',
  })
}

export interface Ran {
  exitCode: number
  stdout: string
  stderr: string
}

export interface SshOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Lodeline's folder: host keys that a person confirmed are in its file `known-hosts`. */
  home: string
  signal: AbortSignal
}

/** So long ssh tries to reach a machine. */
const CONNECT_SECONDS = 15
/** How much of an answer is read, in characters. */
const LONGEST = 100_000

export class Ssh {
  readonly place: SshPlace
  readonly #options: SshOptions

  constructor(place: SshPlace, options: SshOptions) {
    this.place = { ...place, destination: checkDestination(place.destination) }
    this.#options = options
  }

  /**
   * Runs a script by `sh`, whatever the login shell is.
   *
   * @throws `unavailable` `unauthorized` `forbidden` ssh did not get there, or not in
   */
  async run(script: string): Promise<Ran> {
    return await this.#call(['sh', '-s'], new TextEncoder().encode(script))
  }

  /** Runs one command, in words that need no quotes, with a file or text as its input. @throws as `run` */
  async feed(command: string, input: Uint8Array | Blob): Promise<Ran> {
    return await this.#call([command], input)
  }

  /** The keys that the machine shows, as `SHA256:…` with their lines for a file of known hosts. */
  async hostKeys(): Promise<{ fingerprint: string; line: string }[]> {
    const settings = (await this.#local(['ssh', ...this.#where(), '-G', '--', this.place.destination])).stdout
    const of = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(settings)?.[1] ?? ''
    const port = of('port') || '22'
    const { stdout } = await this.#local(['ssh-keyscan', '-T', '5', '-p', port, '--', of('hostname')])
    return stdout.split('\n').flatMap((line) => {
      const blob = /^\S+ (?:ssh|ecdsa)-\S+ ([A-Za-z0-9+/=]+)$/.exec(line)?.[1]
      if (blob === undefined) return []
      const digest = sha256(Buffer.from(blob, 'base64')).toString('base64').replace(/=+$/, '')
      return [{ fingerprint: `SHA256:${digest}`, line }]
    })
  }

  get knownHosts(): string {
    return join(this.#options.home, 'known-hosts')
  }

  #where(): string[] {
    const { port, identity } = this.place
    return [
      ...(port === null ? [] : ['-p', String(port)]),
      ...(identity === null ? [] : ['-i', identity, '-o', 'IdentitiesOnly=yes']),
    ]
  }

  async #call(command: readonly string[], input: Uint8Array | Blob): Promise<Ran> {
    const known = existsSync(this.knownHosts)
      ? ['-o', `UserKnownHostsFile="${this.knownHosts}" ~/.ssh/known_hosts ~/.ssh/known_hosts2`]
      : []
    const options = ['BatchMode=yes', 'StrictHostKeyChecking=yes', `ConnectTimeout=${CONNECT_SECONDS}`, ...ALIVE]
    const words = options.flatMap((option) => ['-o', option])
    const { destination } = this.place
    const ran = await this.#local(
      ['ssh', '-T', '-x', '-a', ...words, ...known, ...this.#where(), '--', destination, ...command],
      input,
    )
    if (ran.exitCode === 255) throw await this.#refusal(ran.stderr)
    return ran
  }

  async #refusal(said: string): Promise<AppError> {
    const { destination } = this.place
    if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(said))
      return new AppError('forbidden', `${destination} shows another host key than it used to; nothing was sent.`, {
        hint: 'Ask who runs the machine. If it was set up anew, remove its old key with `ssh-keygen -R HOST`.',
      })
    if (/Host key verification failed|host key is known for/.test(said)) {
      const shown = (await this.hostKeys()).map(({ fingerprint }) => fingerprint)
      return new AppError('forbidden', `The host key of ${destination} is not known here; nothing was sent.`, {
        hint:
          shown.length === 0
            ? `Connect once with 'ssh ${destination}', and compare the fingerprint that it shows.`
            : `It shows ${shown.join(', ')}. Compare on that machine (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub), then add --host-key FINGERPRINT.`,
        details: { fingerprints: shown },
      })
    }
    if (/Permission denied|Too many authentication failures/.test(said))
      return new AppError('unauthorized', `${destination} does not let ssh in: ${lastLine(said)}`, {
        hint: `'ssh ${destination}' has to work without a password: use ssh-copy-id, an agent, or --identity FILE.`,
      })
    return new AppError('unavailable', `ssh can't reach ${destination}: ${lastLine(said) || 'it gave no reason'}`, {
      hint: `Try 'ssh ${destination}' yourself.`,
    })
  }

  async #local(argv: readonly [string, ...string[]], input?: Uint8Array | Blob): Promise<Ran> {
    const { env, signal } = this.#options
    const program = Bun.which(argv[0], { PATH: env.PATH ?? '' })
    if (program === null)
      throw new AppError('not_found', `${argv[0]} is not installed.`, {
        hint: 'Install the OpenSSH client (Debian: apt-get install openssh-client).',
      })
    signal.throwIfAborted()
    const child = Bun.spawn([program, ...argv.slice(1)], {
      env: { ...env, LC_ALL: 'C' },
      stdin: input ?? 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      signal,
    })
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    signal.throwIfAborted()
    return { exitCode, stdout: stdout.slice(0, LONGEST), stderr: stderr.slice(0, LONGEST) }
  }
}

/** A machine that is gone is noticed within 45 seconds. */
const ALIVE = ['ServerAliveInterval=15', 'ServerAliveCountMax=3']

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''
