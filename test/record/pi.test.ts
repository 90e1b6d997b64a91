/** Sessions of Pi in the record: what it tells, on both databases. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../src/domain/harness/harness'
import { sessionId } from '../../src/domain/ids'
import { pi } from '../../src/harness/pi'
import { AT, PI_FIXTURES, says, session, user } from '../harness/pi/sessions'
import { onEachDatabase } from '../store-contract/databases'
import { recorderOn } from './recording'

const FIRST = '01a20a13-1bbf-75dd-8c95-22ed1749f022'
const FORK = '01a20a13-22a6-73e0-a279-2daff2f8a0cf'
const COMPACTED = '01a20a13-9260-7539-b3e8-50b0226502a5'
const STOPPED = '01a20a12-c8a3-72e4-84fc-0065c1964222'

let root: string
let refs: JournalRef[]

beforeAll(() => {
  root = mkdtempSync('/tmp/ld-')
  cpSync(PI_FIXTURES, root, { recursive: true })
  refs = [...new Glob('**/*.jsonl').scanSync(root)].sort().flatMap((name) => pi.classify(join(root, name)) ?? [])
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

onEachDatabase((database) => {
  test('the files in any order leave the same record, and what a fork copied counts once', async () => {
    for (const ref of refs.toReversed()) await recorderOn(database.store).recordFile(ref)
    for (const ref of refs) await recorderOn(database.store, 900).recordFile(ref)
    const find = (id: string) => database.store.sessions.find(sessionId(id))
    expect(await find(FIRST)).toMatchObject({
      ...{ agent: 'pi', title: 'Hi @@hello', model: 'scripted-model', forkedFrom: null },
      usage: { inputTokens: 3_000, cacheReadTokens: 2_000, outputTokens: 100 },
    })
    expect(await find(FORK)).toMatchObject({
      ...{ title: 'Another way @@again', forkedFrom: FIRST },
      usage: { inputTokens: 600, cacheReadTokens: 400, outputTokens: 20 },
    })
    expect(await find(STOPPED)).toMatchObject({ title: 'My name' })
    expect(await find(COMPACTED)).toMatchObject({ counts: { compactions: 1, malformedLines: 0 } })
  })

  test('a file of the first release that a later one writes anew tells nothing twice', async () => {
    const id = '019e7000-0000-7000-8000-00000000000a'
    const time = (at: number): string => new Date(at).toISOString()
    const head = { type: 'session', id, timestamp: time(AT), cwd: '/home/user/project' }
    const said = [1, 2, 3].map((n) => ({
      ...{ type: 'message', timestamp: time(AT + n) },
      message: { role: 'user', content: `Line ${n}`, timestamp: AT + n },
    }))
    const { ref } = session([], id)
    const path = join(root, ref.path)
    const put = (lines: readonly string[]): void => writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
    mkdirSync(dirname(path), { recursive: true })
    put([head, ...said].map((line) => JSON.stringify(line)))
    await recorderOn(database.store).recordFile({ ...ref, path })
    const ids = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc']
    put([
      JSON.stringify({ ...head, version: 3 }),
      ...said.map((line, n) => JSON.stringify({ ...line, id: ids[n], parentId: ids[n - 1] ?? null })),
      says(AT + 9, 'dddddddd', 'cccccccc', user('Line 4')),
    ])
    await recorderOn(database.store).recordFile({ ...ref, path })
    const found = await database.store.sessions.find(sessionId(id))
    expect(found).toMatchObject({ counts: { events: 4 }, title: 'Line 1' })
  })
})
