import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob, zstdCompressSync } from 'bun'
import { cutAtLastTurn, threadIn } from './cut'
import { openedBy, transcriptPath } from './place'
import { restore, restoreMissing } from './restore'

const ID = '01a20a09-3427-7722-b11c-4096c99205b6'
const CHILD = '01a20a09-3427-7722-b11c-4096c99205b7'
const meta = (id: string) => `{"timestamp":"2026-11-23T20:00:00Z","type":"session_meta","payload":{"id":"${id}"}}\n`
const event = (type: string, turn: string) => `{"type":"event_msg","payload":{"type":"${type}","turn_id":"${turn}"}}\n`

let root: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

async function* files(...given: [name: string, text: string, recordedAt?: string][]) {
  for (const [name, text, recordedAt] of given)
    yield { name, bytes: Buffer.from(text), ...(recordedAt !== undefined && { recordedAt }) }
}

test('a rollout is cut after its last finished turn', () => {
  const kept = `${meta(ID)}${event('task_started', ID)}${event('task_complete', ID)}`
  const cut = cutAtLastTurn(Buffer.from(`${kept}${event('task_started', CHILD)}{"type":"response_item"`))
  expect(Buffer.from(cut?.bytes ?? []).toString()).toBe(kept)
  expect(cut?.lastUuid).toBe(ID)
  expect(threadIn(cut?.bytes ?? new Uint8Array())).toBe(ID)
  expect(cutAtLastTurn(Buffer.from(`${meta(ID)}${event('task_started', ID)}`))).toBeNull()
  expect(threadIn(Buffer.from('nothing'))).toBeNull()
})

test('a thread is restored to the folder of the day in its id, and found there', async () => {
  const path = transcriptPath({ root }, ID)
  expect(path).toMatch(/sessions\/2026\/11\/2\d\/rollout-2026-11-2\dT[\d-]{8}-01a20a09-/)
  expect(existsSync(path)).toBe(false)
  const child: [string, string] = [`rollout-2026-11-23T20-00-00-${CHILD}.jsonl`, meta(CHILD)]
  await restore({ root, cwd: '/' }, ID, files([`${ID}.jsonl`, meta(ID)], [`${ID}.jsonl`, 'more\n'], child))
  expect(readFileSync(path, 'utf8')).toBe(`${meta(ID)}more\n`)
  expect(readFileSync(transcriptPath({ root }, CHILD), 'utf8')).toBe(meta(CHILD))
  expect(restoreMissing({ root }, ID, Buffer.from('other'))).toBe(false)
})

test.each([
  ['/old/.codex/sessions/2025/10/03/rollout-2025-10-03T23-59-59-ID.jsonl', '2025/10/03/rollout-2025-10-03T23-59-59-ID'],
  ['/old/.codex/archived_sessions/rollout-2025-10-03T23-59-59-ID.jsonl', '2025/10/03/rollout-2025-10-03T23-59-59-ID'],
  ['C:\\c\\sessions\\2025\\10\\04\\rollout-2025-10-03T23-59-59-ID.jsonl', '2025/10/04/rollout-2025-10-03T23-59-59-ID'],
])('a thread is restored under the name that was recorded: %s', async (recordedAt, name) => {
  const [child, childName] = [CHILD, `rollout-2025-10-04T00-00-01-${CHILD}.jsonl`]
  const main: [string, string, string] = [`${ID}.jsonl`, meta(ID), recordedAt.replace('ID', ID)]
  await restore({ root, cwd: '/' }, ID, files(main, [`${ID}/subagents/${childName}`, meta(child)]))
  expect([...new Glob('**/*').scanSync(root)].sort()).toEqual(
    [`sessions/${name.replace('ID', ID)}.jsonl`, `sessions/2025/10/04/${childName}`].sort(),
  )
})

test('a name that is none of the thread, or leads elsewhere, is not taken: its own time names the file', async () => {
  for (const recordedAt of [
    `/x/rollout-2025-10-03T23-59-59-${CHILD}.jsonl`,
    `/x/2025/../../rollout-x-${ID}.jsonl`,
    '',
  ]) {
    const began = '2026-11-24T01:02:03.999Z'
    const line = `{"timestamp":"2026-11-25T00:00:00Z","type":"session_meta","payload":{"id":"${ID}","timestamp":"${began}"}}\n`
    await restore({ root, cwd: '/' }, ID, files([`${ID}.jsonl`, line, recordedAt]))
    expect(transcriptPath({ root }, ID)).toMatch(
      /sessions\/2026\/11\/2\d\/rollout-2026-11-2\dT[\d]{2}-[\d]{2}-03-01a20a09-/,
    )
    rmSync(join(root, 'sessions'), { recursive: true })
  }
})

test('a packed rollout comes back plain, with what is more in it or in the record', async () => {
  const [path, packed] = [transcriptPath({ root }, ID), `${transcriptPath({ root }, ID)}.zst`]
  const again = (text: string) => restore({ root, cwd: '/' }, ID, files([`${ID}.jsonl`, text]))
  const pack = (text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(packed, zstdCompressSync(text))
    rmSync(path, { force: true })
  }
  for (const [kept, recorded, after] of [
    [meta(ID), meta(ID), meta(ID)],
    [meta(ID), `${meta(ID)}more\n`, `${meta(ID)}more\n`],
    [`${meta(ID)}more\n`, meta(ID), `${meta(ID)}more\n`],
  ] as const) {
    pack(kept)
    await again(recorded)
    expect([readFileSync(path, 'utf8'), existsSync(packed)]).toEqual([after, false])
  }
  pack('mine\n')
  await expect(again(meta(ID))).rejects.toMatchObject({ code: 'conflict' })
  writeFileSync(packed, 'damaged')
  await expect(again(meta(ID))).rejects.toMatchObject({ code: 'conflict' })
  expect([existsSync(path), readFileSync(packed, 'utf8')]).toEqual([false, 'damaged'])
})

test('a rollout that goes on is left, a beginning is replaced, and one that differs stops it', async () => {
  const whole = `${meta(ID)}more\n`
  const again = () => restore({ root, cwd: '/' }, ID, files([`${ID}.jsonl`, whole]))
  await again()
  const path = transcriptPath({ root }, ID)
  for (const [before, after] of [
    [`${whole}and more\n`, `${whole}and more\n`],
    [meta(ID), whole],
  ] as const) {
    writeFileSync(path, before)
    await again()
    expect(readFileSync(path, 'utf8')).toBe(after)
  }
  writeFileSync(path, 'mine\n')
  await expect(again()).rejects.toMatchObject({ code: 'conflict' })
  expect(readFileSync(path, 'utf8')).toBe('mine\n')
})

test('names that are none of an export, and ids that are no UUID, reach no path', async () => {
  for (const name of ['../../etc/passwd', 'x.jsonl', `../${ID}.jsonl`])
    await expect(restore({ root, cwd: '/' }, ID, files([`${ID}.jsonl`, meta(ID)], [name, 'x']))).rejects.toMatchObject({
      code: 'invalid',
    })
  await expect(restore({ root, cwd: '/' }, ID, files([CHILD, 'x']))).rejects.toMatchObject({ code: 'invalid' })
  expect(() => transcriptPath({ root }, '../../etc/passwd')).toThrow('not a thread ID')
  expect(openedBy({ root }, '../../etc/passwd')).toBeNull()
  expect(openedBy({ root }, ID)).toBeNull()
  expect(existsSync(join(root, 'sessions'))).toBe(false)
})
