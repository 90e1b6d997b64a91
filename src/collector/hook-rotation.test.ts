import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FakeRecorder, fakeHarness, fakeLog } from '../../test/fake-recorder'
import type { JournalRef } from '../domain/harness/harness'
import { appendLine } from '../util/append-line'
import { currentHookJournal, encodeHookLine, listHookJournals, parseHookLine } from '../util/hook-journal'
import { type Collector, createCollector } from './collector'
import { rotateHookJournal } from './hook-rotation'
import type { HookJournalOptions } from './options'

let home: string
let folder: string
let recorder: FakeRecorder
/** Every line that was ever recorded, and the files' references. */
let lines: Set<string>
let refs: JournalRef[]
let collectors: Collector[]

beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
  folder = join(home, 'hooks')
  recorder = new FakeRecorder()
  lines = new Set()
  refs = []
  recorder.onContent = (ref, text) => {
    refs.push(ref)
    for (const line of text.split('\n').slice(0, -1)) lines.add(line)
  }
  collectors = []
})
afterEach(async () => {
  for (const collector of collectors) await collector.stop()
  rmSync(home, { recursive: true, force: true })
})

async function follow(options: Partial<HookJournalOptions> = {}): Promise<Collector> {
  const collector = createCollector({
    sources: [{ files: fakeHarness, roots: [join(home, 'none')] }],
    recorder,
    hookJournal: { agent: 'claude-code', folder, ...options },
    log: fakeLog(),
    rescanMs: 3_600_000,
    spacingMs: 1,
  })
  collectors.push(collector)
  await collector.start()
  await collector.ready
  return collector
}

const line = (payload: unknown) =>
  encodeHookLine({ at: 1, pid: 1, ppid: 1, env: {}, isCut: false }, Buffer.from(JSON.stringify(payload)))

test('hooks are news at once, from a folder that was not there', async () => {
  await follow()
  appendLine(currentHookJournal(folder), line('first'))
  await recorder.until(() => lines.size === 1)
  expect(refs[0]).toEqual({
    agent: 'claude-code',
    kind: 'hooks',
    path: join(folder, 'hooks.jsonl'),
    sessionId: null,
    subagentId: null,
  })
  writeFileSync(join(folder, 'notes.jsonl'), 'no journal\n')
  appendLine(currentHookJournal(folder), line('second'))
  await recorder.until(() => lines.size === 2)
  expect([...recorder.contents.keys()]).toEqual([join(folder, 'hooks.jsonl')])
})

test('files follow one another while processes write, and two collectors lose and double nothing', async () => {
  const [first, second] = [await follow({ rotateBytes: 20_000 }), await follow({ rotateBytes: 20_000 })]
  const writers = [0, 1, 2, 3].map((writer) =>
    Bun.spawn([
      process.execPath,
      '-e',
      `import { appendLine } from ${JSON.stringify(join(import.meta.dir, '../util/append-line.ts'))}
       import { currentHookJournal, encodeHookLine } from ${JSON.stringify(join(import.meta.dir, '../util/hook-journal.ts'))}
       for (let i = 0; i < 250; i++) {
         const payload = Buffer.from(JSON.stringify({ writer: ${writer}, i, text: 'x'.repeat(i) }))
         const line = encodeHookLine({ at: 1, pid: 1, ppid: 1, env: {}, isCut: false }, payload)
         while (!appendLine(currentHookJournal(${JSON.stringify(folder)}), line));
       }`,
    ]),
  )
  expect(await Promise.all(writers.map((writer) => writer.exited))).toEqual([0, 0, 0, 0])
  await Promise.all([first.catchUp(), second.catchUp()])
  const seen = [...lines].filter(Boolean).map((text) => {
    const payload = parseHookLine(Buffer.from(text))?.payload as { writer: number; i: number } | undefined
    return payload && payload.writer * 1_000 + payload.i
  })
  expect(seen).toHaveLength(1_000)
  expect(new Set(seen).size).toBe(1_000)
  expect(listHookJournals(folder).length).toBeGreaterThan(3)
})

test('an old file is removed once it is recorded and has been still for long, the newest never', async () => {
  const collector = await follow({ rotateBytes: 10, keepMs: 60_000 })
  for (let i = 0; i < 3; i++) {
    appendLine(currentHookJournal(folder), line(i))
    await recorder.until(() => lines.size === i + 1)
    await collector.catchUp()
  }
  expect(listHookJournals(folder).map(({ number }) => number)).toEqual([1, 2, 3, 4])
  for (const { path } of listHookJournals(folder).slice(1)) utimesSync(path, 1, 1)
  await collector.catchUp()
  await collector.catchUp()
  expect(listHookJournals(folder).map(({ number }) => number)).toEqual([1, 4])
  await recorder.until(() => recorder.contents.size === 2)
  appendLine(currentHookJournal(folder), line('on'))
  expect(existsSync(join(folder, 'hooks-4.jsonl'))).toBe(true)
  await recorder.until(() => lines.size === 4)
})

test('a small file and one that is not the newest are left alone', async () => {
  await follow()
  appendLine(join(folder, 'hooks.jsonl'), line(1))
  rotateHookJournal(join(folder, 'hooks.jsonl'), 100, 1_000)
  expect(listHookJournals(folder)).toHaveLength(1)
  rotateHookJournal(join(folder, 'hooks.jsonl'), 1_000, 1_000)
  rotateHookJournal(join(folder, 'hooks.jsonl'), 1_000, 1_000)
  expect(listHookJournals(folder)).toHaveLength(2)
})
