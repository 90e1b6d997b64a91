/** A real ssh server on loopback, with a host key and a user's key of its own. It belongs to one test. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../lab/free-port'
import { until } from '../lab/until'

export interface Sshd extends AsyncDisposable {
  /** `user@127.0.0.1` */
  destination: string
  port: number
  /** The user's private key. */
  identity: string
  /** The fingerprint of its host key, as `ssh-keygen -l` prints it. */
  fingerprint: string
  /** The home folder of who logs in. */
  home: string
}

const SERVER = '/usr/sbin/sshd'

/** Sees that there is one, and installs it where it is missing. @throws Error with what to do */
function needSshd(): void {
  if (existsSync(SERVER)) return
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C', RUNLEVEL: '1' }
    const apt = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=120']
    for (const what of [['update'], ['install', '--no-install-recommends', 'openssh-server', 'openssh-client']])
      execFileSync('apt-get', [...apt, ...what], { env, stdio: 'ignore' })
  }
  if (!existsSync(SERVER))
    throw new Error('No ssh server is installed. Install it (Debian: apt-get install openssh-server).')
}

/** @param path  folders before the search path of who logs in */
export async function startSshd(folder: string, path: readonly string[] = []): Promise<Sshd> {
  needSshd()
  const home = join(folder, 'home')
  for (const each of [folder, home]) mkdirSync(each, { recursive: true, mode: 0o700 })
  const key = (name: string): string => {
    const file = join(folder, name)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
    return file
  }
  const [hostKey, identity] = [key('host-key'), key('identity')]
  const authorized = join(folder, 'authorized')
  writeFileSync(authorized, readFileSync(`${identity}.pub`), { mode: 0o600 })
  // Root's separation of privileges wants this folder.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const port = freePort()
  const search = [...path, '/usr/local/bin', '/usr/bin', '/bin'].join(':')
  const config = join(folder, 'sshd_config')
  writeFileSync(
    config,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${authorized}`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      // A home of its own: nothing of this machine's user is touched. sshd goes there itself before.
      `ForceCommand cd ${home} && HOME=${home} PATH=${search} exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`,
    ].join('\n'),
  )
  chmodSync(hostKey, 0o600)
  const server = Bun.spawn([SERVER, '-D', '-e', '-f', config], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  await until('the ssh server', async () => {
    if (server.exitCode !== null) throw new Error(await server.stderr.text())
    return await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
      (socket) => {
        socket.end()
        return true
      },
      () => false,
    )
  })
  const fingerprint = execFileSync('ssh-keygen', ['-lf', `${hostKey}.pub`], { encoding: 'utf8' }).split(' ')[1] ?? ''
  return {
    destination: `${execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()}@127.0.0.1`,
    port,
    identity,
    fingerprint,
    home,
    async [Symbol.asyncDispose]() {
      server.kill('SIGTERM')
      await server.exited
    },
  }
}
