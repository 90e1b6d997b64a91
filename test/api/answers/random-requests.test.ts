/**
 * Whatever is asked of a server, and whatever agents wrote, it neither fails nor answers otherwise than it declares. `LODELINE_LONG=1` asks forty times as much; with
 * `--seed random` each run asks something else.
 */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createCaller } from '../../../src/api/client/call'
import { httpTransport } from '../../../src/api/client/http-transport'
import { ensureToken, followToken } from '../../../src/api/client/token-file'
import { allOperations, type OperationName, operations } from '../../../src/api/contract/operations'
import { createRouter } from '../../../src/api/server/router'
import { startServer } from '../../../src/app/server/server'
import { loadConfig } from '../../../src/config/load'
import { openStore } from '../../../src/store/open'
import { createLogger } from '../../../src/util/log'
import { DRAW_SEED_VARIABLE } from '../../lab/cli-variables'
import { emptyRepository } from '../../lab/empty-repository'
import { SeededRandom } from '../../lab/seeded-random'
import { freshConversation } from '../../mcp/served'
import { DATABASES, make } from '../../store-contract/databases'
import { joinAs } from '../tasks/serve-tasks'
import { problemsOf, schemaOf } from './declared-answers'
import { copyOddly } from './odd-records'
import { RandomRequests } from './random-requests'

const REQUESTS = process.env.LODELINE_LONG === '1' ? 40_000 : 1_000
/** After so many requests, one more worker has a task at work: most of them are soon revoked, and their tasks cancelled. */
const WORKER_EVERY = 150
const FIXTURES = join(import.meta.dir, '../../fixtures')
const TRANSCRIPTS = ['claude-code/transcripts/2.1.328', 'claude-code/lineage-stories', 'codex/0.169.0', 'pi/0.87.1']
/** What would read the whole machine, or end what the other requests need. */
const NOT_ASKED: ReadonlySet<string> = new Set<OperationName>([
  'import',
  'feed.follow',
  'mcp.listen',
  'tokens.rotate',
  'machines.remove',
])

const findRoute = createRouter()

test.each(DATABASES)('on %s', async (kind) => {
  const base = mkdtempSync('/tmp/ld-')
  const { place, remove } = await make(kind)
  await (await openStore({ ...place, mode: 'read-write', migrate: true })).close()
  const dir = join(base, 'project')
  emptyRepository(dir)
  const home = join(base, 'home')
  const failures: string[] = []
  const log = createLogger({ level: 'error', terminal: (line) => failures.push(line) })
  const settings = {
    'listen.port': 0,
    'agents.claude-code.homes': [join(base, 'claude')],
    ...(place.url !== undefined && { databaseUrl: place.url }),
  }
  const config = loadConfig({ env: { HOME: base }, cwd: base, flags: { home, settings } })
  const server = await startServer({ config, log, isCollecting: false })
  try {
    const current = followToken(home, await ensureToken(home))
    const as = (token: string) =>
      createCaller(httpTransport({ token, origin: server.url }), { baseUrl: server.url }).call
    const ask = as(current())
    const seed = Number(process.env[DRAW_SEED_VARIABLE] ?? Math.floor(Math.random() * 2 ** 32))
    const random = new SeededRandom(seed)
    const requests = new RandomRequests(random, dir)
    for (const folder of TRANSCRIPTS) copyOddly(join(FIXTURES, folder), join(base, 'odd', folder), random)
    await ask(operations.import, { paths: [join(base, 'odd')] })
    const tokens: string[] = []

    const beginWork = async () => {
      const input = joinAs({ hostName: `host-${random.below(3)}` })
      const { agent, token } = await ask(operations.agents.join, input)
      const worker = as(token)
      await ask(operations.tasks.create, { task: 'Do it', dir, agentId: agent.id })
      const poll = { id: agent.id, bootId: input.bootId, capacity: 1, waitMs: 0, isAssignedOnly: true, attempts: [] }
      const { assignments } = await worker(operations.agents.poll, poll)
      for (const { attemptId: id, token: own, task } of assignments) {
        await worker(operations.attempts.report, { id, conversation: freshConversation(crypto.randomUUID()) })
        requests.learn(operations.attempts.report, { id })
        requests.learn(operations.tasks.get, { id: task.id, agentId: agent.id })
        tokens.push(token, own)
      }
    }

    const asked = allOperations.filter(({ name }) => !NOT_ASKED.has(name))
    let good = 0
    await beginWork()
    for (let n = 1; n <= REQUESTS; n++) {
      // A machine that a request made another one's takes no more workers.
      if (n % WORKER_EVERY === 0) await beginWork().catch(() => {})
      const operation = random.of(asked)
      const { path, body, type } = requests.next(operation)
      const token = tokens.length > 0 && random.below(10) === 0 ? random.of(tokens) : current()
      const response = await fetch(`${server.url}${path}`, {
        method: operation.method,
        redirect: 'manual',
        headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
        ...(body !== undefined && { body }),
      })
      const about = `request ${n} of seed ${seed}: ${operation.name} ${path} ${body ?? ''}`
      expect(response.status < 500, `${response.status} for ${about}`).toBe(true)
      const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
      if (response.status !== 200 || !isJson) {
        await response.body?.cancel()
        continue
      }
      good++
      const answer = await response.json()
      // An id that is a word of another path leads there.
      const found = findRoute(operation.method, new URL(response.url).pathname).operation
      if (typeof found.answer === 'object')
        expect(problemsOf(schemaOf({ answer: found.answer }), answer), about).toEqual([])
      requests.learn(found, answer)
    }
    expect(failures).toEqual([])
    // Requests that are refused try little.
    expect(good).toBeGreaterThan(REQUESTS / 5)
  } finally {
    await server.stop()
    await remove()
    rmSync(base, { recursive: true, force: true })
  }
})
