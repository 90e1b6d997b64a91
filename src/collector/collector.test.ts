import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { FakeRecorder, fakeHarness, fakeLog } from '../../test/fake-recorder'
import { AppError } from '../domain/errors'
import { type Clock, systemClock } from './clock'
import { type Collector, createCollector } from './collector'
import type { CollectorOptions } from './options'

let root: string
let recorder: FakeRecorder
let log: ReturnType<typeof fakeLog>
let collectors: Collector[]

beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
  recorder = new FakeRecorder()
  log = fakeLog()
  collectors = []
})
afterEach(async () => {
  for (const collector of collectors) await collector.stop()
  rmSync(root, { recursive: true, force: true })
})

/** Waits pass fifty times faster. */
const hurried: Clock = { now: Date.now, after: (ms, run) => systemClock.after(ms / 50, run) }

function create(options: Partial<CollectorOptions> = {}): Collector {
  const collector = createCollector({
    sources: [{ files: fakeHarness, roots: [root] }],
    recorder,
    hookJournal: null,
    log,
    rescanMs: 3_600_000,
    ...options,
  })
  collectors.push(collector)
  return collector
}

async function started(options: Partial<CollectorOptions> = {}): Promise<Collector> {
  const collector = create(options)
  await collector.start()
  await collector.ready
  return collector
}

const at = (...names: string[]) => join(root, 'projects', ...names)

function write(path: string, text: string, ageMs = 0): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  const time = (Date.now() - ageMs) / 1_000
  if (ageMs > 0) utimesSync(path, time, time)
  return path
}

const paths = (call: 'file' | 'gone') => recorder.calls.filter((made) => made.call === call).map((made) => made.path)

describe('what is there at the start', () => {
  test('is recorded newest session first, each with its sub-agents after it and their links before them', async () => {
    write(at('p', 'old.jsonl'), '1', 50_000)
    write(at('p', 'old', 'subagents', 'agent-b.jsonl'), '1', 90_000)
    write(at('p', 'new.jsonl'), '1', 30_000)
    write(at('p', 'new', 'subagents', 'agent-a.jsonl'), '1', 20_000)
    write(at('p', 'new', 'subagents', 'agent-a.meta.json'), '1', 40_000)
    write(at('q', 'mid.jsonl'), '1', 35_000)
    write(at('p', 'notes.txt'), 'no journal')
    await started({ concurrency: 1 })
    expect(paths('file')).toEqual([
      at('p', 'new.jsonl'),
      at('p', 'new', 'subagents', 'agent-a.meta.json'),
      at('p', 'new', 'subagents', 'agent-a.jsonl'),
      at('q', 'mid.jsonl'),
      at('p', 'old.jsonl'),
      at('p', 'old', 'subagents', 'agent-b.jsonl'),
    ])
  })

  test('is not recorded again where the record has it, and is where it may have changed', async () => {
    for (const name of ['same', 'grown', 'other', 'later']) write(at('p', `${name}.jsonl`), 'text')
    const known = (name: string, size = 4) => {
      const { ino, ctimeMs } = statSync(at('p', `${name}.jsonl`))
      return { size, inode: ino, recordedAt: ctimeMs }
    }
    const loadKnown = async () =>
      new Map([
        [at('p', 'same.jsonl'), known('same')],
        [at('p', 'grown.jsonl'), known('grown', 3)],
        [at('p', 'other.jsonl'), { ...known('other'), inode: 1 }],
        [at('p', 'later.jsonl'), { ...known('later'), recordedAt: known('later').recordedAt - 1 }],
        [at('p', 'deleted.jsonl'), { size: 4, inode: 1, recordedAt: Date.now() }],
        ['/elsewhere/projects/p/x.jsonl', { size: 4, inode: 1, recordedAt: Date.now() }],
      ])
    await started({ loadKnown })
    expect(paths('file').sort()).toEqual([at('p', 'grown.jsonl'), at('p', 'later.jsonl'), at('p', 'other.jsonl')])
    await recorder.until(() => paths('gone').length > 0)
    expect(paths('gone')).toEqual([at('p', 'deleted.jsonl')])
    appendFileSync(at('p', 'same.jsonl'), '!')
    await recorder.untilContent(at('p', 'same.jsonl'), 'text!')
  })

  test('is recorded all the same when the record can not say what it has', async () => {
    write(at('p', 'a.jsonl'), '1')
    await started({ loadKnown: () => Promise.reject(new AppError('unavailable', 'locked')) })
    expect(recorder.contents.size).toBe(1)
    expect(log.lines).toHaveLength(1)
  })

  test('does not hold up what happens meanwhile', async () => {
    for (let i = 0; i < 20; i++) write(at('p', `${i}.jsonl`), '1', 100_000)
    const live = write(at('p', 'live.jsonl'), '1', 200_000)
    const gate = Promise.withResolvers<void>()
    recorder.before = (ref) => (ref.path === live ? undefined : gate.promise)
    const collector = create()
    await collector.start()
    await recorder.until(() => recorder.calls.length >= 3)
    appendFileSync(live, '2')
    await recorder.untilContent(live, '12')
    gate.resolve()
    await collector.ready
    expect(recorder.contents.size).toBe(21)
  })
})

