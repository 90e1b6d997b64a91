/** The demo as `npm start` shows it, without its pauses: the real CLI, a real server, a real worker, and a proof that must hold. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureToken } from '../../src/api/client/token-file'
import { findOtherCli, type OtherCli } from '../../src/app/agents/other-cli'
import { findServer } from '../../src/cli/kit/connect'
import { loadConfig } from '../../src/config/load'
import { OTHER_HOME } from '../../src/demo/carry-act'
import { runDemo } from '../../src/demo/demo'
import { startDemoWorker } from '../../src/demo/demo-worker'
import { createLogger } from '../../src/util/log'
import { Codex } from '../agents/codex'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { processTree } from '../lab/processes'

const lab = new Lab()
const folder = lab.root
/** The worker's account of Claude Code is at its limit once the story was played with another CLI: that has a record of its own. */
interface Stage {
  lode: Lode
  claudeRoot: string
  other: Parameters<typeof runDemo>[0]['other']
}
let plain: Stage
let both: Stage

async function stage(name: string, cli: OtherCli | null): Promise<Stage> {
  const [claudeRoot, root] = [join(folder, `${name}-claude`), join(folder, `${name}-other`)]
  const homes = { 'claude-code': [claudeRoot], ...(cli !== null && { [cli.name]: [root] }) }
  const lode = lab.addLode(name, { homes })
  await lode.up()
  return { lode, claudeRoot, other: cli === null ? null : { cli, root } }
}

beforeAll(async () => {
  const codex = await Codex.start(lab.folder('c'), {})
  lab.ending('codex', () => codex[Symbol.asyncDispose]())
  const path = `${codex.onPath()}:${process.env.PATH}`
  const other = await findOtherCli({ agents: {} }, { PATH: path, HOME: folder }, OTHER_HOME)
  ;[plain, both] = await Promise.all([stage('plain', null), stage('both', other)])
})

afterAll(() => lab.stop(), 30_000)

const startWorker =
  ({ home }: Lode): Parameters<typeof runDemo>[0]['startWorker'] =>
  async (more) => {
    const server = await findServer(home)
    return startDemoWorker(loadConfig({ env: { LODELINE_HOME: home, HOME: home }, cwd: home }), {
      ...more,
      serverUrl: server?.url ?? '',
      token: await ensureToken(home),
      log: createLogger({ terminalLevel: 'error' }),
    })
  }

function demo({ lode, claudeRoot, other }: Stage, more: Partial<Parameters<typeof runDemo>[0]>) {
  return runDemo({
    client: lode.client,
    home: lode.home,
    claudeRoot,
    print: () => {},
    isTty: false,
    drawTree: ({ id }, { children }) => `${id}: ${children.length} below\n`,
    drawTasks: ({ task, children }) => `${task.id}: ${children.map((child) => child.task.status)} below\n`,
    startWorker: startWorker(lode),
    other,
    program: 'lode',
    pace: 0,
    signal: new AbortController().signal,
    ...more,
  })
}

/**
 * What runs below this process and is the agent's CLI or of its making. A server of the test's keeps a guard for its own next run; one of
 * the demo, which runs here, would be a child of this process.
 */
function agentsLeft(): string[] {
  const below = processTree(process.pid).slice(1)
  const names = below.map((pid) => Bun.spawnSync(['ps', '-o', 'ppid=,args=', '-p', String(pid)]).stdout.toString())
  const isOfServer = (name: string) => / guard --wait\s*$/.test(name) && Number.parseInt(name, 10) !== process.pid
  return names.filter((name) => /claude|codex|guard|parcels/.test(name) && !isOfServer(name))
}

test('the demo tells its story line by line, proves every claim, and names commands that work', async () => {
  let text = ''
  expect(await demo(both, { print: (more) => (text += more) })).toEqual({ ok: true })
  expect(text).not.toContain('\u001b')
  expect(text).toContain('sub-agent "Check the currency table": completed')
  expect(text).toMatch(/run: resuming own session [0-9a-f]{8}\n/)
  expect(text).toMatch(/run: resuming parent session [0-9a-f]{8} \(fork\)\n/)
  expect(text).toMatch(/\nt-[0-9a-z]{8}: completed below\n/)
  expect(text).toContain('reached the usage limit of claude-code; it continues in codex')
  expect(text).toContain('was finished in Codex, in the same conversation')
  expect(text.match(/\u2713/g)).toHaveLength(14)
  const commands = [...text.matchAll(/^ {2}lode (.+?) --home \S+ +#/gm)].map(([, command]) => command ?? '')
  expect(commands.length).toBeGreaterThan(7)
  for (const command of commands.filter((each) => !each.includes('--follow'))) {
    const run = await both.lode.lode(...command.replace('/tmp/shop', join(folder, 'out')).split(' '))
    expect([command, run.exitCode, run.stderr]).toEqual([command, 0, ''])
    expect(run.stdout).not.toBe('')
  }
  expect(readFileSync(join(both.lode.home, 'demo/shop/prices.js'), 'utf8')).toContain('Math.round')
  expect(agentsLeft()).toEqual([])
})

test('on a terminal the trees are drawn in place and stay when the tasks begin; a claim that does not hold is told', async () => {
  let text = ''
  const print = (more: string) => {
    text += more
    // Between the two halves of the proof: a parcel that was packed twice.
    if (more.includes('The proof')) appendFileSync(join(plain.lode.home, 'demo/shop/parcels.txt'), 'parcel 7\n')
  }
  expect(await demo(plain, { print, isTty: true })).toEqual({ ok: false })
  const lastDrawn = text.slice(text.lastIndexOf('\u001b[0J'))
  expect(lastDrawn).toMatch(/^\S+\n[0-9a-f-]{36}: 2 below\n\n[0-9a-f-]{36}: 0 below\n\n5\. A task/)
  expect(text.match(/\u2713/g)).toHaveLength(12)
  expect(text.match(/NOT TRUE.*/g)).toEqual([expect.stringContaining('each packed once')])
  expect(text).toContain('\n7. Codex is not installed here.')
})

test('a CLI that is not installed, or is no CLI, is not found', async () => {
  expect(await findOtherCli({ agents: {} }, { PATH: folder, HOME: folder }, OTHER_HOME)).toBeNull()
  const agents = { codex: { homes: [], executable: '/bin/true' } }
  expect(await findOtherCli({ agents }, { PATH: folder, HOME: folder }, OTHER_HOME)).toBeNull()
  expect(await findOtherCli({ agents: {} }, { PATH: folder }, 'NO_SUCH_HOME')).toBeNull()
})

test.each(['second sub-agent', 'one parcel after the other'])(
  'a demo that is ended early, at "%s", leaves no process behind',
  async (moment) => {
    const ending = new AbortController()
    const ended = demo(plain, {
      signal: ending.signal,
      print: (text) => text.includes(moment) && ending.abort(new Error('enough')),
    })
    await expect(ended).rejects.toThrow('enough')
    expect(agentsLeft()).toEqual([])
  },
)
