/** Several that begin in one fresh clone: one installs at a time, whatever becomes of the others. npm is a script that says when it runs. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '../lab/processes'
import { until } from '../lab/until'

const ROOT = join(import.meta.dir, '../..')

/** Writes `begin PID` and `end PID`, waits in between until the test says so, and installs a bun that has the pinned version. */
const NPM = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync, chmodSync } = require('node:fs')
appendFileSync('npm.log', 'begin ' + process.pid + '\\n')
const wait = setInterval(() => {
  if (!existsSync('go')) return
  clearInterval(wait)
  if (!existsSync('fails')) {
    mkdirSync('node_modules/.bin', { recursive: true })
    writeFileSync('node_modules/.bin/bun', '#!/bin/sh\\necho 9.9.9\\n')
    chmodSync('node_modules/.bin/bun', 0o755)
    writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/bun': { version: '9.9.9' } } }))
  }
  appendFileSync('npm.log', 'end ' + process.pid + '\\n')
  process.exit(existsSync('fails') ? 1 : 0)
}, 10)
`

let clone: string
/** One that begins in the clone, with what it said so far. */
interface Started {
  child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  said: string
}

let started: Started[]
beforeEach(() => {
  clone = mkdtempSync('/tmp/ld-')
  started = []
  mkdirSync(join(clone, 'scripts'))
  cpSync(join(ROOT, 'scripts/bootstrap.mjs'), join(clone, 'scripts/bootstrap.mjs'))
  const packages = { '': {}, 'node_modules/bun': { version: '9.9.9' } }
  writeFileSync(join(clone, 'package-lock.json'), JSON.stringify({ packages }))
  writeFileSync(join(clone, 'npm.js'), NPM)
  writeFileSync(
    join(clone, 'start.mjs'),
    "import { bootstrap } from './scripts/bootstrap.mjs'\nconsole.log(await bootstrap())\n",
  )
})
afterEach(async () => {
  for (const pid of [...started.map(({ child }) => child.pid), ...begun()])
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  await Promise.all(started.map(({ child }) => child.exited))
  rmSync(clone, { recursive: true, force: true })
})

function start(): Started {
  const child = Bun.spawn(['node', join(clone, 'start.mjs')], {
    cwd: clone,
    env: { PATH: process.env.PATH ?? '', npm_execpath: join(clone, 'npm.js') },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const one = { child, said: '' }
  started.push(one)
  void (async () => {
    for await (const bytes of child.stderr) one.said += Buffer.from(bytes).toString()
  })()
  return one
}

const log = (): string[][] =>
  existsSync(join(clone, 'npm.log'))
    ? readFileSync(join(clone, 'npm.log'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' '))
    : []
/** Processes of npm that began, in order. */
const begun = (): number[] => log().flatMap(([what, pid]) => (what === 'begin' ? [Number(pid)] : []))
const go = (): void => writeFileSync(join(clone, 'go'), '')
const ended = async ({ child }: Started) => [await child.exited, (await child.stdout.text()).trim()]
/** It waits for the installation of this process, or of any. */
const waits = ({ said }: Started, pid?: number): boolean =>
  said.includes(`Waiting for another installation (process ${pid ?? ''}`)
const bun = (): string => join(clone, 'node_modules/.bin/bun')

test('one installs, and all use what it installed', async () => {
  const all = [start(), start(), start(), start()]
  await until('npm to begin', () => begun().length > 0)
  await until('the others to wait', () => all.filter((one) => waits(one)).length === 3)
  go()
  expect(await Promise.all(all.map(ended))).toEqual(all.map(() => [0, bun()]))
  expect(log().map(([what]) => what)).toEqual(['begin', 'end'])
  expect(existsSync(join(clone, '.bootstrap.lock'))).toBe(false)
})

test('where npm fails for each of them, no two run at once', async () => {
  writeFileSync(join(clone, 'fails'), '')
  go()
  const all = [start(), start(), start(), start(), start()]
  expect(await Promise.all(all.map(ended))).toEqual(all.map(() => [1, '']))
  expect(log().map(([what]) => what)).toEqual(all.flatMap(() => ['begin', 'end']))
  expect(existsSync(join(clone, '.bootstrap.lock'))).toBe(false)
})

test('a killed one leaves its npm at work, for which the others wait', async () => {
  const first = start()
  const [npm = 0] = await until('npm to begin', () => (begun().length > 0 ? begun() : undefined))
  first.child.kill('SIGKILL')
  await first.child.exited
  const second = start()
  await until('the second to wait', () => waits(second, npm))
  expect([isAlive(npm), begun()]).toEqual([true, [npm]])
  go()
  expect(await ended(second)).toEqual([0, bun()])
  expect(log().length).toBe(2)
})

test('where npm is killed as well, the next one installs', async () => {
  const first = start()
  const [npm = 0] = await until('npm to begin', () => (begun().length > 0 ? begun() : undefined))
  first.child.kill('SIGKILL')
  await first.child.exited
  process.kill(npm, 'SIGKILL')
  go()
  expect(await ended(start())).toEqual([0, bun()])
  expect(begun().length).toBe(2)
})

test('one that stood still while another took the lock does not take it away', async () => {
  writeFileSync(join(clone, 'fails'), '')
  const first = start()
  await until('npm to begin', () => begun().length === 1)
  first.child.kill('SIGSTOP')
  go()
  await until('npm to end', () => log().length === 2)
  rmSync(join(clone, 'go'))
  const second = start()
  await until('the second npm to begin', () => begun().length === 2)
  first.child.kill('SIGCONT')
  expect(await ended(first)).toEqual([1, ''])
  const third = start()
  await until('the third to wait, or to begin', () => waits(third) || begun().length > 2)
  expect(begun().length).toBe(2)
  go()
  expect(await Promise.all([second, third].map(ended))).toEqual([
    [1, ''],
    [1, ''],
  ])
  expect(log().map(([what]) => what)).toEqual(['begin', 'end', 'begin', 'end', 'begin', 'end'])
})
