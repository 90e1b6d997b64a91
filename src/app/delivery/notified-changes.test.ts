import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { issueKey, sessionId } from '../../domain/ids'
import { notifiedChanges } from './notified-changes'

let home: string
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const [A, B] = [sessionId('a'), sessionId('b')] as const
const [ONE, TWO] = [issueKey(1), issueKey(12)] as const

test('of several that tell the same, one does; what is told is remembered by session and issue', () => {
  const [marks, others] = [notifiedChanges(home), notifiedChanges(home)]
  expect(marks.upTo(A, ONE)).toBeNull()
  expect([marks.take(A, ONE, 7), others.take(A, ONE, 7)]).toEqual([true, false])
  expect([marks.upTo(A, ONE), marks.upTo(B, ONE), marks.upTo(A, TWO)]).toEqual([7, null, null])
  expect([others.take(A, ONE, 10), others.take(A, TWO, 3), others.take(B, ONE, 2)]).toEqual([true, true, true])
  expect([marks.upTo(A, ONE), marks.upTo(A, TWO), marks.upTo(B, ONE)]).toEqual([10, 3, 2])
})

test('an id that could be a path touches nothing outside, and the files are closed to others', () => {
  const marks = notifiedChanges(home)
  for (const id of ['../../x', '/etc/passwd', 'a\0b', 'x'.repeat(10_000)])
    expect([id.length, marks.take(sessionId(id), ONE, 1), marks.upTo(sessionId(id), ONE)]).toEqual([id.length, true, 1])
  expect(readdirSync(home)).toEqual(['told-changes'])
  const [folder = ''] = readdirSync(join(home, 'told-changes')).filter((name) => name !== 'swept')
  expect(folder).toMatch(/^[0-9a-z]+$/)
  expect(statSync(join(home, 'told-changes', folder)).mode & 0o777).toBe(0o700)
})

test('a folder that takes nothing makes it tell twice rather than never', () => {
  writeFileSync(join(home, 'told-changes'), 'in the way')
  expect([notifiedChanges(home).take(A, ONE, 1), notifiedChanges(home).upTo(A, ONE)]).toEqual([true, null])
})

test('marks of sessions that were told nothing for long are removed, once a day', () => {
  const marks = notifiedChanges(home)
  marks.take(A, ONE, 1)
  const all = join(home, 'told-changes')
  const old = join(all, readdirSync(all).find((name) => name !== 'swept') ?? '')
  const long = new Date(Date.now() - 100 * 24 * 3_600_000)
  utimesSync(old, long, long)
  marks.take(B, ONE, 1)
  expect(existsSync(old)).toBe(true)
  utimesSync(join(all, 'swept'), long, long)
  marks.take(B, ONE, 2)
  expect(existsSync(old)).toBe(false)
  expect(marks.upTo(B, ONE)).toBe(2)
})
