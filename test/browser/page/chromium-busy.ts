/**
 * How long a core was busy with the browser's pages. The system counts for a test file what the file waits for; nobody waits for the
 * processes of pages.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { processTree } from '../../lab/processes'

/** Names the file that takes the milliseconds. Set by the test run. */
export const BUSY_VARIABLE = 'LODELINE_TEST_BROWSER_BUSY'

/** What Linux counts time by, for programs: a hundredth of a second. */
const TICK_MS = 10

/** Writes down how long pages, drawing and network kept a core busy until now. To be called while the browser runs. */
export function noteBusy(): void {
  const file = process.env[BUSY_VARIABLE]
  if (file === undefined || process.platform !== 'linux') return
  writeFileSync(file, String(processTree(process.pid).reduce((sum, pid) => sum + busyOf(pid), 0)))
}

/** Processor time of a process that a browser started, with those of its own that have ended. */
function busyOf(pid: number): number {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=')) return 0
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
  } catch {
    // It has ended.
    return 0
  }
}
