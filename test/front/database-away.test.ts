/** The database is gone for a while in the middle of work: stopped, or on a network that swallows everything. */
import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProxy } from '../e2e/hosts/proxy'
import { Lab, openLab } from '../lab/lab'
import { until } from '../lab/until'

/** Milliseconds after the first callers were told. `LODELINE_LONG=1`: a minute, as a restart of a machine takes. */
const LONGER_MS = process.env.LODELINE_LONG === '1' ? 60_000 : 0

const KINDS = ['stopped', 'silent'] as const

test.each(KINDS)(
  'while the database is %s no run ends, and then all goes on: nothing acknowledged is lost, nothing is done twice',
  async (kind) => {
    await using place = new Lab()
    const given = new URL((await place.addDatabase('postgres')) ?? '')
    const way = await startProxy({ backends: [{ host: given.hostname, port: Number(given.port) }] })
    place.ending('the way to the database', () => way.close())
    const through = new URL(given)
    through.host = `127.0.0.1:${way.port}`
    await using lab = await openLab({
      claude: { version: '2.1.328', script: 'servers' },
      // A lease that ends within the time would be lost by right.
      lode: { databaseUrl: through.href, settings: { 'worker.enabled': false, 'tasks.leaseSeconds': 180 } },
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
        await Bun.sleep(20)
      }
    }
    const loads = Array.from({ length: 3 }, load)
    await until('some to be made', () => acknowledged.length > 20)

    if (kind === 'stopped') await way.refuse(true)
    else way.swallow(true)
    if (kind === 'stopped') way.cutAll()
    // Whoever asks is told, and does not hang.
    await until('callers to be told', () => refused.length > 5)
    await Bun.sleep(LONGER_MS)
    const before = acknowledged.length
    if (kind === 'stopped') await way.refuse(false)
    else way.swallow(false)
    await until('the server to take requests again', () => acknowledged.length > before + 5)
    const ready = await until('the server to be ready', async () => (await fetch(`${lode.url}/api/ready`)).ok)
    expect(ready).toBe(true)
    isOver = true
    await Promise.all(loads)
    expect(new Set(refused)).toEqual(new Set(['unavailable']))

    for (const step of ['one', 'two']) {
      await until(`step ${step}`, () => existsSync(file(`${step}.begun`)))
      writeFileSync(file(`${step}.go`), '')
    }
    await until('the task to be over', async () => (await tasks.get(id)).status === 'completed')
    expect(new Set((await tasks.attempts(id)).map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
    const made = new Set<string>()
    for (let cursor: string | undefined; ; ) {
      const page = await lode.client.tasks.list({ limit: 500, ...(cursor !== undefined && { cursor }) })
      for (const { id: each } of page.tasks) {
        expect([each, made.has(each)]).toEqual([each, false])
        made.add(each)
      }
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect(acknowledged.filter((each) => !made.has(each))).toEqual([])
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
  180_000 + 2 * LONGER_MS,
)
