import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { handoffFiles } from '../../src/app/hooks/handoff-files'
import { issueId, sessionId } from '../../src/domain/ids'
import type { Handoff } from '../../src/domain/recall/recall'

let home: string
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const A = sessionId('session-a')
const B = sessionId('session-b')
const some = (given: Partial<Handoff> = {}) => ({
  at: '2026-01-01T00:00:00.000Z',
  sessionId: A,
  folder: '/p',
  issueId: null,
  goal: 'g',
  state: '',
  evidence: '',
  next: '',
  note: 'n',
  ...given,
})
const reader = (given: object = {}) => ({ sessionId: B, folder: '/p', issueId: null, ...given })

test('one is offered until it was taken, by one of many that want it, and is kept after that', () => {
  const box = handoffFiles(home)
  expect(box.offered(reader())).toBeUndefined()
  const { id } = box.write(some())
  expect(box.offered(reader())).toMatchObject({ id, note: 'n', givenTo: null })
  const takers = Array.from({ length: 5 }, (_, n) => handoffFiles(home).take(id, sessionId(`taker-${n}`)))
  expect(takers).toEqual([true, false, false, false, false])
  expect(box.offered(reader())).toBeUndefined()
  expect(box.list(10)).toMatchObject([{ id, givenTo: 'taker-0', givenAt: expect.any(String) }])
})

test('the newest goes first, to its folder or its issue alone, never to its own writer', () => {
  const box = handoffFiles(home)
  box.write(some({ note: 'old' }))
  box.write(some({ note: 'new', at: '2026-01-02T00:00:00.000Z' }))
  box.write(some({ note: 'issue', issueId: issueId('ld-1'), at: '2026-01-03T00:00:00.000Z' }))
  expect(box.offered(reader())?.note).toBe('new')
  expect(box.offered(reader({ issueId: 'ld-1' }))?.note).toBe('issue')
  expect(box.offered(reader({ folder: '/elsewhere' }))).toBeUndefined()
  expect(box.offered(reader({ folder: '/elsewhere', issueId: 'ld-1' }))?.note).toBe('issue')
  expect(box.offered(reader({ sessionId: A }))).toBeUndefined()
  expect(box.offered(reader({ sessionId: null }))?.note).toBe('new')
})

test('files are closed to others, and damaged or foreign ones are passed over', () => {
  const box = handoffFiles(home)
  const { id } = box.write(some())
  const folder = join(home, 'handoffs')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  for (const text of ['', '{', '[]', 'null', '{"at":"never"}'])
    writeFileSync(
      join(folder, `1799999999999-h-${Bun.hash(text).toString(36).slice(0, 8).padStart(8, '0')}.json`),
      text,
    )
  writeFileSync(join(folder, 'other.json'), '{}')
  expect(box.list(100).map((one) => one.id)).toEqual([id])
  expect(box.offered(reader())?.id).toBe(id)
})

test('a folder that can not be written is said with a way out', () => {
  writeFileSync(join(home, 'handoffs'), 'a file')
  expect(() => handoffFiles(home).write(some())).toThrow(expect.objectContaining({ code: 'storage_readonly' }))
})
