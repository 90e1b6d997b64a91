/**
 * A worker for tests of the guard, to be killed or stopped: runs the programs of its first argument (JSON of
 * `GuardedOptions[]`) under guards, gives each its input, and renews them while it can. Prints a line for each start and each end.
 */
import { type GuardedOptions, spawnGuarded } from '../../src/worker/guarded-process'

const programs = JSON.parse(process.argv[2] ?? '[]') as (GuardedOptions & { renewEveryMs: number; input?: string })[]
await Promise.all(
  programs.map(async (options) => {
    const run = await spawnGuarded(options)
    process.stdout.write(`${JSON.stringify({ pid: run.pid })}\n`)
    if (options.input !== undefined) await run.stdin.write(options.input)
    const timer = setInterval(() => run.renew(options.deadlineMs), options.renewEveryMs)
    void run.stdout.pipeTo(new WritableStream())
    const end = await run.exited
    clearInterval(timer)
    process.stdout.write(`${JSON.stringify(end)}\n`)
  }),
)
