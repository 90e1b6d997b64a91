import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LiveConfig, liveConfig } from './live'
import { loadConfig } from './load'

let home: string
let live: LiveConfig
let news: string[]
const write = (text: string) => writeFileSync(join(home, 'config.yaml'), text)
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
  write('worker:\n  allow: [Edit]\nlisten:\n  port: 1234\n')
  news = []
  const sources = { env: { HOME: home, LODELINE_HOME: home }, cwd: home }
  live = liveConfig(loadConfig(sources), sources, {
    changed: (keys) => news.push(`changed ${keys}`),
    waiting: (keys) => news.push(`waiting ${keys}`),
    broken: ([first]) => news.push(`broken ${first}`),
  })
})
afterEach(() => {
  live.stop()
  rmSync(home, { recursive: true, force: true })
})

test('a kept part of the settings shows the values of now, and listeners are told', () => {
  const { worker } = live.config
  let told = 0
  const stop = live.onChange(() => told++)
  expect(worker.allow).toEqual(['Edit'])
  write('worker:\n  allow: [Edit, Bash]\nlisten:\n  port: 1234\n')
  live.check()
  expect([worker.allow, told, news]).toEqual([['Edit', 'Bash'], 1, ['changed worker.allow']])
  stop()
  write('stuckAfterMs: 5000\nlisten:\n  port: 1234\n')
  live.check()
  expect([worker.allow, live.config.stuckAfterMs, told]).toEqual([[], 5_000, 1])
})

test('what needs a restart stays as it was at the start, and is named once', () => {
  write('worker:\n  allow: [Edit]\nlisten:\n  port: 99\n')
  live.check()
  live.check()
  expect([live.config.listen.port, news]).toEqual([1_234, ['waiting listen.port']])
  // With a live change after it, too.
  write('stuckAfterMs: 5000\nlisten:\n  port: 99\n')
  live.check()
  expect([live.config.listen.port, live.config.stuckAfterMs]).toEqual([1_234, 5_000])
})

test('a broken file or a wrong value keeps all old values, and is told once', () => {
  for (const text of ['worker: [', 'worker:\n  allow: [Bash]\n  concurrency: many\n']) {
    news = []
    write(text)
    live.check()
    live.check()
    expect(live.config.worker.allow).toEqual(['Edit'])
    expect(news).toEqual([expect.stringContaining('broken ')])
  }
  write('worker:\n  allow: [Bash]\n')
  live.check()
  expect(live.config.worker.allow).toEqual(['Bash'])
})
