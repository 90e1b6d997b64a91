/** Two machines, each with a server of its own, on one PostgreSQL: neither sees a process of the other one. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Claude } from '../../lab/claude'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const lab = new Lab()
let claude: Claude
let a: Lode
let b: Lode

beforeAll(async () => {
  const databaseUrl = await lab.addDatabase('postgres')
  const [here, there] = [await lab.addMachine(), await lab.addMachine()]
  claude = await lab.addClaude({ version: '2.1.328', script: 'steering', machine: here })
  a = lab.addLode('a', { claudeRoots: [claude.claudeRoot], databaseUrl, machine: here })
  b = lab.addLode('b', { databaseUrl, machine: there })
})

afterAll(() => lab.stop(), 60_000)

/** A server has looked at what it takes for its own processes when it says that it listens. */
const looked = (lodeline: Lode, times: number) =>
  until('the server to have looked', () => {
    const path = join(lodeline.home, 'log/lode.log')
    const log = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return log.split('listening on').length - 1 === times
  })

test('a session stays alive while a server starts, restarts and sweeps on another machine; its own one sees it killed', async () => {
  await a.up()
  const session = crypto.randomUUID()
  const cli = claude.steer({ sessionId: session })
  cli.send({ type: 'user', message: { role: 'user', content: 'hello' } })
  const evidence = async (at: Lode) => {
    const found = await at.client.sessions.get(session as never).catch(() => undefined)
    return found === undefined ? '' : `${found.session.status}: ${found.session.statusEvidence}`
  }
  await until('the process to be seen', async () => (await evidence(a)).endsWith('alive'))
  for (let start = 1; start <= 2; start++) {
    await b.up()
    await looked(b, start)
    for (const each of [a, b]) expect(await evidence(each)).toEndWith('alive')
    if (start === 1) await b.crash()
  }
  const held = processTree(cli.pid).filter((pid) => pid !== cli.pid)
  process.kill(held[0] ?? 0, 'SIGKILL')
  await cli.exited
  for (const each of [a, b]) await until('the end to be known', async () => / gone /.test(await evidence(each)))
})
