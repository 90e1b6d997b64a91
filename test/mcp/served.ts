/** The API over a real store and the real use cases, behind a listener on loopback: what an agent's tools speak to. */
import { createClient, httpTransport } from '../../src/api/client'
import { createApp, loopbackHosts, operatorToken } from '../../src/api/server'
import { createIssueFiles } from '../../src/app/issue-files/issue-files'
import { trackerServices } from '../../src/app/issue-files/tracker-services'
import { sessionId } from '../../src/domain/ids'
import { ISSUE_LINK_SOURCES } from '../../src/domain/session/session-issue'
import type { Store } from '../../src/domain/store'
import type { AttemptConversation } from '../../src/domain/task/task'
import type { Assignment } from '../../src/domain/task/worker-protocol'
import type { Services } from '../../src/engine/services'
import { createTaskService } from '../../src/engine/tasks/task-service'
import { declaredApp } from '../api/answers/declared-answers'
import { KeptLog, KeptServices, TOKEN } from '../api/start-api'

export { TOKEN }

const TRACKERS = { issueWrites: 'always', linkFrom: ISSUE_LINK_SOURCES, closesPromoted: true } as const

export type Served = ReturnType<typeof serve>

/** `stop` ends it. @param more  real services in the place of kept ones */
export function serve(store: Store, more: Partial<Services> = {}) {
  const log = new KeptLog()
  let hosts: ReadonlySet<string> = new Set()
  const app = declaredApp(
    createApp({
      store,
      services: Object.assign(
        new KeptServices(),
        {
          tasks: createTaskService({ store, hasFolder: true }),
          ...trackerServices(store, createIssueFiles({ hostName: 'host-1', home: '/nowhere', bd: [] }), TRACKERS),
        },
        more,
      ),
      access: { kind: 'network', hosts: () => hosts, operatorToken: operatorToken(TOKEN) },
      version: '1.2.3',
      runtime: 'test',
      log,
    }),
  )
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch: (request) => app.fetch(request),
  })
  hosts = loopbackHosts(server.port ?? 0)
  const origin = `http://127.0.0.1:${server.port}`
  const connect = (token = TOKEN) => createClient(httpTransport({ token, origin }), { baseUrl: origin })
  return { origin, log, connect, stop: () => server.stop(true) }
}

let agents = 0

/** A worker that has joined, by its client. */
export async function joinWorker(served: Served) {
  const join = await served.connect().agents.join({
    name: `worker ${++agents}`,
    kind: 'worker',
    capabilities: [],
    concurrency: 10,
    hostname: 'h',
    hostName: '0123456789abcdef0123456789abcdef',
    bootId: 'boot',
    isFormerGone: false,
    version: '1',
  })
  return { ...join, client: served.connect(join.token) }
}

/** Creates a task and claims it: what a run is given. */
export async function startTask(
  served: Served,
  input: Parameters<ReturnType<Served['connect']>['tasks']['create']>[0],
): Promise<Assignment> {
  const worker = await joinWorker(served)
  const { task } = await served.connect().tasks.create(input)
  const { assignment } = await worker.client.tasks.claim(task.id)
  if (assignment === null) throw new Error(`${task.id} could not be claimed`)
  return assignment
}

/** What a worker reports of an attempt that begins a conversation. */
export const freshConversation = (session: string): AttemptConversation => ({
  rung: 'fresh',
  sessionId: sessionId(session),
  resumedSessionId: null,
  forked: false,
  forkPoint: null,
  whyNot: [],
})

/** Calls a tool as a client of the newest protocol does, in one request. */
export async function callTool(
  served: Served,
  name: string,
  args: Record<string, unknown>,
  token = TOKEN,
): Promise<{ isError: boolean; text: string }> {
  const params = { name, arguments: args }
  const answer = await rpc(served, 'tools/call', params, token)
  const result = answer.result as { isError?: boolean; content: { text: string }[] } | undefined
  if (result === undefined) throw new Error(JSON.stringify(answer))
  return { isError: result.isError === true, text: result.content[0]?.text ?? '' }
}

export async function rpc(
  served: Served,
  method: string,
  params: Record<string, unknown>,
  token = TOKEN,
): Promise<{ result?: Record<string, unknown>; error?: { code: number; message: string } }> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await post(
    served,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...meta, ...(params._meta as object) } } },
    {
      authorization: `Bearer ${token}`,
      'mcp-method': method,
      'mcp-protocol-version': '2026-07-28',
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    },
  )
  return (await response.json()) as Awaited<ReturnType<typeof rpc>>
}

export function post(served: Served, message: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(`${served.origin}/mcp`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
}
