/**
 * A machine of its own as far as processes go: a space of pids in which no process of another one can be seen, and which none sees into
 * but the test. Works for root and for a plain user. The network and the files are shared.
 */
import { isAlive, killAll, processTree } from './processes'
import { until } from './until'

export class Machine {
  private readonly holder: Bun.Subprocess<'ignore', 'ignore', 'inherit'>
  private readonly init: number

  private constructor(holder: Machine['holder'], init: number) {
    this.holder = holder
    this.init = init
  }

  /** The command as it runs there. Its pid is seen from here as another number than from there. @param cwd  a whole path */
  command(words: readonly string[], cwd: string): string[] {
    const spaces = ['--user', '--preserve-credentials', '--pid', '--mount']
    return ['nsenter', '--target', String(this.init), ...spaces, `--wdns=${cwd}`, '--', ...words]
  }

  static async start(): Promise<Machine> {
    const spaces = ['--user', '--map-root-user', '--pid', '--mount-proc', '--fork', '--kill-child=SIGKILL']
    const holder = Bun.spawn(['unshare', ...spaces, 'bash', '-c', INIT], {
      env: { PATH: process.env.PATH ?? '' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    })
    const init = await until('the space of pids', () => {
      if (holder.exitCode !== null) throw new Error(`unshare ended with ${holder.exitCode}`)
      const child = processTree(holder.pid)[1]
      // Between fork and exec it is not set up yet.
      return child !== undefined && commandOf(child) === 'bash' ? child : undefined
    })
    return new Machine(holder, init)
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
