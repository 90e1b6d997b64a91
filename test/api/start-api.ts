import { createClient } from '../../src/api/client'
import { httpTransport } from '../../src/api/client/http-transport'
import { type App, createApp, type Limits, type Log, loopbackHosts, operatorToken } from '../../src/api/server'
import type { AppDeps, NetworkAccess } from '../../src/api/server/deps'
import type { AuditEntry } from '../../src/domain/audit'
import { AppError } from '../../src/domain/errors'
import type { AttemptId, SessionId } from '../../src/domain/ids'
import { ISSUE_LINK_SOURCES } from '../../src/domain/session/session-issue'
import type { RemoteFile, Services } from '../../src/engine/services'
import type { KeptStore } from '../../src/store/sql/kept-store'
import { declaredApp } from './answers/declared-answers'
import { KeptTasks } from './tasks/kept-tasks'
import { atEnd, openTestStore } from './test-store'

export const TOKEN = '5'.repeat(64)

/** Keeps what the app logs, so that a test can look for what must not be there. */
export class KeptLog implements Log {
  readonly lines: string[] = []
  private watchers: { text: string; seen: () => void }[] = []
  debug = (message: string, fields?: object) => this.keep('debug', message, fields)
  info = (message: string, fields?: object) => this.keep('info', message, fields)
  warn = (message: string, fields?: object) => this.keep('warn', message, fields)
  error = (message: string, fields?: object) => this.keep('error', message, fields)
  private keep(level: string, message: string, fields?: object): void {
    const line = `${level} ${message} ${JSON.stringify(fields)}`
    this.lines.push(line)
    for (const { text, seen } of this.watchers) if (line.includes(text)) seen()
  }
  /** Resolves when a line that holds `text` is written from now on. */
  next(text: string): Promise<void> {
    return new Promise((resolve) => this.watchers.push({ text, seen: resolve }))
  }
}

