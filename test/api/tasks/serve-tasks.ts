import { type Client, createClient } from '../../../src/api/client'
import { httpTransport } from '../../../src/api/client/http-transport'
import { createApp, type Limits, loopbackHosts, operatorToken } from '../../../src/api/server'
import type { OperatorToken } from '../../../src/api/server/callers/operator-token'
import { createIssueFiles } from '../../../src/app/issue-files/issue-files'
import { trackerServices } from '../../../src/app/issue-files/tracker-services'
import { ISSUE_LINK_SOURCES } from '../../../src/domain/session/session-issue'
import type { Store } from '../../../src/domain/store'
import type { JoinAnswer, JoinInput, PollInput } from '../../../src/domain/task/worker-protocol'
import { createMessageService } from '../../../src/engine/messages/message-service'
import { createNeedService } from '../../../src/engine/overview/need-service'
import { createRegistryService } from '../../../src/engine/registry/registry-service'
import { createTaskService } from '../../../src/engine/tasks/task-service'
import { declaredApp } from '../answers/declared-answers'
import { KeptLog, KeptServices, TOKEN } from '../start-api'

const TRACKERS = { issueWrites: 'always', linkFrom: ISSUE_LINK_SOURCES, closesPromoted: true } as const

/** The real engine of tasks over a store, behind a listener on loopback. `await using` stops it. */
export function serveTasks(
  store: Store,
  limits: Partial<Limits> = {},
  tokens: { operatorToken?: OperatorToken; provesTokens?: boolean } = {},
) {
  const services = Object.assign(new KeptServices(), {
    tasks: createTaskService({ store, hasFolder: true }),
    registry: createRegistryService({ store, hasFolder: true }),
    messages: createMessageService({ store }),
    needs: createNeedService({ store }),
    ...trackerServices(store, createIssueFiles({ hostName: 'host-1', home: '/nowhere', bd: [] }), TRACKERS),
  })
  const log = new KeptLog()
  let hosts: ReadonlySet<string> = new Set()
  const app = declaredApp(
    createApp({
      store,
      services,
      access: { kind: 'network', hosts: () => hosts, operatorToken: tokens.operatorToken ?? operatorToken(TOKEN) },
      ...(tokens.provesTokens === true && { provesTokens: true }),
      version: '1.2.3',
      runtime: 'test',
      log,
      limits,
    }),
  )
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    fetch: (request) => app.fetch(request),
  })
  hosts = loopbackHosts(server.port ?? 0)
  const origin = `http://127.0.0.1:${server.port}`
  const as = (token: string): Client => createClient(httpTransport({ token, origin }), { baseUrl: origin })
  return {
    app,
    as,
    client: as(TOKEN),
    log,
    origin,
    services,
    async [Symbol.asyncDispose]() {
      await app.endFollowers()
      await server.stop(true)
    },
  }
}

let names = 0

/** A new worker's join; its name is its own. */
export const joinAs = (given: Partial<JoinInput> = {}): JoinInput => {
  names += 1
  return {
    name: `worker-${names}`,
    kind: 'worker',
    capabilities: [],
    concurrency: 4,
    hostname: 'here',
    hostName: 'host-1',
    bootId: 'boot-1',
    isFormerGone: false,
    version: '1.2.3',
    ...given,
  }
}

/** A worker that joined, with a client of its own. */
export async function joinWorker(api: ReturnType<typeof serveTasks>, given: Partial<JoinInput> = {}) {
  const join = joinAs(given)
  const joined: JoinAnswer = await api.client.agents.join(join)
  const client = api.as(joined.token)
  const id = joined.agent.id
  const poll = (input: Partial<PollInput> = {}, signal?: AbortSignal) =>
    client.agents.poll(
      id,
      { bootId: join.bootId, capacity: 1, attempts: [], waitMs: 30_000, ...input },
      signal && { signal },
    )
  return { client, id, join, joined, poll }
}
