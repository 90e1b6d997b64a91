import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { isFirstToAnswer, type Moment } from './hook-moment'

let folder: string
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(folder, { recursive: true }))

const start = (cli?: string): Moment => ({
  moment: 'resume',
  sessionId: '3f2a9c1e-0000-4000-8000-000000000000',
  promptId: '',
  ...(cli !== undefined && { cli }),
})
const answers = (hook: Moment) => isFirstToAnswer(folder, false, hook)

/** As if every claim had been made this long ago. */
function letPass(seconds: number): void {
  const then = Date.now() / 1_000 - seconds
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), then, then)
}

test('one of the hooks of a start answers, also where a busy machine starts the other one much later', () => {
  expect(answers(start('4711 1'))).toBe(true)
  letPass(40)
  expect(answers(start('4711 1'))).toBe(false)
})

test('another process of the CLI that opens the session is told, and so is the same one after a minute', () => {
  expect(answers(start('4711 1'))).toBe(true)
  expect(answers(start('4712 1'))).toBe(true)
  letPass(61)
  expect(answers(start('4711 1'))).toBe(true)
})

test('where the process is not known, what comes seconds later is another start', () => {
  expect(answers(start())).toBe(true)
  expect(answers(start())).toBe(false)
  letPass(6)
  expect(answers(start())).toBe(true)
})
