import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newestLines } from './newest-lines'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'log')

test('gives the last lines, also of a line that is not ended yet', () => {
  expect(newestLines(file, 3)).toEqual([])
  writeFileSync(file, 'a\nb\nc\n')
  expect(newestLines(file, 2)).toEqual(['b', 'c'])
  writeFileSync(file, 'a\nb\nhalf')
  expect(newestLines(file, 9)).toEqual(['a', 'b', 'half'])
})

test('reads the end of a large file, and gives no cut line', () => {
  writeFileSync(file, `${'x'.repeat(9 << 20)}\nlast\n`)
  expect(newestLines(file, 9)).toEqual(['last'])
})
