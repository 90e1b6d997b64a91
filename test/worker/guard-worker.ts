/**
 * A worker for tests of the guard, to be killed or stopped: runs the programs of its first argument (JSON of `GuardedProgram[]`) under
 * guards, gives each its input, and renews them while it can. Prints a line for each start, for what stands still and goes on, and for
 * each end. With a second argument it starts one guard after another in advance, and uses it.
 */
import { createLogger } from '../../src/util/log'
import { type GuardedOptions, spawnGuarded } from '../../src/worker/run/guarded-process'
import { Guards } from '../../src/worker/run/guards'
import { limitsIn } from './guarded'

export interface GuardedProgram extends Omit<GuardedOptions, 'limits'> {
  renewEveryMs: number
  /** What each renewal says: `limitsIn(...lastsMs)`. */
  lastsMs: [number, number]
  input?: string
}

const programs = JSON.parse(process.argv[2] ?? '[]') as GuardedProgram[]
const [first] = programs
const guards =
  process.argv[3] === undefined || first === undefined
    ? null
    : new Guards({ lode: first.lode, env: process.env, log: createLogger({ terminalLevel: 'off' }), goesOn: true })
guards?.prepare()
const spawn = guards?.spawn ?? spawnGuarded
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
await Promise.all(
  programs.map(async ({ lastsMs, ...options }) => {
    const run = await spawn({
      ...options,
      limits: limitsIn(...lastsMs),
      onFrozen: (frozen) => print({ frozen }),
      onThawed: (thawed) => print({ thawed }),
    })
    print({ pid: run.pid })
    guards?.prepareNext()
    if (options.input !== undefined) await run.stdin.write(options.input)
    const timer = setInterval(() => run.renewed(limitsIn(...lastsMs)), options.renewEveryMs)
    void run.stdout.pipeTo(new WritableStream())
    const end = await run.exited
    clearInterval(timer)
    print(end)
  }),
)
