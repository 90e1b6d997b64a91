import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { measureSyncs } from './measure'

/** What the figures were measured on. */
export function describeMachine(folder: string) {
  const processors = cpus()
  return {
    cores: processors.length,
    cpu: processors[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1e9),
    kernel: `${type()} ${release()}`,
    bun: Bun.version,
    /** Processes that wanted to run in the last minute, on average: more than there are cores = the figures are noisy. */
    load: Number(loadAverage().toFixed(2)),
    durableAppends: measureSyncs(join(folder, 'syncs')),
  }
}

function loadAverage(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}
