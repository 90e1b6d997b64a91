import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { measureSyncs, spread, timeEach } from '../common/measure'
import { timeProcesses } from '../record/whole-process'
import { makeProject } from './make-file'

const ISSUES = 10_000
const RUNS = 60

/** The everyday commands of the tracker as an agent runs them: a process for each. */
export const commandsFigure: Figure = {
  name: 'commands',
  target:
    'lode issue list, ready, show and create, whole processes, with 10,000 issues: p50 ≤ 30 ms, whenever the file is written, without a server and with one',
  async measure({ lode, folder, note }) {
    const { dir, path, ids } = makeProject(folder, ISSUES)
    const home = prepareHome(join(folder, 'h'))
    const run = (...args: string[]) => timeProcesses([lode, 'issue', ...args, '-C', dir], { home, runs: RUNS })
    const commands = () => ({
      list: run('list'),
      ready: run('ready'),
      show: run('show', ids[ISSUES / 2] ?? ''),
      create: run('create', 'One more'),
    })
    const withSetting = (write: 'always' | 'sync'): void => {
      const set = ['config', 'set', 'issueFile.write', write]
      timeProcesses([lode, ...set], { home, runs: 1 })
    }
    timeProcesses([lode, 'issue', 'list', '-C', dir], { home, runs: 1 })
    note(`${ISSUES} issues are known`)
    const always = commands()
    const limit = {
      startWithoutWork: timeProcesses([lode, 'version'], { home, runs: RUNS }),
      /** What `create` has to wait for at least where the file is written: as many bytes, made durable and put in the file's place. */
      replaceFile: await timeReplacing(path),
      durableAppend: measureSyncs(join(folder, 'syncs')),
    }
    withSetting('sync')
    const sync = commands()
    timeProcesses([lode, 'issue', 'sync', '-C', dir], { home, runs: 1 })
    const server = async () => {
      const started = await Server.start(lode, home)
      try {
        return commands()
      } finally {
        await started.stop()
      }
    }
    const serverSync = await server()
    withSetting('always')
    const serverAlways = await server()
    const all = [always, sync, serverSync, serverAlways]
    return {
      ok: all.every((one) => Object.values(one).every(({ p50Ms }) => p50Ms <= 30)),
      values: { withoutServer: { always, sync }, withServer: { always: serverAlways, sync: serverSync } },
      limit,
    }
  },
}

async function timeReplacing(path: string) {
  const bytes = readFileSync(path)
  const draft = join(dirname(path), '.limit')
  const times = await timeEach(RUNS, () => {
    const file = openSync(draft, 'w')
    writeSync(file, bytes)
    fsyncSync(file)
    closeSync(file)
    renameSync(draft, `${draft}.there`)
  })
  return { bytes: bytes.length, ...spread(times) }
}
