import type { RunFileOptions } from '../../../domain/harness/harness-run'
import { type Plugged, pluginText, type Remind } from '../plugin/remind'

/** What the plugin sends and receives, as messages beside those of the Agent Client Protocol, on the same lines. */
export const PLUGIN = {
  /** It is there: the CLI goes on without a plugin that it can't load. */
  ready: 'lodeline/ready',
  /** The person has no MCP server of these names. */
  missing: 'lodeline/missing',
  /** A request: may this tool be called? */
  call: 'lodeline/call',
  /** A call is over: whether it failed. */
  called: 'lodeline/called',
  /** A text of a person or of ours stands in a conversation. */
  heard: 'lodeline/heard',
  /** An answer of the model is over: its tokens, and what they cost. */
  step: 'lodeline/step',
  retry: 'lodeline/retry',
  compacted: 'lodeline/compacted',
  /** The session is idle. With its last error, of which the protocol tells the text alone. */
  rest: 'lodeline/rest',
  /** To the plugin: say `rest` once the session is idle. */
  askRest: '_lodeline/rest',
  /** To the plugin: copy a session up to a message. Its answer names the copy. */
  askFork: '_lodeline/fork',
  forked: 'lodeline/forked',
} as const

interface Config {
  mcp?: Record<string, { type?: string; enabled?: boolean; environment?: Record<string, string> }>
  instructions?: string[]
}
interface BusEvent {
  type: string
  properties: {
    id?: string
    sessionID?: string
    status?: { type: string; attempt?: number; message?: string; next?: number }
    error?: { name?: string; data?: { message?: string; statusCode?: number; responseBody?: string } }
    part?: {
      id: string
      sessionID: string
      type: string
      reason?: string
      cost?: number
      tokens?: object
      callID?: string
      tool?: string
      state?: { status?: string; metadata?: { exit?: number | null } }
    }
  }
}
interface Orders {
  words: typeof PLUGIN
  url: string
  /** MCP servers of the person's own that the run gets. */
  servers: readonly string[]
}

/**
 * The plugin of a run, which the CLI loads as a file of its own: it stands alone, and names nothing outside of itself.
 *
 * It asks us about each tool call before it happens, those of sub-agents included: the CLI asks nobody over the protocol about a
 * sub-agent's calls, and waits for ever. It tells tokens and errors, which the protocol leaves out. It puts the recall in at the start,
 * and after a compaction.
 */