/** The services port, with what was asked of it. */
export class KeptServices implements Services {
  readonly agentFiles = async () => []
  readonly hostname = () => 'here'
  readonly allowRules: string[] = []
  readonly addAllowRule = async (rule: string) => {
    this.allowRules.push(rule)
    return { file: '/here/config.yaml' }
  }
  readonly hooks: string[] = []
  readonly forgotten: SessionId[] = []
  readonly imported: string[][] = []
  failure: Error | null = null
  readonly kept = new KeptTasks()
  readonly tasks = this.kept.service
  /** Issues are tried over real stores alone. */
  readonly issues: Services['issues'] = new Proxy({} as Services['issues'], {
    get: (_, name) => () =>
      Promise.reject(new AppError('not_found', `${String(name)} of issues was asked of the kept services`)),
  })
  /** So are to-dos. */
  readonly todos: Services['todos'] = new Proxy({} as Services['todos'], {
    get: (_, name) => () =>
      Promise.reject(new AppError('not_found', `${String(name)} of to-dos was asked of the kept services`)),
  })
  /** And messages. */
  readonly messages: Services['messages'] = new Proxy({} as Services['messages'], {
    get: (_, name) => () =>
      Promise.reject(new AppError('not_found', `${String(name)} of messages was asked of the kept services`)),
  })
  /** And the registry. */
  readonly registry: Services['registry'] = new Proxy({} as Services['registry'], {
    get: (_, name) => () =>
      Promise.reject(new AppError('not_found', `${String(name)} of the registry was asked of the kept services`)),
  })
  /** And tokens. */
  readonly tokens: Services['tokens'] = new Proxy({} as Services['tokens'], {
    get: (_, name) => () =>
      Promise.reject(new AppError('not_found', `${String(name)} of tokens was asked of the kept services`)),
  })
  /** And people: nobody was added. */
  readonly users: Services['users'] = new Proxy({} as Services['users'], {
    get: (_, name) => () =>
      Promise.reject(
        name === 'enter'
          ? new AppError('unauthorized', 'This login code is wrong, already used or too old.')
          : new AppError('not_found', `${String(name)} of people was asked of the kept services`),
      ),
  })
  readonly rotateToken = async () => '/token'
  readonly noteGoneProcesses = async () => {}
  readonly openCommand = async (session: SessionId) => ['claude', '--resume', session]
  /** And what came from outside. */
  readonly inbox: Services['inbox'] = new Proxy({} as Services['inbox'], {
    get: (_, name) => () =>
      Promise.reject(new AppError('not_found', `${String(name)} of inbox was asked of the kept services`)),
  })
  readonly budgets: Services['budgets'] = new Proxy({} as Services['budgets'], {
    get: (_, name) => () =>
      Promise.reject(new AppError('not_found', `${String(name)} of budgets was asked of the kept services`)),
  })
  readonly notify: Services['notify'] = new Proxy({} as Services['notify'], {
    get: (_, name) => () =>
      Promise.reject(new AppError('not_found', `${String(name)} of notify was asked of the kept services`)),
  })
  /** Hand-overs that were written, as files of the real thing. */
  readonly handoffs: Services['handoffs'] = {
    offered: () => undefined,
    take: () => false,
    write: (handoff) => ({ ...handoff, id: 'h-00000000', givenTo: null, givenAt: null }),
    list: () => [],
  }
  /** A service of no machine: what it does with files and processes is tested with real ones. */
  readonly background: Services['background'] = {
    outputTail: async () => null,
    stop: async () => null,
    markRead: async () => true,
  }
  readonly recalls: Services['recalls'] = {
    notified: { upTo: () => null, take: () => true },
    linkFrom: ISSUE_LINK_SOURCES,
    hidesTodos: false,
  }
  /** What is dismissed is kept by real stores alone. */
  readonly needs: Services['needs'] = {
    dismiss: async () => ({ at: 0 }),
    snooze: async () => {},
    sweep: async () => 0,
  }
  /** So are saved views. */
  readonly views: Services['views'] = { save: async () => {}, remove: async () => {} }
  /** There is no git here. */
  readonly branches: Services['branches'] = {
    look: async () => Promise.reject(new AppError('conflict', 'There is no git here.')),
    merge: async () => Promise.reject(new AppError('conflict', 'There is no git here.')),
    drop: async () => Promise.reject(new AppError('conflict', 'There is no git here.')),
  }
  /** Acts that changed nothing in the database. */
  readonly acts: AuditEntry[] = []
  readonly audit: Services['audit'] = { record: async (entry) => void this.acts.push(entry) }
  readonly stuckAfterMs = 900_000
  readonly retentionDays = null
  readonly whyWaiting = async () => null
  readonly offerMail = async () => ({ messages: [], count: 0 })
  readonly usageWindows = async () => []
  readonly agentLines: Services['agentLines'] = {
    clis: () => [{ name: 'claude-code', title: 'Claude Code', canRun: true, continuesIn: [] }],
    textOf: async () => null,
    contentOf: async () => ({ blocks: [], isCut: false }),
    liveOf: async () => [],
    askingTools: async () => new Set(),
  }
  readonly streams: { attempt: AttemptId; offset: number; text: string }[] = []
  readonly files: { host: { name: string; hostname: string }; file: RemoteFile; text: string }[] = []

  async appendStream(attempt: AttemptId, offset: number, bytes: Uint8Array) {
    this.streams.push({ attempt, offset, text: new TextDecoder().decode(bytes) })
    return { offset: offset + bytes.length }
  }
  async appendRemote(host: { name: string; hostname: string }, file: RemoteFile, bytes: Uint8Array) {
    this.files.push({ host, file, text: new TextDecoder().decode(bytes) })
    return { size: file.offset + bytes.length, outcome: null }
  }
  async snapshot(session: SessionId) {
    return session.startsWith('0') ? { bytes: new TextEncoder().encode('{}\n'), lastUuid: 'u-9' } : null
  }
  followedRoots() {
    return { hostName: 'host-1', roots: ['/roots'] }
  }

