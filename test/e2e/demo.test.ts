/** The demo as `npm start` shows it, without its pauses: the real CLI, a real server, and a proof that must hold. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runDemo } from '../../src/app/demo/demo'
import { Lodeline } from './lodeline'
import { processTree } from './process-tree'

const folder = mkdtempSync('/tmp/ld-')
const claudeRoot = join(folder, 'claude')
let lodeline: Lodeline

beforeAll(async () => {
  lodeline = new Lodeline({ home: join(folder, 'home'), claudeRoots: [claudeRoot] })
  await lodeline.up()
}, 30_000)

afterAll(async () => {
  await lodeline?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 30_000)

function demo(more: Partial<Parameters<typeof runDemo>[0]>) {
  return runDemo({
    client: lodeline.client,
    home: lodeline.home,
    claudeRoot,
    print: () => {},
    isTty: false,
    drawTree: ({ id }, { children }) => `${id}: ${children.length} below\n`,
    program: 'lode',
    pace: 0,
    signal: new AbortController().signal,
    ...more,
  })
}

test('the demo tells its story line by line, proves every claim, and names commands that work', async () => {
  let text = ''
  expect(await demo({ print: (more) => (text += more) })).toEqual({ ok: true })
  expect(text).not.toContain('\u001b')
  expect(text).toContain('sub-agent "Check the currency table": completed')
  expect(text.match(/\u2713/g)).toHaveLength(8)
  const commands = [...text.matchAll(/^ {2}lode (.+?) --home \S+ +#/gm)].map(([, command]) => command ?? '')
  expect(commands.length).toBeGreaterThan(5)
  for (const command of commands.filter((each) => !each.includes('--follow'))) {
    const run = await lodeline.lode(...command.replace('/tmp/shop', join(folder, 'out')).split(' '))
    expect([command, run.exitCode, run.stderr]).toEqual([command, 0, ''])
    expect(run.stdout).not.toBe('')
  }
  expect(readFileSync(join(lodeline.home, 'demo/shop/prices.js'), 'utf8')).toContain('Math.round')
}, 60_000)

test('on a terminal the tree is drawn in place, and stands below the last sentence at the end', async () => {
  let text = ''
  expect(await demo({ print: (more) => (text += more), isTty: true })).toEqual({ ok: true })
  const lastDrawn = text.slice(text.lastIndexOf('\u001b[0J'))
  expect(lastDrawn).toMatch(/^\S+\n[0-9a-f-]{36}: 2 below\n\n[0-9a-f-]{36}: 0 below\n\nThe proof/)
}, 60_000)

test('a demo that is ended early leaves no process behind', async () => {
  const ending = new AbortController()
  const ended = demo({
    signal: ending.signal,
    print: (text) => text.includes('second sub-agent') && ending.abort(new Error('enough')),
  })
  await expect(ended).rejects.toThrow('enough')
  const below = processTree(process.pid).slice(1)
  const names = below.map((pid) => Bun.spawnSync(['ps', '-o', 'args=', '-p', String(pid)]).stdout.toString())
  expect(names.filter((name) => name.includes('claude'))).toEqual([])
}, 60_000)