async function plugin({ client, directory, worktree }: Plugged, { words, url, servers }: Orders, remind: Remind) {
  const { LODELINE_TOKEN: token = '', LODELINE_TASK_ID: task = '', LODELINE_RUN_DIR: folder } = process.env
  const shared = globalThis as { lodelineInstance?: string; lodelineBars?: Set<string> }
  const instance = crypto.randomUUID()
  // The CLI begins a folder's plugins anew when its settings change: the newest answers.
  shared.lodelineInstance = instance

  // The CLI loads plugins of the repository in spite of its own switch (1.18): they are empty here.
  shared.lodelineBars ??= new Set()
  const bars = shared.lodelineBars
  const root = worktree === '/' ? directory : worktree
  if (!bars.has(root)) {
    bars.add(root)
    const literal = (text: string): string => text.replace(/[^\w/]/g, '\\$&')
    const own = `${literal(process.env.HOME ?? '/nobody')}/\\.opencode/`
    const filter = new RegExp(`^(?!${own})(?:${literal(root)}/|.*/\\.opencode/)`)
    Bun.plugin({
      name: 'lodeline',
      setup: (build) => void build.onLoad({ filter }, () => ({ contents: 'export default {}', loader: 'js' })),
    })
  }

  const say = (message: object): void => {
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  const tell = (method: string, params: object): void => say({ method, params })
  // The CLI notes that it knows none of our messages, each time.
  const { error: note } = console
  console.error = (...said: unknown[]) => {
    if (!said.some((word) => JSON.stringify(word)?.includes('lodeline'))) note(...said)
  }
  const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

  const waiting = new Map<string, (answer: { behavior?: string; message?: string | null }) => void>()
  const busy = new Set<string>()
  const errors = new Map<string, object>()
  const forks = new Set<string>()

  const rest = async (session: string): Promise<void> => {
    // The session's last acts are reported in order; until it is idle, something of it is on its way.
    for (const until = Date.now() + 10_000; busy.has(session) && Date.now() < until; ) await pause(10)
    tell(words.rest, { session, error: errors.get(session) ?? null })
    errors.delete(session)
  }
  const fork = async ({ session, before }: { session: string; before: string | null }): Promise<void> => {
    try {
      const asked = { path: { id: session }, query: { directory }, body: before === null ? {} : { messageID: before } }
      const { data, error } = await client.session.fork(asked)
      if (data?.id !== undefined) forks.add(data.id)
      tell(words.forked, { session: data?.id ?? null, error: error === undefined ? null : JSON.stringify(error) })
    } catch (error) {
      tell(words.forked, { session: null, error: String(error) })
    }
  }
  const take = (line: string): void => {
    if (!line.includes('lodeline') || shared.lodelineInstance !== instance) return
    try {
      const { id, method, params, result } = JSON.parse(line)
      if (method === words.askRest) void rest(params.session)
      else if (method === words.askFork) void fork(params)
      else if (method === undefined) waiting.get(id)?.(result ?? {})
    } catch {
      // No message.
    }
  }
  const listen = async (): Promise<void> => {
    // The first who listens sets the input flowing: that is the CLI, or its first line would be lost.
    while (process.stdin.listenerCount('data') === 0) await pause(5)
    const decoder = new TextDecoder()
    let held = ''
    process.stdin.on('data', (chunk: Uint8Array) => {
      const lines = (held + decoder.decode(chunk, { stream: true })).split('\n')
      held = lines.pop() ?? ''
      for (const line of lines) take(line)
    })
  }
  void listen()

  /** What the worker wrote down when the run began. */
  const written = async (name: string): Promise<string | null> => {
    try {
      const { readFileSync } = await import('node:fs')
      return folder ? readFileSync(`${folder}/${name}`, 'utf8') : null
    } catch {
      return null
    }
  }
  const recall = async (moment: string): Promise<string> => {
    const text = await written(`recall-${moment}.txt`)
    if (text !== null) return text
    try {
      const target = `${url.replace(/\/+$/, '')}/api/tasks/${encodeURIComponent(task)}/recall?moment=${moment}`
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(target, { headers, redirect: 'error', signal: AbortSignal.timeout(5_000) })
      if (response.ok) return await response.text()
      // The run is not known any more: there is nothing for it.
      if (response.status < 500) return ''
    } catch {
      // The server is away.
    }
    return (await written('recall.txt')) ?? ''
  }
  const reminder = remind({ client, directory }, (moment, session) =>
    moment === 'prompt' ? Promise.resolve('') : recall(moment === 'resume' && forks.has(session) ? 'fork' : moment),
  )

  /** Files of instructions in the folders of the project: the CLI finds none itself while the project's settings count for nothing. */
  const instructions = async (): Promise<string[]> => {
    const { existsSync } = await import('node:fs')
    const { dirname, join } = await import('node:path')
    const folders = [directory]
    for (let at = directory; at !== worktree && dirname(at) !== at && at.startsWith(worktree); ) {
      at = dirname(at)
      folders.push(at)
    }
    for (const name of ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md']) {
      const found = folders.map((at) => join(at, name)).filter((path) => existsSync(path))
      if (found.length > 0) return found
    }
    return []
  }

  /** The run's own start is offline; what it starts is not. */
  const online = { npm_config_offline: '' }

  tell(words.ready, {})

  return {
    async config(config: Config) {
      const mcp = config.mcp ?? {}
      const missing = servers.filter((name) => mcp[name] === undefined)
      if (missing.length > 0) tell(words.missing, { names: missing })
      for (const [name, server] of Object.entries(mcp)) {
        if (!servers.includes(name)) server.enabled = false
        else if (server.type === 'local') server.environment = { ...online, ...server.environment }
      }
      config.instructions = [...(config.instructions ?? []), ...(await instructions())]
    },

    async 'shell.env'(_call: object, { env }: { env: Record<string, string> }) {
      Object.assign(env, online)
    },

    async 'tool.execute.before'(
      { tool, sessionID: session, callID }: { tool: string; sessionID: string; callID: string },
      { args }: { args: unknown },
    ) {
      const id = `lodeline-${crypto.randomUUID()}`
      const answer = await new Promise<{ behavior?: string; message?: string | null }>((resolve) => {
        waiting.set(id, resolve)
        say({ id, method: words.call, params: { session, callID, tool, args } })
      })
      waiting.delete(id)
      if (answer.behavior !== 'allow') throw new Error(answer.message ?? 'It was not allowed.')
    },

    ...reminder,
    async 'chat.message'(...[message, written]: Parameters<(typeof reminder)['chat.message']>) {
      const text = written.parts.map(({ text = '' }) => text).join('\n')
      // From the turn before, which was ended for this.
      errors.delete(message.sessionID)
      tell(words.heard, { session: message.sessionID, text })
      await reminder['chat.message'](message, written)
    },

    async event({ event: { type, properties } }: { event: BusEvent }) {
      const { sessionID: session = '', part, status, error } = properties
      switch (type) {
        case 'message.part.updated':
          if (part?.type === 'step-finish')
            tell(words.step, {
              ...{ session: part.sessionID, id: part.id, reason: part.reason },
              ...{ tokens: part.tokens, cost: part.cost },
            })
          if (part?.type === 'tool' && (part.state?.status === 'completed' || part.state?.status === 'error')) {
            const { exit } = part.state.metadata ?? {}
            const isError = part.state.status === 'error' || part.tool === 'invalid' || (exit ?? 0) !== 0
            tell(words.called, { session: part.sessionID, callID: part.callID, isError })
          }
          return
        case 'session.status':
          if (status?.type === 'idle') busy.delete(session)
          else busy.add(session)
          if (status?.type === 'retry')
            tell(words.retry, { session, attempt: status.attempt, message: status.message, next: status.next })
          return
        case 'session.error':
          if (error !== undefined)
            errors.set(session, {
              ...{ name: error.name, message: error.data?.message, status: error.data?.statusCode },
              body: error.data?.responseBody?.slice(0, 4_000),
            })
          return
        case 'session.compacted':
          tell(words.compacted, { session })
          return
        case 'permission.asked':
          // What the CLI would ask by itself we were asked already: about each call, before.
          await client
            .postSessionIdPermissionsPermissionId({
              path: { id: session, permissionID: properties.id },
              query: { directory },
              body: { response: 'once' },
            })
            .catch(() => {})
          return
        default:
      }
    },
  }
}

/** The plugin as a file: the function above as the program that runs has it, and its run's facts. It holds no token. */
export function pluginFile({ serverUrl, mcpServers }: Pick<RunFileOptions, 'serverUrl' | 'mcpServers'>): string {
  const orders: Orders = { words: PLUGIN, url: serverUrl, servers: mcpServers }
  return pluginText(plugin, orders)
}
