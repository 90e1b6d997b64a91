import { environment } from '../common/lode'
import { round, type Spread, spread } from '../common/measure'

/** How long whole processes took, from before the start to the end. */
export interface ProcessSpread extends Spread {
  /** Median of user and system time: what is left of the wall-clock time when nobody else uses the processors. */
  cpuP50Ms: number
}

/**
 * Runs a command this many times, one after another, with Lodeline's folder in its environment.
 *
 * @param stdin  what the nth run reads; nothing by default
 * @throws when a run fails
 */
export function timeProcesses(
  command: string[],
  options: { home: string; runs: number; stdin?: (run: number) => string },
): ProcessSpread {
  const { home, runs, stdin } = options
  const wall: number[] = []
  const cpu: number[] = []
  for (let run = 0; run < runs; run++) {
    const before = performance.now()
    const ended = Bun.spawnSync(command, {
      env: environment(home),
      stdin: Buffer.from(stdin?.(run) ?? ''),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    wall.push(performance.now() - before)
    if (ended.exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${ended.exitCode}: ${ended.stderr}`)
    cpu.push(Number(ended.resourceUsage.cpuTime.total) / 1_000)
  }
  return { ...spread(wall), cpuP50Ms: round(spread(cpu).p50Ms) }
}
