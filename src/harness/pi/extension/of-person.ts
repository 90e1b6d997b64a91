import type { ListedTool } from '../../../domain/harness/listed-tool'
import { extensionText, type Parts, type Pi, type PiContext } from './parts'

interface Orders {
  /** The program as words of a shell, with the options that every call has. */
  lode: string
  tools: readonly ListedTool[]
}

/** By the first line a file is known again. */
const MARK = '// The extension of Lodeline. '

/**
 * The extension of a person's own sessions, which the CLI loads as a file of its own: it stands alone, and names nothing outside of itself.
 *
 * It asks `lode hook` for the agent's reminders, one question at a time, and starts `lode mcp` when a tool of Lodeline's is called. It
 * starts nothing by itself. Once the program could not be started, or did not answer in time, the session goes on without it.
 */
function extension(pi: Pi, { lode, tools }: Orders, { addTools, tellMoments }: Parts): void {
  // A run has an extension of its own.
  if (process.env.LODELINE_TOKEN) return
  /** How long an answer may take, in milliseconds: it takes a tenth of a second. */
  const HOOK_MS = 5_000
  const CALL_MS = 660_000

  let isGone = false
  let last: Promise<string> = Promise.resolve('')

  const ask = async (payload: object): Promise<string> => {
    if (isGone) return ''
    const { spawn } = await import('node:child_process')
    return await new Promise((resolve) => {
      const child = spawn('/bin/sh', ['-c', `exec ${lode} hook --agent pi --answer`], {
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      let text = ''
      const end = (code: number | null) => {
        clearTimeout(timer)
        isGone ||= code !== 0
        resolve(code === 0 ? text : '')
      }
      const timer = setTimeout(() => {
        child.kill('SIGKILL')
        end(null)
      }, HOOK_MS)
      child.on('error', () => end(null))
      child.on('close', end)
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      child.stdin.on('error', () => end(null))
      child.stdin.end(JSON.stringify(payload))
    })
  }

  const tell = (moment: string | null, { cwd, sessionManager }: PiContext): Promise<string> => {
    const payload = {
      hook_event_name: moment === null ? 'UserPromptSubmit' : 'SessionStart',
      session_id: sessionManager.getSessionId(),
      transcript_path: sessionManager.getSessionFile(),
      cwd,
      ...(moment !== null && { source: moment }),
    }
    last = last.then(() => ask(payload)).catch(() => '')
    return last
  }
  tellMoments(pi, tell)

  interface Server {
    call(method: string, params: object, signal?: AbortSignal): Promise<Record<string, unknown>>
    end(): void
  }
  let server: Promise<Server> | null = null

  const start = async (session: string | undefined): Promise<Server> => {
    const { spawn } = await import('node:child_process')
    const child = spawn('/bin/sh', ['-c', `exec ${lode} mcp`], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, ...(session !== undefined && { PI_SESSION_ID: session }) },
    })
    const open = new Map<number, (answer: Record<string, unknown> | null) => void>()
    const gone = () => {
      server = null
      for (const answer of open.values()) answer(null)
      open.clear()
    }
    for (const source of [child, child.stdin]) source.on('error', gone)
    child.on('close', gone)
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.filter((each) => each.trim() !== '')) {
        const message = JSON.parse(line)
        open.get(message.id)?.(message)
        open.delete(message.id)
      }
    })
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    let serial = 0
    const made: Server = {
      async call(method, params, signal) {
        const id = ++serial
        const answer = await new Promise<Record<string, unknown> | null>((resolve) => {
          open.set(id, resolve)
          const limit = AbortSignal.timeout(CALL_MS)
          for (const each of signal ? [signal, limit] : [limit]) each.addEventListener('abort', () => resolve(null))
          say({ id, method, params })
        })
        open.delete(id)
        if (answer === null) throw new Error('Lodeline did not answer.')
        if (answer.error) throw new Error(String((answer.error as { message?: unknown }).message))
        return answer.result as Record<string, unknown>
      },
      end: () => child.stdin.end(),
    }
    const clientInfo = { name: 'pi', version: '1' }
    await made.call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    say({ method: 'notifications/initialized' })
    return made
  }

  addTools(pi, tools, async (name, given, signal, context) => {
    if (isGone) throw new Error('Lodeline is not there in this session any more.')
    server ??= start(context?.sessionManager.getSessionId())
    const { call } = await server.catch((error: unknown) => {
      // One that can't be started is not tried again; one that ended later is.
      isGone = true
      throw error
    })
    return await call('tools/call', { name, arguments: given }, signal)
  })
  pi.on('session_shutdown', async () => {
    const ending = server
    server = null
    ;(await ending?.catch(() => null))?.end()
  })
}

/** Whether a file is one that `personExtension` made, of whatever place and version. */
export const isOurExtension = (text: string): boolean => text.startsWith(MARK)

/** The extension as a file. It holds no token: what it starts reads the person's own files. */
export const personExtension = (orders: Orders): string =>
  `${MARK}'lode setup pi --remove' takes it out again.\n${extensionText(extension, orders)}`