describe('a file', () => {
  test('is recorded when it grows, shrinks, is replaced, renamed or removed', async () => {
    const path = write(at('p', 'a.jsonl'), 'one')
    await started()
    appendFileSync(path, ' two')
    await recorder.untilContent(path, 'one two')
    truncateSync(path, 3)
    await recorder.untilContent(path, 'one')
    writeFileSync(join(root, 'new'), 'three')
    renameSync(join(root, 'new'), path)
    await recorder.untilContent(path, 'three')
    renameSync(path, at('p', 'b.jsonl'))
    await recorder.untilContent(at('p', 'b.jsonl'), 'three')
    await recorder.untilContent(path, null)
    unlinkSync(at('p', 'b.jsonl'))
    await recorder.untilContent(at('p', 'b.jsonl'), null)
    expect(paths('gone')).toEqual([path, at('p', 'b.jsonl')])
  })

  test('that grows all the time is recorded a few times, and then as it ended', async () => {
    const path = write(at('p', 'a.jsonl'), '')
    await started({ spacingMs: 50 })
    const before = recorder.calls.length
    const begun = performance.now()
    for (let i = 0; i < 1_000; i++) {
      appendFileSync(path, `${i}\n`)
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await recorder.untilContent(path, readFileSync(path, 'utf8'))
    const turns = Math.ceil((performance.now() - begun) / 50) + 2
    expect(recorder.calls.length - before).toBeLessThanOrEqual(turns)
    expect(recorder.mostPerFile).toBe(1)
  })

  test('in folders that come later is found, however deep', async () => {
    mkdirSync(at())
    await started()
    const path = at('late', 's', 'subagents', 'agent-x.jsonl')
    write(path, '1')
    await recorder.untilContent(path, '1')
    appendFileSync(path, '2')
    await recorder.untilContent(path, '12')
  })

  test('in a folder that is moved in, moved away or removed follows it', async () => {
    mkdirSync(at())
    await started()
    const aside = join(root, 'aside', 'p')
    write(join(aside, 's', 'subagents', 'agent-x.jsonl'), '1')
    renameSync(aside, at('p'))
    await recorder.untilContent(at('p', 's', 'subagents', 'agent-x.jsonl'), '1')
    renameSync(at('p'), aside)
    await recorder.untilContent(at('p', 's', 'subagents', 'agent-x.jsonl'), null)
    renameSync(aside, at('q'))
    await recorder.untilContent(at('q', 's', 'subagents', 'agent-x.jsonl'), '1')
    rmSync(at('q'), { recursive: true })
    await recorder.untilContent(at('q', 's', 'subagents', 'agent-x.jsonl'), null)
  })

  test('behind a symbolic link is left alone', async () => {
    const outside = mkdtempSync('/tmp/ld-')
    try {
      write(join(outside, 'x.jsonl'), '1')
      mkdirSync(at('p'), { recursive: true })
      symlinkSync(outside, at('linked'))
      symlinkSync(join(outside, 'x.jsonl'), at('p', 'linked.jsonl'))
      mkdirSync(at('p', 'folder.jsonl'))
      const collector = await started()
      symlinkSync(outside, at('later'))
      write(at('p', 'real.jsonl'), '1')
      await recorder.untilContent(at('p', 'real.jsonl'), '1')
      await collector.catchUp()
      expect([...recorder.contents.keys()]).toEqual([at('p', 'real.jsonl')])
    } finally {
      rmSync(outside, { recursive: true })
    }
  })

  test('that nobody may read is no trouble, and is recorded once it may be read', async () => {
    const path = write(at('p', 'a.jsonl'), '1')
    let isSecret = true
    const record = recorder.recordFile.bind(recorder)
    recorder.recordFile = async (ref) => ({
      ...(await record(ref)),
      ...(isSecret ? { state: 'missing', reason: 'EACCES' } : {}),
    })
    const collector = await started()
    await collector.catchUp()
    expect(paths('file')).toHaveLength(1)
    isSecret = false
    chmodSync(path, 0o600)
    await collector.catchUp()
    expect(paths('file')).toHaveLength(2)
    expect(paths('gone')).toEqual([])
  })
})

describe('a root', () => {
  test('may come later, go, and come back', async () => {
    const late = join(root, 'late')
    const path = join(late, 'projects', 'p', 'a.jsonl')
    const collector = await started({ sources: [{ files: fakeHarness, roots: [late] }], clock: hurried })
    expect(collector.stats().folders.map(({ state }) => state)).toEqual(['awaited', 'awaited', 'awaited'])
    write(path, '1')
    await recorder.untilContent(path, '1')
    rmSync(late, { recursive: true })
    await recorder.untilContent(path, null)
    write(path, '2')
    await recorder.untilContent(path, '2')
    appendFileSync(path, '3')
    await recorder.untilContent(path, '23')
  })

  test('that is away takes no file of the record with it', async () => {
    const path = write(at('p', 'a.jsonl'), '1')
    const collector = await started({ isWatching: false })
    renameSync(at(), join(root, 'unmounted'))
    await collector.catchUp()
    expect(collector.stats()).toMatchObject({
      files: 1,
      folders: [{ state: 'awaited' }, { state: 'awaited' }, { state: 'awaited' }],
    })
    renameSync(join(root, 'unmounted'), at())
    await collector.catchUp()
    expect(paths('gone')).toEqual([])
    unlinkSync(path)
    await collector.catchUp()
    expect(paths('gone')).toEqual([path])
  })

  test('named twice is followed once', async () => {
    write(at('p', 'a.jsonl'), '1')
    symlinkSync(root, `${root}-link`)
    try {
      const collector = await started({ sources: [{ files: fakeHarness, roots: [root, `${root}/`, `${root}-link`] }] })
      expect(recorder.calls).toHaveLength(1)
      expect(collector.stats().folders.map(({ state }) => state)).toContain('duplicate')
    } finally {
      unlinkSync(`${root}-link`)
    }
  })

  test('may hold thousands of files', async () => {
    for (let p = 0; p < 20; p++) for (let i = 0; i < 100; i++) write(at(`p${p}`, `${p}-${i}.jsonl`), `${i}`)
    const collector = await started()
    expect(recorder.contents.size).toBe(2_000)
    expect(collector.stats()).toMatchObject({ files: 2_000, recordings: 2_000, queued: 0, isReady: true })
    expect(recorder.mostAtOnce).toBeLessThanOrEqual(4)
    rmSync(at(), { recursive: true })
    await recorder.until(() => recorder.contents.size === 0)
  })
})

describe('without notifications of the system', () => {
  test('looking again finds every change', async () => {
    const path = write(at('p', 'a.jsonl'), '1')
    write(at('p', 'b.jsonl'), '1')
    const collector = await started({ isWatching: false, rescanMs: 100 })
    expect(collector.stats().folders[0]?.state).toBe('unwatched')
    appendFileSync(path, '2')
    await recorder.untilContent(path, '12')
    unlinkSync(path)
    await recorder.untilContent(path, null)
    write(at('q', 'new.jsonl'), '1')
    await recorder.untilContent(at('q', 'new.jsonl'), '1')
  })

  test('asking anew gives every file a turn, whether it changed or not', async () => {
    const collector = await started()
    write(at('p', 'a.jsonl'), 'x')
    write(at('p', 'b.jsonl'), 'y')
    await collector.catchUp()
    recorder.calls.length = 0
    collector.recordAnew()
    await collector.catchUp()
    expect([...new Set(paths('file'))].sort()).toEqual([at('p', 'a.jsonl'), at('p', 'b.jsonl')])
  })

  test('a file rewritten with the same length in the same tick of the clock is looked at once more', async () => {
    const path = write(at('p', 'a.jsonl'), '1')
    const collector = await started({ isWatching: false })
    await collector.catchUp()
    expect(paths('file')).toEqual([path, path])
  })
})

describe('trouble of the recorder', () => {
  test.each(['unavailable', 'unauthorized', 'storage_full', 'storage_readonly'] as const)(
    '%s is said once, and nothing is lost',
    async (code) => {
      for (let i = 0; i < 10; i++) write(at('p', `${i}.jsonl`), `${i}`)
      let failures = 0
      recorder.before = () => {
        if (failures++ < 5) throw new AppError(code, 'no')
      }
      const collector = await started({ clock: hurried })
      expect(recorder.contents.size).toBe(10)
      expect(log.lines).toEqual([
        'recording is paused; nothing is lost, and it resumes by itself',
        'recording continues',
      ])
      expect(collector.stats().outage).toBeNull()
    },
  )

  test('with one file does not hold up the others', async () => {
    const bad = write(at('p', 'bad.jsonl'), '1')
    for (let i = 0; i < 10; i++) write(at('p', `${i}.jsonl`), `${i}`, 1_000)
    let failures = 0
    recorder.before = (ref) => {
      if (ref.path === bad && failures++ < 2) throw new Error('a mistake of ours')
    }
    await started({ clock: hurried })
    expect(recorder.contents.size).toBe(10)
    await recorder.untilContent(bad, '1')
    expect(log.lines).toHaveLength(1)
  })

  test('does not keep the collector from stopping', async () => {
    write(at('p', 'a.jsonl'), '1')
    recorder.before = () => {
      throw new AppError('unavailable', 'locked')
    }
    const collector = create()
    await collector.start()
    await recorder.until(() => recorder.calls.length > 0)
    await collector.stop()
    await collector.ready
    expect(collector.stats().isReady).toBe(false)
  })
})

test('stopping waits for the recordings under way and begins no more', async () => {
  for (let i = 0; i < 10; i++) write(at('p', `${i}.jsonl`), `${i}`)
  const gate = Promise.withResolvers<void>()
  recorder.before = () => gate.promise
  const collector = create()
  await collector.start()
  await recorder.until(() => recorder.calls.length === 3)
  let isStopped = false
  const stopping = collector.stop().then(() => {
    isStopped = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isStopped).toBe(false)
  gate.resolve()
  await stopping
  appendFileSync(at('p', '1.jsonl'), 'x')
  await collector.catchUp()
  expect(recorder.calls).toHaveLength(3)
})
