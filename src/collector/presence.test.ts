import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { claudeCodePresence, parsePresence, presencePid } from '../harness/claude-code/reach/presence-file'
import { createPresence, type Presence, type PresenceChange, type PresenceOptions } from './presence'
import { type ProcessTable, systemProcesses } from './process-table'

let root: string
let told: string[]
let presences: Presence[]
/** Start by pid; what is not here is dead. */
let running: Map<number, string>
let waiters: (() => void)[]

beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
  mkdirSync(join(root, 'sessions'))
  told = []
  presences = []
  running = new Map()
  waiters = []
})
afterEach(async () => {
  for (const presence of presences) await presence.stop()
  rmSync(root, { recursive: true, force: true })
})

const processes: ProcessTable = {
  findStart: async (pid) => {
    const text = running.get(pid)
    return text === undefined ? null : { text, at: Number(text) * 10 }
  },
  findDomain: async () => 'machine:pid:[1]',
}

async function follow(options: Partial<PresenceOptions> = {}): Promise<Presence> {
  const presence = createPresence({
    sources: [{ presence: claudeCodePresence, roots: [root] }],
    onPresence({ sessionId, pid, state, status, procStart }: PresenceChange) {
      told.push([sessionId, state, pid, procStart, ...(status === null ? [] : [status])].join(' '))
      for (const waiter of waiters.splice(0)) waiter()
    },
    intervalMs: 3_600_000,
    processes,
    ...options,
  })
  presences.push(presence)
  await presence.start()
  return presence
}

async function untilTold(count: number): Promise<void> {
  while (told.length < count) await new Promise<void>((resolve) => waiters.push(resolve))
}

const file = (name: string | number) => join(root, 'sessions', `${name}.json`)

function put(pid: number, sessionId: string, more: Record<string, unknown> = {}): void {
  writeFileSync(file(pid), JSON.stringify({ pid, sessionId, procStart: String(pid * 2), startedAt: pid * 30, ...more }))
}

describe('a session', () => {
  test('is alive while its process is, and gone once with it, though the file stays', async () => {
    running.set(7, '14')
    put(7, 's1', { status: 'busy' })
    const presence = await follow()
    expect(told).toEqual(['s1 alive 7 14 busy'])
    await presence.check()
    expect(told).toHaveLength(1)
    running.delete(7)
    await presence.check()
    await presence.check()
    expect(told.slice(1)).toEqual(['s1 gone 7 14'])
  })

  test('is told of as soon as its file comes, changes or goes', async () => {
    running.set(7, '14')
    await follow()
    put(7, 's1', { status: 'idle' })
    await untilTold(1)
    writeFileSync(join(root, 'new'), JSON.stringify({ pid: 7, sessionId: 's1', procStart: '14', status: 'busy' }))
    renameSync(join(root, 'new'), file(7))
    await untilTold(2)
    unlinkSync(file(7))
    await untilTold(3)
    expect(told).toEqual(['s1 alive 7 14 idle', 's1 alive 7 14 busy', 's1 gone 7 14'])
  })

  test('is gone when its pid belongs to a later process', async () => {
    running.set(7, '999')
    put(7, 's1')
    running.set(8, '999')
    put(8, 's2', { procStart: undefined, startedAt: 100 })
    running.set(9, '8')
    put(9, 's3', { procStart: undefined, startedAt: 100 })
    await follow()
    expect(told.sort()).toEqual(['s1 gone 7 14', 's2 gone 8 ', 's3 alive 9 8'])
  })

  test('is gone when its process went over to another one', async () => {
    running.set(7, '14')
    put(7, 's1')
    const presence = await follow()
    put(7, 's2')
    await presence.check()
    expect(told).toEqual(['s1 alive 7 14', 's2 alive 7 14', 's1 gone 7 14'])
  })

  test('stays alive while one of its two processes does', async () => {
    for (const pid of [7, 8]) {
      running.set(pid, String(pid * 2))
      put(pid, 's1')
    }
    const presence = await follow()
    running.delete(8)
    await presence.check()
    expect(told).toEqual(['s1 alive 8 16', 's1 alive 7 14'])
  })

  test('that was alive when we last ran and has no process now is gone', async () => {
    running.set(7, '14')
    running.set(8, '16')
    put(8, 's2')
    const loadAlive = async () => [
      { sessionId: 's1', pid: 6, started: '12' },
      { sessionId: 's2', pid: 8, started: '16' },
      { sessionId: 's3', pid: 7, started: '14' },
      { sessionId: 's4', pid: 7, started: '13' },
    ]
    await follow({ loadAlive })
    expect(told.sort()).toEqual(['s1 gone 6 12', 's4 gone 7 13'])
  })

  test('is told of again when the record has it otherwise, once, by whoever wrote that', async () => {
    running.set(7, '14')
    put(7, 's1')
    let at = 0
    let recorded = [{ sessionId: 's1', pid: 7, started: '14' }]
    const again: boolean[] = []
    const presence = await follow({
      loadAlive: async () => recorded,
      clock: { now: () => at, after: () => () => {} },
      onPresence: ({ sessionId, state, isAgain }) => {
        told.push(`${sessionId} ${state}`)
        again.push(isAgain)
      },
    })
    told.splice(0)
    again.splice(0)
    at += 60_000
    await presence.check()
    expect(told).toEqual([])
    recorded = []
    at += 60_000
    await presence.check()
    await presence.check()
    expect([told, again]).toEqual([['s1 alive'], [true]])
  })

  test('that is gone is told again for a minute, since hooks that it had started may speak after it', async () => {
    put(7, 's1')
    let at = 0
    const again: boolean[] = []
    const presence = await follow({
      loadAlive: async () => [],
      clock: { now: () => at, after: () => () => {} },
      onPresence: ({ state, isAgain }) => {
        told.push(`${state} at ${at}`)
        again.push(isAgain)
      },
    })
    for (at of [5_000, 30_000, 59_000, 70_000, 90_000]) await presence.check()
    expect(told).toEqual(['gone at 0', 'gone at 30000', 'gone at 59000'])
    expect(again).toEqual([false, true, true])
  })

  test('of another machine or container is none of our business', async () => {
    put(7, 's1', { pidDomain: 'linux:machine:pid:[2]' })
    put(8, 's2', { pidDomain: 'linux:other:pid:[1]' })
    put(9, 's3', { pidDomain: 'linux:machine:pid:[1]' })
    await follow()
    expect(told).toEqual(['s3 gone 9 18'])
  })

  test('is told of again when telling failed', async () => {
    running.set(7, '14')
    put(7, 's1')
    let failures = 0
    const tell = { onPresence: () => (failures++ === 0 ? Promise.reject(new Error('locked')) : void told.push('told')) }
    const presence = await follow(tell)
    await presence.check()
    await presence.check()
    expect(told).toEqual(['told'])
  })
})