  async importPaths(paths: string[], onProgress?: Parameters<Services['importPaths']>[1]) {
    this.imported.push(paths)
    onProgress?.({ filesDone: 1, filesTotal: 2, bytesDone: 10, bytesTotal: 20 })
    await Promise.resolve()
    if (this.failure !== null) throw this.failure
    return { files: 2, bytes: 20, sessions: 1, events: 3, malformedLines: 0, durationMs: 1, problems: [] }
  }
  async rebuild() {
    if (this.failure !== null) throw this.failure
    return { files: 2, bytes: 20, sessions: 1, events: 3, malformedLines: 0, durationMs: 1 }
  }
  async scanSecrets() {
    return { journals: 1, bytes: 2, found: 0 }
  }
  async eraseSecret(id: string) {
    return { id, rule: 'npm-token', places: 1, rows: 0, files: 0, agentFiles: [] }
  }
  async forget(id: SessionId): ReturnType<Services['forget']> {
    this.forgotten.push(id)
    return { handoffs: 0, tasks: [], keptTasks: [] }
  }
  async recordHook(payload: Uint8Array) {
    if (this.failure !== null) throw this.failure
    this.hooks.push(new TextDecoder().decode(payload))
  }
  async syncTodos(session: SessionId, payload: Readonly<Record<string, unknown>>) {
    this.hooks.push(JSON.stringify({ ...payload, session_id: session }))
    return { sessionId: session, syncedCount: 1, leftOutCount: 0, changed: true }
  }
  collectorFacts() {
    return null
  }
  async storageFacts() {
    return { kind: 'sqlite' as const, location: '/x.db', bytes: 1 }
  }
}

/** An app that is called in this process, over a store of its own unless one is given. */
export async function inProcess(given?: KeptStore, limits: Partial<Limits> = {}) {
  const store = given ?? (await openTestStore())
  const services = new KeptServices()
  const log = new KeptLog()
  const app = declaredApp(
    createApp({
      store,
      services,
      access: { kind: 'in_process' },
      version: '1.2.3',
      runtime: 'test',
      log,
      limits,
    }),
  )
  atEnd(() => app.endFollowers())
  const client = createClient((request) => app.fetch(request))
  const get = (target: string, headers: Record<string, string> = {}) =>
    app.fetch(new Request(`http://lodeline.invalid${target}`, { headers }))
  return { app, client, get, log, services, store }
}

/** The same behind a listener on loopback, guarded as in production. `await using` stops it. */
export async function overHttp(
  given?: KeptStore,
  limits: Partial<Limits> = {},
  { dashboard, ...entrance }: Pick<AppDeps, 'dashboard'> & Pick<NetworkAccess, 'login' | 'publicUrl'> = {},
) {
  const store = given ?? (await openTestStore())
  const services = new KeptServices()
  const log = new KeptLog()
  let hosts: ReadonlySet<string> = new Set()
  const app: App = declaredApp(
    createApp({
      store,
      services,
      access: { kind: 'network', hosts: () => hosts, operatorToken: operatorToken(TOKEN), ...entrance },
      ...(dashboard && { dashboard }),
      version: '1.2.3',
      runtime: 'test',
      log,
      limits,
    }),
  )
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    development: false,
    fetch: (request) => app.fetch(request),
  })
  const port = server.port
  if (port === undefined) throw new AppError('internal', 'no port')
  hosts = loopbackHosts(port)
  const origin = `http://127.0.0.1:${port}`
  const client = createClient(httpTransport({ token: TOKEN, origin }), { baseUrl: origin })
  const send = (target: string, init: RequestInit = {}) =>
    fetch(origin + target, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...init.headers } })
  return {
    app,
    client,
    log,
    origin,
    port,
    send,
    server,
    services,
    store,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}
