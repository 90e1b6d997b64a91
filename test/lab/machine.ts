/**
 * A machine of its own as far as processes go: a space of pids in which no process of another one can be seen, and which none sees into
 * but the test. Works for root and for a plain user. The files are shared, and so is the network unless it gets one of its own.
 */
import { join } from 'node:path'
import { isAlive, killAll, processTree } from './processes'
import { until } from './until'

export class Machine {
  private readonly holder: Bun.Subprocess<'ignore', 'ignore', 'inherit'>
  private readonly init: number
  private readonly hasNetwork: boolean

  private constructor(holder: Machine['holder'], init: number, hasNetwork: boolean) {
    this.holder = holder
    this.init = init
    this.hasNetwork = hasNetwork
  }

  /** The command as it runs there. Its pid is seen from here as another number than from there. @param cwd  a whole path */
  command(words: readonly string[], cwd: string): string[] {
    const spaces = ['--user', '--preserve-credentials', '--pid', '--mount', ...(this.hasNetwork ? ['--net'] : [])]
    return ['nsenter', '--target', String(this.init), ...spaces, `--wdns=${cwd}`, '--', ...words]
  }

  /** @param hasNetwork  nothing but a loopback, and the ways out of `way` */
  static async start({ hasNetwork = false } = {}): Promise<Machine> {
    const network = hasNetwork ? ['--net'] : []
    const spaces = ['--user', '--map-root-user', '--pid', '--mount-proc', ...network, '--fork', '--kill-child=SIGKILL']
    const init = hasNetwork ? `ip link set lo up; ${INIT}` : INIT
    const holder = Bun.spawn(['unshare', ...spaces, 'bash', '-c', init], {
      env: { PATH: process.env.PATH ?? '' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    })
    const first = await until('the space of pids', () => {
      if (holder.exitCode !== null) throw new Error(`unshare ended with ${holder.exitCode}`)
      const child = processTree(holder.pid)[1]
      // Between fork and exec it is not set up yet.
      return child !== undefined && commandOf(child) === 'bash' ? child : undefined
    })
    return new Machine(holder, first, hasNetwork)
  }

  /** What connects to this address of its loopback comes out at a socket, where somebody must listen. */
  async way(host: string, port: number, socket: string): Promise<void> {
    const words = [process.execPath, join(import.meta.dir, 'forward.ts'), host, String(port), socket]
    const forward = Bun.spawn(this.command(words, '/'), {
      env: { PATH: process.env.PATH ?? '' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    for await (const text of forward.stdout) if (text.length > 0) return
    throw new Error(`the way by ${host}:${port} was not opened`)
  }

  /** Ends everything that runs there. */
  async stop(): Promise<void> {
    killAll([this.init])
    await this.holder.exited
    await until('the machine to be gone', () => !isAlive(this.init))
  }
}

/** The first process there: it waits for those that lose their parents, or each would look alive for ever. */
const INIT = 'while :; do sleep 1000 & wait $!; done'

const commandOf = (pid: number): string =>
  Bun.spawnSync(['ps', '-o', 'comm=', '-p', String(pid)])
    .stdout.toString()
    .trim()
