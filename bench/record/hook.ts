import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/app/threads/database'
import { hookJournalFolder, listHookJournals, parseHookLine } from '../../src/util/hook-journal'
import type { Figure } from '../common/figure'
import { prepareHome } from '../common/lode'
import { timeProcesses } from './whole-process'

const RUNS = 1_000
const QUIET_RUNS = 200

/** `lode hook` as an agent's CLI runs it: a process for each event, with the payload on standard input. */
export const hookFigure: Figure = {
  name: 'hook',
  target:
    'lode hook, whole process, while another process writes back to back: p50 ≤ 10 ms, p99 ≤ 30 ms, none lost in 1,000; start-up without work ≤ 8 ms',
  async measure({ lode, folder }) {
    const home = prepareHome(join(folder, 'h'))
    await (await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })).close()
    const quiet = {
      hook: timeProcesses([lode, 'hook'], { home, runs: QUIET_RUNS, stdin: (run) => payload(run) }),
      start: timeProcesses([lode, 'version'], { home, runs: QUIET_RUNS }),
      true: timeProcesses(['true'], { home, runs: QUIET_RUNS }),
    }
    const writer = Bun.spawn([process.execPath, join(import.meta.dir, 'processes/busy-writer.ts'), home], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const said = writer.stdout.getReader()
    await said.read()
    const busy = {
      hook: timeProcesses([lode, 'hook'], { home, runs: RUNS, stdin: (run) => payload(QUIET_RUNS + run) }),
      true: timeProcesses(['true'], { home, runs: QUIET_RUNS }),
    }
    await writer.stdin.end()
    await writer.exited
    const lost = QUIET_RUNS + RUNS - countedIn(home)
    return {
      ok: busy.hook.p50Ms <= 10 && busy.hook.p99Ms <= 30 && lost === 0 && quiet.start.p50Ms <= 8,
      values: { whileWriting: busy.hook, lost, quiet: quiet.hook, startWithoutWork: quiet.start },
      limit: { true: { quiet: quiet.true, whileWriting: busy.true } },
    }
  },
}

const payload = (call: number): string =>
  JSON.stringify({
    session_id: '0d1a6d6e-0000-4000-8000-000000000001',
    hook_event_name: 'PostToolUse',
    tool_name: 'TodoWrite',
    tool_use_id: `toolu_${call}`,
    tool_input: { todos: Array.from({ length: 6 }, (_, at) => ({ content: `Step ${at}`, status: 'pending' })) },
  })

/** Different calls that the host's hook journal holds, whole. */
function countedIn(home: string): number {
  const calls = new Set<unknown>()
  for (const { path } of listHookJournals(hookJournalFolder(home)))
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const payload = line === '' ? undefined : parseHookLine(Buffer.from(line))?.payload
      if (typeof payload === 'object' && payload !== null && 'tool_use_id' in payload) calls.add(payload.tool_use_id)
    }
  return calls.size
}
