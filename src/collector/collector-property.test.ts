import { expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { FakeRecorder, fakeHarness, fakeLog } from '../../test/fake-recorder'
import { createCollector } from './collector'

/** Few names, so that operations meet. */
const PLACES = [
  'p/a.jsonl',
  'p/b.jsonl',
  'p/a/subagents/agent-1.jsonl',
  'p/a/subagents/agent-1.meta.json',
  'q/c.jsonl',
  'q/r/d.jsonl',
]
const FOLDERS = ['p', 'q', 'p/a', 'q/r', 's']

type Step =
  | { act: 'append' | 'rewrite' | 'replace' | 'truncate' | 'delete'; file: string; text: string }
  | { act: 'move'; from: string; to: string }
  | { act: 'remove'; folder: string }
  | { act: 'make'; folder: string }
  | { act: 'pause' }

const file = fc.constantFrom(...PLACES)
const folder = fc.constantFrom(...FOLDERS)
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constantFrom('append', 'rewrite', 'replace', 'truncate', 'delete'),
      file,
      text: fc.constantFrom('{"half":', '{}\n', 'x', '{"a":1}\n{"b":2}\n'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('move'), from: fc.oneof(file, folder), to: fc.oneof(file, folder) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('remove'), folder }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('make'), folder }) },
  { weight: 3, arbitrary: fc.constant({ act: 'pause' } as const) },
)

/** Does one step where it makes sense; what the filesystem refuses does not happen. */
async function take(root: string, step: Step): Promise<void> {
  if (step.act === 'pause') return new Promise((resolve) => setImmediate(resolve))
  try {
    if (step.act === 'make') mkdirSync(join(root, step.folder), { recursive: true })
    else if (step.act === 'remove') rmSync(join(root, step.folder), { recursive: true, force: true })
    else if (step.act === 'move') renameSync(join(root, step.from), join(root, step.to))
    else change(join(root, step.file), step)
  } catch {
    // A folder in a file's place, a folder moved into itself …
  }
}

function change(path: string, { act, text }: { act: string; text: string }): void {
  if (act === 'delete') rmSync(path)
  else if (act === 'truncate') truncateSync(path, Math.floor(statSync(path).size / 2))
  else write(path, act, text)
}

function write(path: string, act: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (act === 'append') appendFileSync(path, text)
  else if (act === 'rewrite') writeFileSync(path, text)
  else {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  }
}

/** The journals that are there, with their content. */
function present(root: string): Record<string, string> {
  const found: [string, string][] = []
  if (!existsSync(root)) return {}
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && fakeHarness.classify(path) !== null) found.push([path, readFileSync(path, 'utf8')])
  }
  return Object.fromEntries(found.sort())
}

test.each([
  ['with the notifications of the system', true, 60],
  ['by looking alone', false, 60],
])(
  'whatever happens to files and folders, the recorder saw each as it ended, %s',
  async (_name, isWatching, numRuns) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { maxLength: 20 }),
        fc.array(anyStep, { maxLength: 40 }),
        async (before, steps) => {
          const base = mkdtempSync('/tmp/ld-')
          const root = join(base, 'projects')
          const recorder = new FakeRecorder()
          const collector = createCollector({
            sources: [{ files: fakeHarness, roots: [base] }],
            recorder,
            hookJournal: null,
            log: fakeLog(),
            rescanMs: 3_600_000,
            spacingMs: 1,
            isWatching,
          })
          try {
            mkdirSync(root)
            for (const step of before) await take(root, step)
            await collector.start()
            for (const step of steps) {
              await take(root, step)
              if (!isWatching && step.act === 'pause') await collector.catchUp()
            }
            await collector.catchUp()
            expect(Object.fromEntries([...recorder.contents].sort())).toEqual(present(root))
            expect(recorder.mostPerFile).toBeLessThanOrEqual(1)
            expect(collector.stats()).toMatchObject({ files: recorder.contents.size, queued: 0 })
          } finally {
            await collector.stop()
            rmSync(base, { recursive: true, force: true })
          }
        },
      ),
      { numRuns },
    )
  },
)
