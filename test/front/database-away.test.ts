/**
 * The database is gone in the middle of work, for longer than a lease: stopped, killed, on a network that swallows everything, or dead for
 * good with a synchronous standby that takes over.
 *
 * `LODELINE_LONG=1`: for a minute, with the lease that PostgreSQL has by default, and in all ways.
 */
import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listAll } from '../../src/api/client/list-all'
import { startProxy } from '../e2e/hosts/proxy'
import { exported, sessionFiles } from '../e2e/record/record'
import { Lab, openLab } from '../lab/lab'
import { until } from '../lab/until'
import { startReplicated } from '../postgres-standby'

const isLong = process.env.LODELINE_LONG === '1'
const LEASE_SECONDS = isLong ? null : 6
const AWAY_MS = isLong ? 60_000 : 8_000
/** Milliseconds until everything goes on; a machine that runs all tests at once gets more. */
const GOES_ON_MS = isLong ? 5_000 : 15_000
/** Between two creates of one caller. */
const PAUSE_MS = 20

interface Database {
  url: string
  takeAway(): Promise<unknown>
  bringBack(): Promise<unknown>
}

const KINDS = {
  /** Connections stand, and nothing comes over them. */
  async silent(place: Lab): Promise<Database> {
    const url = new URL((await place.addDatabase('postgres')) ?? '')
    const way = await startProxy({ backends: [{ host: url.hostname, port: Number(url.port) }] })
    place.ending('the way to the database', () => way.close())
    url.host = `127.0.0.1:${way.port}`
    const swallow = async (on: boolean) => way.swallow(on)
    return { url: url.href, takeAway: () => swallow(true), bringBack: () => swallow(false) }
  },
  async 'failed over'(place: Lab): Promise<Database> {
    const { url, primary, promote } = await replicated(place)
    return { url, takeAway: () => primary.kill(), bringBack: promote }
  },
  async restarted(place: Lab): Promise<Database> {
    const { url, primary } = await replicated(place)
    return { url, takeAway: () => primary.kill(), bringBack: () => primary.start() }
  },
  async stopped(place: Lab): Promise<Database> {
    const { url, primary } = await replicated(place)
    const signal = async (name: NodeJS.Signals) => {
      for (const pid of primary.processes()) process.kill(pid, name)
    }
    return { url, takeAway: () => signal('SIGSTOP'), bringBack: () => signal('SIGCONT') }
  },
}

async function replicated(place: Lab) {
  const servers = await startReplicated()
  place.ending('PostgreSQL and its standby', () => servers.stop())
  return servers
}

const NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[]

test.each(isLong ? NAMES : NAMES.slice(0, 2))(
  'while the database is %s no run ends, and then all goes on: nothing acknowledged is lost, nothing is done twice',
  async (kind) => {
    await using place = new Lab()
    const database = await KINDS[kind](place)
    await using lab = await openLab({
      claude: { version: '2.1.328', script: 'servers' },
      lode: { databaseUrl: database.url, settings: { 'worker.enabled': false, 'tasks.leaseSeconds': LEASE_SECONDS } },
    })
    const { lode, claude, workers, tasks } = lab
    await lode.up(['serve'])
    await workers.start({ name: 'w', concurrency: 3 })
    const { id } = await tasks.create('cross over')
    const file = (name: string) => join(claude.project, name)
    await until('the run', () => existsSync(file('one.begun')))

    const acknowledged: string[] = []
    const refused: string[] = []
    let isOver = false
    const load = async () => {
      for (let n = 0; !isOver; n++) {
        await lode.client.tasks.create({ task: `number ${n}`, dir: lab.root, requiredCapabilities: ['none'] }).then(
          ({ task }) => void acknowledged.push(task.id),
          ({ code }: { code: string }) => void refused.push(code),
        )
        await Bun.sleep(PAUSE_MS)
      }
    }
    const loads = Array.from({ length: 3 }, load)
    await until('some to be made', () => acknowledged.length > 20)

    const awayAt = performance.now()
    await database.takeAway()
    // The run goes on by itself, up to its call of a tool of ours, which it makes within the time.
    writeFileSync(file('one.go'), '')
    // A caller gets an error, and does not hang.
    await until('callers to be told', () => refused.length > 5)
    await Bun.sleep(Math.max(0, awayAt + AWAY_MS - performance.now()))
    expect(existsSync(file('two.begun'))).toBe(false)
    const before = acknowledged.length
    await database.bringBack()
    const backAt = performance.now()
    const since = () => Math.round(performance.now() - backAt)
    const times = await Promise.all([
      until('the server to take requests again', () => acknowledged.length > before && since(), GOES_ON_MS),
      until('the server to be ready', async () => (await fetch(`${lode.url}/api/ready`)).ok && since(), GOES_ON_MS),
      until('the run to go on', () => existsSync(file('two.begun')) && since(), GOES_ON_MS),
    ])
    isOver = true
    await Promise.all(loads)
    expect(new Set(refused)).toEqual(new Set(['unavailable']))
    if (isLong) console.log(`${kind}: acknowledged, ready, the run went on after ${times.join(', ')} ms`)

    writeFileSync(file('two.go'), '')
    await until('the tasks to be over', async () => {
      const all = [await tasks.get(id), ...(await lode.client.tasks.list({ parentTaskId: id })).tasks]
      return all.length === 3 && all.every(({ status }) => status === 'completed')
    })
    // Further attempts take what the children answered: none was lost.
    const attempts = await tasks.attempts(id)
    expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
    const session = attempts[0]?.conversation?.sessionId ?? ''
    await until('the record to be the file', async () =>
      Bun.deepEquals(await exported(lode.client, session), sessionFiles(claude.transcripts, session)),
    )

    const made = await Array.fromAsync(listAll(lode.client.tasks.list, { limit: 500 }, 'tasks'))
    const ids = new Set(made.map((task) => task.id as string))
    expect(ids.size).toBe(made.length)
    expect(acknowledged.filter((each) => !ids.has(each))).toEqual([])
    // The feed has no gap.
    const numbers: number[] = []
    for (let after = 0; ; ) {
      const { entries } = await lode.client.feed.page({ after: after as never, limit: 1_000 })
      if (entries.length === 0) break
      numbers.push(...entries.map(({ seq }) => seq))
      after = numbers.at(-1) ?? 0
    }
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
  },
  180_000 + 2 * AWAY_MS,
)
