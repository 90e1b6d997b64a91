/** The guard of a program in a sandbox: it stops, continues, signals and ends what is within. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawnGuarded } from '../../src/worker/run/guarded-process'
import { BOX_WORDS, findBubblewrap, SYSTEM_WORDS } from '../../src/worker/sandbox/bubblewrap'
import { needBubblewrap } from '../lab/bubblewrap'
import { killAll } from '../lab/processes'
import { until } from '../lab/until'
import { guarded, limitsIn, newAttempt, processesOf, sizesOf, tools } from './guarded'

let folder: string
let attempt: string
let bwrap: string
beforeAll(async () => {
  await needBubblewrap()
  const found = await findBubblewrap(process.env)
  if ('why' in found) throw new Error(found.why)
  bwrap = found.path
})
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
  attempt = newAttempt()
})
afterEach(async () => {
  killAll(processesOf(attempt))
  await until('the processes of the test to be gone', () => processesOf(attempt).length === 0)
  rmSync(folder, { recursive: true, force: true })
})

const start = (script: string, more: Parameters<typeof guarded>[2] = {}) => {
  const words = [bwrap, ...BOX_WORDS, '--ro-bind', '/', '/', '--bind', folder, folder, ...SYSTEM_WORDS, '--']
  return spawnGuarded(guarded(attempt, script, { box: { words, isAround: true }, ...more }))
}
const atWork = (files: string[]) => until('the tools to write', () => sizesOf(files).every((size) => size > 0))
const statusOf = (pid: number, name: string) =>
  new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''

test('the process that it tells is the program, which stands still and goes on with all that it started', async () => {
  const said: string[] = []
  const { script, files } = tools(folder)
  const run = await start(`${script}\nwait`, {
    limits: limitsIn(2_000, 60_000),
    onFrozen: () => said.push('frozen'),
    onThawed: () => said.push('thawed'),
  })
  // It is bubblewrap's own until that has made the sandbox.
  await until('the program', () => statusOf(run.pid, 'Name') === 'sh')
  // Its pid within is another one.
  expect(statusOf(run.pid, 'NSpid').split('\t')).toHaveLength(2)
  await atWork(files)
  await until('the tree to stand still', () => said.includes('frozen'))
  const sizes = sizesOf(files)
  expect(statusOf(run.pid, 'State')).toStartWith('T')
  run.renewed(limitsIn(60_000))
  await until('the tree to go on', () => sizesOf(files).every((size, index) => size > (sizes[index] ?? 0)))
  await until('the guard to say so', () => said.length > 1)
  expect(said).toEqual(['frozen', 'thawed'])
  await run.killTree()
  expect(processesOf(attempt)).toEqual([])
})

test('a signal reaches the program, and its own exit code comes back', async () => {
  const run = await start(
    `trap 'echo ended > ${join(folder, 'said')}; exit 7' TERM; echo x > ${join(folder, 'up')}; while :; do sleep 0.05; done`,
  )
  await atWork([join(folder, 'up')])
  run.terminate('SIGTERM')
  expect(await run.exited).toEqual({ exitCode: 7, signal: null, by: 'itself' })
  expect(readFileSync(join(folder, 'said'), 'utf8')).toBe('ended\n')
})

test('a program that is killed counts as killed', async () => {
  const run = await start('read go; kill -9 $$')
  const killed = await start('while :; do sleep 0.05; done')
  process.kill(killed.pid, 'SIGKILL')
  expect(await killed.exited).toEqual({ exitCode: null, signal: 'SIGKILL', by: 'itself' })
  // By now the guard knows which process in the box is the program.
  await run.stdin.write('go\n')
  expect(await run.exited).toEqual({ exitCode: null, signal: 'SIGKILL', by: 'itself' })
})

test('whatever it leaves running ends with the first process of the sandbox', async () => {
  const { script, files } = tools(folder)
  const run = await start(`${script}\nwhile :; do sleep 0.05; done`)
  await atWork(files)
  const box = Number(statusOf(run.pid, 'PPid'))
  // The first process of the sandbox: nobody has to find the others.
  process.kill(box, 'SIGKILL')
  await run.exited
  expect(processesOf(attempt)).toEqual([])
})
