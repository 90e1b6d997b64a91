import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appendLine } from './append-line'

let folder: string
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const line = (text: string) => Buffer.from(`${text}\n`)

test('adds lines one after another, in a file that only its owner reads', () => {
  const path = join(folder, 'f')
  expect(appendLine(path, line('a'))).toBe(true)
  expect(appendLine(path, line('b'))).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('closes a line that somebody else could only begin', () => {
  const path = join(folder, 'f')
  writeFileSync(path, 'a\n{"half":')
  appendLine(path, line('b'))
  expect(readFileSync(path, 'utf8')).toBe('a\n{"half":\nb\n')
})

test('refuses what is no regular file, without waiting', () => {
  const pipe = join(folder, 'pipe')
  Bun.spawnSync(['mkfifo', pipe])
  mkdirSync(join(folder, 'dir'))
  writeFileSync(join(folder, 'target'), '')
  symlinkSync(join(folder, 'target'), join(folder, 'link'))
  for (const name of ['pipe', 'dir', 'link']) expect(() => appendLine(join(folder, name), line('a'))).toThrow()
  expect(() => appendLine(join(folder, 'missing', 'f'), line('a'))).toThrow()
  expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('')
})