describe('the folder', () => {
  test('may hold anything', async () => {
    running.set(7, '14')
    for (const [name, text] of [
      ['1', 'not json'],
      ['2', '[]'],
      ['3', 'null'],
      ['4', '{"pid":5,"sessionId":"other-pid"}'],
      ['5', '{"pid":5,"sessionId":"../../etc"}'],
      ['6', `{"pid":6,"sessionId":"large","x":"${'x'.repeat(70_000)}"}`],
      ['-7', '{"pid":-7,"sessionId":"negative"}'],
      ['07', '{"pid":7,"sessionId":"zero"}'],
      ['7.secret.key', '{"pid":7,"sessionId":"key"}'],
    ]) {
      writeFileSync(file(name ?? ''), text ?? '')
    }
    mkdirSync(file(8))
    writeFileSync(join(root, 'outside'), '{"pid":9,"sessionId":"outside"}')
    symlinkSync(join(root, 'outside'), file(9))
    Bun.spawnSync(['mkfifo', file(10)])
    put(7, 'good')
    await follow()
    expect(told).toEqual(['good alive 7 14'])
  })

  test('may come later', async () => {
    rmSync(join(root, 'sessions'), { recursive: true })
    running.set(7, '14')
    const presence = await follow()
    mkdirSync(join(root, 'sessions'))
    put(7, 's1')
    await presence.check()
    expect(told).toEqual(['s1 alive 7 14'])
  })

  test('that went takes only those sessions with it whose process went too', async () => {
    for (const pid of [7, 8]) {
      running.set(pid, String(pid * 2))
      put(pid, `s${pid}`)
    }
    const presence = await follow()
    rmSync(join(root, 'sessions'), { recursive: true })
    running.delete(8)
    await presence.check()
    expect(told.sort()).toEqual(['s7 alive 7 14', 's8 alive 8 16', 's8 gone 8 16'])
  })

  test('is read without ever failing, whatever a file says', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (text, name) => {
        parsePresence(text, 7)
        presencePid(name)
      }),
    )
  })
})

test('a real process is found by its start, and is gone when it was killed', async () => {
  const child = Bun.spawn(['sleep', '60'])
  const start = await systemProcesses.findStart(child.pid)
  expect(start?.at ?? 0).toBeGreaterThan(Date.now() - 60_000)
  expect(start?.at ?? 0).toBeLessThan(Date.now() + 5_000)
  put(child.pid, 's1', { procStart: start?.text, startedAt: Date.now() })
  await follow({ processes: systemProcesses, intervalMs: 20 })
  child.kill('SIGKILL')
  await untilTold(2)
  await child.exited
  expect(told.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['s1 alive', 's1 gone'])
})
