import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openedBy } from './registry'

let root = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'lode-reg-'))
  mkdirSync(join(root, 'sessions'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const place = () => ({ root, cwd: '/' })
const started = () => {
  const stat = readFileSync(`/proc/${process.pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
const entry = (file: string, value: unknown) =>
  writeFileSync(join(root, 'sessions', file), typeof value === 'string' ? value : JSON.stringify(value))

test('nobody has a conversation open where there is no registry', () => {
  expect(openedBy({ root: join(root, 'nothing'), cwd: '/' }, 's')).toBeNull()
})

test('a live process that has the conversation is told, with how it was started', () => {
  entry('1.json', { pid: process.pid, sessionId: 'open', procStart: started(), kind: 'interactive', entrypoint: 'cli' })
  expect(openedBy(place(), 'open')).toEqual({ pid: process.pid, kind: 'cli' })
  expect(openedBy(place(), 'other')).toBeNull()
})

test('an entry that a crash left behind counts for nothing', async () => {
  const child = Bun.spawn(['true'])
  await child.exited
  entry('2.json', { pid: child.pid, sessionId: 'dead', procStart: '1' })
  expect(openedBy(place(), 'dead')).toBeNull()
})

test('nor does one of a process that was killed and is still in the table of processes', async () => {
  // The shell becomes a program that never waits for its child; before it has, it may.
  const parent = Bun.spawn(['sh', '-c', 'sleep 60 & echo $!; exec sleep 60'], { stdout: 'pipe' })
  const { value } = await parent.stdout.getReader().read()
  const pid = Number(new TextDecoder().decode(value))
  try {
    while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n') await Bun.sleep(1)
    process.kill(pid, 'SIGKILL')
    const state = () => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
    while (state() !== 'Z') await Bun.sleep(1)
    entry('13.json', { pid, sessionId: 'killed' })
    expect(openedBy(place(), 'killed')).toBeNull()
  } finally {
    parent.kill('SIGKILL')
    await parent.exited
  }
})

test('nor does one whose number another process has by now', () => {
  entry('3.json', { pid: process.pid, sessionId: 'reused', procStart: `${Number(started()) + 1}` })
  expect(openedBy(place(), 'reused')).toBeNull()
})

test('an entry that does not tell when its process started is believed', () => {
  entry('4.json', { pid: process.pid, sessionId: 'old' })
  expect(openedBy(place(), 'old')).toEqual({ pid: process.pid, kind: 'unknown' })
})

test('broken and hostile entries are passed over', () => {
  entry('5.json', '{"pid":')
  entry('6.json', '[]')
  entry('7.json', { pid: -1, sessionId: 'bad' })
  entry('8.json', { pid: 0, sessionId: 'bad' })
  entry('9.json', { pid: '1', sessionId: 'bad' })
  entry('10.json', { pid: process.pid, sessionId: 'bad', padding: 'x'.repeat(100_000) })
  entry('11.key.json', { pid: process.pid, sessionId: 'bad' })
  mkdirSync(join(root, 'sessions/12.json'))
  expect(openedBy(place(), 'bad')).toBeNull()
  expect(openedBy(place(), 'open')).not.toBeNull()
})
