/** Rollouts that Codex packed: they are the journals that they were before, on both databases. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zstdCompressSync } from 'bun'
import { recognise } from '../../src/collector/file-heads'
import type { JournalRef } from '../../src/domain/harness/harness'
import { sessionId } from '../../src/domain/ids'
import { codexFiles } from '../../src/harness/codex/files'
import { AT, idAt, meta, rollout, says } from '../harness/codex/rollouts'
import { onEachDatabase } from '../store-contract/databases'
import { bytesOf, recorderOn } from './recording'

let root: string
beforeAll(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A thread's rollout on the disk. @returns its plain path */
function written(serial: number): { id: string; path: string } {
  const id = idAt(AT + serial, serial)
  const lines = [meta(AT, id), ...Array.from({ length: 400 }, (_, n) => says(AT + n, 'user', `Word ${n} of ${id}`))]
  const { ref, bytes } = rollout(id, lines)
  const path = join(root, ref.path)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  return { id, path }
}

/** As the CLI does it: the plain file goes. */
function pack(path: string): void {
  writeFileSync(`${path}.zst`, zstdCompressSync(readFileSync(path)))
  rmSync(path)
}

const refOf = (path: string): JournalRef => recognise(codexFiles, path) ?? ('none' as never)

onEachDatabase((database) => {
  const journalsOf = async (id: string) => {
    const journals = await database.store.journals.listBySession(sessionId(id))
    return journals.map(({ path, incarnations }) => ({ path, incarnations }))
  }

  test('one that was recorded goes on as the same journal: packed, plain again, and packed once more', async () => {
    const { id, path } = written(1)
    const whole = readFileSync(path)
    const first = await recorderOn(database.store).recordFile(refOf(path))
    expect([first.state, first.bytesAdded, first.eventsAdded]).toEqual(['grown', whole.length, 400])
    pack(path)
    expect(refOf(`${path}.zst`)).toEqual(refOf(path))
    const recorder = recorderOn(database.store)
    for (let again = 0; again < 2; again++)
      expect(await recorder.recordFile(refOf(`${path}.zst`))).toMatchObject({ bytesAdded: 0, eventsAdded: 0 })
    writeFileSync(path, whole)
    appendFileSync(path, `${says(AT + 900, 'user', 'More')}\n`)
    rmSync(`${path}.zst`)
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ state: 'grown', eventsAdded: 1 })
    const more = readFileSync(path)
    pack(path)
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ bytesAdded: 0, eventsAdded: 0 })
    const [journal, ...others] = await journalsOf(id)
    expect(others).toEqual([])
    expect(journal).toMatchObject({ path, incarnations: [{ number: 1, size: more.length, closedAt: null }] })
    expect((await bytesOf(database.store, journal?.incarnations[0]?.id ?? 0)).equals(more)).toBe(true)
  })

  test('one that was packed before it was ever seen is recorded, block by block', async () => {
    const { id, path } = written(2)
    const whole = readFileSync(path)
    pack(path)
    const outcome = await recorderOn(database.store, 4_096).recordFile(refOf(`${path}.zst`))
    expect(outcome).toMatchObject({ path, state: 'grown', bytesAdded: whole.length, eventsAdded: 400, sessionId: id })
    const [journal] = await journalsOf(id)
    expect((await bytesOf(database.store, journal?.incarnations[0]?.id ?? 0)).equals(whole)).toBe(true)
  })

  test('one that is damaged says so, and what the record had of it stays', async () => {
    const { id, path } = written(3)
    const whole = readFileSync(path)
    const ref = refOf(path)
    await recorderOn(database.store).recordFile(ref)
    const before = await journalsOf(id)
    pack(path)
    writeFileSync(`${path}.zst`, readFileSync(`${path}.zst`).subarray(0, 200))
    const outcome = await recorderOn(database.store).recordFile(ref)
    expect(outcome).toMatchObject({ state: 'missing', reason: "it can't be unpacked: its end is missing" })
    expect(await journalsOf(id)).toEqual(before)
    writeFileSync(path, whole)
    expect(await recorderOn(database.store).recordFile(refOf(path))).toMatchObject({ bytesAdded: 0, eventsAdded: 0 })
    expect((await journalsOf(id)).length).toBe(1)
  })

  test('of one that was never recorded whole and is cut, the lines before are recorded, and the rest once it is there', async () => {
    const { id, path } = written(4)
    for (let n = 0; n < 6_000; n++) appendFileSync(path, `${says(AT + 500 + n, 'user', `${Bun.hash(`${n}`)}`)}\n`)
    const whole = readFileSync(path)
    const packed = zstdCompressSync(whole)
    rmSync(path)
    writeFileSync(`${path}.zst`, packed.subarray(0, Math.floor(packed.length / 2)))
    const recorder = recorderOn(database.store)
    const first = await recorder.recordFile(refOf(path))
    expect(first).toMatchObject({ state: 'grown', reason: "it can't be unpacked: its end is missing" })
    expect(first.bytesAdded).toBeGreaterThan(whole.length / 4)
    for (const again of [recorder, recorderOn(database.store)])
      expect(await again.recordFile(refOf(path))).toMatchObject({ state: 'unchanged', bytesAdded: 0, eventsAdded: 0 })
    // Less of it, or something else: the record keeps what it has.
    for (const bytes of [packed.subarray(0, Math.floor(packed.length / 3)), cutOf('Other words')]) {
      writeFileSync(`${path}.zst`, bytes)
      for (const one of [recorder, recorderOn(database.store)])
        expect(await one.recordFile(refOf(path))).toMatchObject({ state: 'unchanged', bytesAdded: 0 })
    }
    writeFileSync(`${path}.zst`, packed)
    const rest = await recorder.recordFile(refOf(path))
    expect(rest.reason).toBeUndefined()
    expect([rest.state, first.eventsAdded + rest.eventsAdded]).toEqual(['grown', 6_400])
    const [journal, ...others] = await journalsOf(id)
    expect(others).toEqual([])
    expect(journal).toMatchObject({ incarnations: [{ number: 1, size: whole.length, closedAt: null }] })
    expect((await bytesOf(database.store, journal?.incarnations[0]?.id ?? 0)).equals(whole)).toBe(true)
  })
})

/** The first half of a packed file of other lines. */
function cutOf(words: string): Uint8Array {
  const lines = Array.from({ length: 9_000 }, (_, n) => says(AT + n, 'user', `${words} ${Bun.hash(`${n}`)}`))
  const packed = zstdCompressSync(Buffer.from(`${lines.join('\n')}\n`))
  return packed.subarray(0, Math.floor(packed.length / 2))
}
