import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../../api/client/client'
import { askHealth, isOwnMachine, unproven } from '../../api/client/prove-server'
import { followToken, readToken } from '../../api/client/token-file'
import { isOperatorToken } from '../../api/contract/token-form'
import type { Config } from '../../config/load'
import { AppError } from '../../domain/errors'
import { passProxyBy } from '../../util/net/pass-proxy-by'
import { isProvenGone, readServerProcess } from '../../util/process/server-process'
import { VERSION } from '../../util/version'
import type { Connection, Context, ServerConnection } from './context'

/** What a running server writes to `server.json` in Lodeline's folder. */
export interface ServerFile {
  url: string
  pid: number
  version: string
  startedAt: string
}

/** A server on this machine answers within a millisecond unless it is stuck; another host may be far. */
const LOCAL_TIMEOUT_MS = 1_500
const REMOTE_TIMEOUT_MS = 5_000
/** Where there is another to try. */
const NEXT_TIMEOUT_MS = 2_000

/**
 * Decides, once per command, who answers it:
 * within a run of a task (`LODELINE_URL` and `LODELINE_TOKEN` are set) the server that the run belongs to, and no other; else the
 * first server that answers of those named by `--server` or `LODELINE_SERVER`; else the one that runs on this folder; else, on the embedded database and without
 * a token of somebody else, the same handlers in this process.
 *
 * @throws `unavailable`  a named server does not answer, the running one is stuck, or none runs and one is needed
 * @throws `invalid`  `--server` names another one than the run's
 */
export async function connect(context: Context): Promise<Connection> {
  const served = await connectServer(context)
  if (served !== null) return served
  const config = context.config()
  if (config.databaseUrl !== null) {
    throw new AppError(
      'unavailable',
      'No server is running here, and a PostgreSQL database can be used only through a server.',
      {
        hint: "Start one with 'lode serve', or name one with --server URL.",
      },
    )
  }
  return inProcess(config)
}

/**
 * As `connect`, but a server or nothing.
 *
 * @param token  presented instead of `LODELINE_TOKEN` and this installation's own
 * @returns `null`  none was named and none runs here
 */
export async function connectServer(context: Context, token?: string): Promise<ServerConnection | null> {
  const config = context.config()
  const { LODELINE_TOKEN: given, LODELINE_URL: runUrl } = context.io.env
  if (given && runUrl) return connectNamed(context, config, [urlOfRun(context, runUrl)], 'LODELINE_URL', token)
  const named = namedServers(context)
  if (named !== null) return connectNamed(context, config, named, sourceOfName(context), token)
  const presented = token ?? (given || undefined)
  const running = await findServer(config.home, presented)
  if (running !== null) return overHttp(context, [running.url], await lasting(config.home, presented), true)
  if (!given) return null
  throw new AppError('unavailable', 'LODELINE_TOKEN is set, which requires a server, but none is running here.', {
    hint: "Name it with --server URL, or unset LODELINE_TOKEN to use this machine's record.",
  })
}

/** A run's token is its server's alone: it is sent nowhere else. */
function urlOfRun(context: Context, text: string): string {
  const url = parseServerUrl(text, 'LODELINE_URL')
  const { server } = context.globals
  if (server === undefined || parseServerUrls(server, '--server').includes(url)) return url
  throw new AppError('invalid', `A running task must use its own server (${url}), not ${server}.`, {
    hint: 'Leave out --server.',
  })
}

async function inProcess(config: Config): Promise<Connection> {
  const [{ openInProcess }, { createLogger }] = await Promise.all([
    import('../../app/in-process'),
    import('../../util/log'),
  ])
  // What a command has to say it says itself; the file keeps the rest.
  const log = createLogger({
    file: join(config.home, 'log', 'lode.log'),
    level: config.log.level,
    terminalLevel: 'off',
  })
  const app = await openInProcess({ config, log, endsProcess: true })
  return {
    client: createClient((request) => app.fetch(request), { version: VERSION }),
    url: null,
    token: null,
    isRemote: false,
    close: () => app.close(),
  }
}

async function connectNamed(
  context: Context,
  config: Config,
  urls: readonly string[],
  source: string,
  token: string | undefined,
): Promise<ServerConnection> {
  const presented = token ?? (await tokenFor(context, config, urls))
  const isHere = urls.every(isOwnMachine)
  let reason = ''
  for (const url of urls) {
    const timeoutMs = isOwnMachine(url) ? LOCAL_TIMEOUT_MS : urls.length > 1 ? NEXT_TIMEOUT_MS : REMOTE_TIMEOUT_MS
    const seen = await probe(url, timeoutMs, presented)
    if (seen.state === 'ok') {
      for (const each of urls) warnOfClearText(context, each)
      const given = isHere ? await lasting(config.home, presented) : presented
      return overHttp(context, [url, ...urls.filter((other) => other !== url)], given, true)
    }
    if (seen.state === 'unproven' && urls.length === 1) throw unproven(url)
    reason += `${reason === '' ? '' : '; '}${urls.length > 1 ? `${url}: ` : ''}${seen.reason}`
  }
  const what =
    urls.length > 1
      ? `None of the servers (${source}) responds`
      : `The server at ${urls[0]} (${source}) does not respond`
  throw new AppError('unavailable', `${what}: ${reason}.`, {
    hint: `Start it there with 'lode up' or 'lode serve', or leave out ${source} to use this machine's record.`,
  })
}

/** The servers of one record that `--server` or `LODELINE_SERVER` names, in their order; `null` = none is named. @throws `invalid` */
export function namedServers(context: Context): readonly [string, ...string[]] | null {
  const named = context.globals.server ?? (context.io.env.LODELINE_SERVER || undefined)
  return named === undefined ? null : parseServerUrls(named, sourceOfName(context))
}

const sourceOfName = (context: Context): string =>
  context.globals.server === undefined ? 'LODELINE_SERVER' : '--server'

/** Said once by each command that sends one. */
function warnOfClearText(context: Context, url: string): void {
  if (isOwnMachine(url) || url.startsWith('https:')) return
  context.note(
    `the connection to ${url} is not encrypted: anyone on the way can read your token. Use https, or a tunnel.`,
  )
}

/**
 * The token as it is while this process lives: the installation's own may be replaced meanwhile.
 *
 * @param given  to this process: stays as it is, unless it is the installation's. `undefined` = that is what is presented
 */
async function lasting(home: string, given: string | null | undefined): Promise<ServerConnection['token']> {
  const own = await readToken(home)
  return own !== null && (given === undefined || given === own) ? followToken(home, own) : (given ?? null)
}

/**
 * A client of the server at the first of these addresses, which was seen to answer. Where there are others, it goes on with them when that
 * one is gone.
 *
 * @param isProven  it has proved just now that it has the token
 */
export async function overHttp(
  context: Context,
  urls: readonly [string, ...string[]],
  token: ServerConnection['token'],
  isProven = false,
): Promise<ServerConnection> {
  const [url] = urls
  const transport =
    urls.length > 1
      ? (await import('../../api/client/several-servers')).transportOf(urls, token)
      : (await import('../../api/client/http-transport')).httpTransport({ token, origin: url, isProven })
  const client = createClient(transport, {
    baseUrl: url,
    version: VERSION,
    onVersion: (server) =>
      context.note(
        `the server at ${url} has version ${server}, this program ${VERSION}; restart the server, or use the same version.`,
      ),
  })
  return { client, url, urls, token, isRemote: !urls.every(isOwnMachine), close: async () => {} }
}

/**
 * The server that runs on this folder, if it answers.
 *
 * A file left by a server that was killed is no server: its process is gone, its port answers nobody, or another program has the port.
 * @param token  what is to be sent to it. Default: this installation's own.
 * @throws `unavailable`  the process lives and took the connection, but does not answer, or does not prove that it has the token
 */
export async function findServer(home: string, token?: string | null): Promise<ServerFile | null> {
  const file = readServerFile(join(home, 'server.json'))
  if (file === null) return null
  const written = readServerProcess(home)
  if (typeof written !== 'string' && isProvenGone(written)) return null
  const seen = await probe(file.url, LOCAL_TIMEOUT_MS, token === undefined ? await readToken(home) : token)
  if (seen.state === 'ok') return file
  if (seen.state === 'unproven' && isAlive(file.pid)) throw unproven(file.url)
  if (seen.state === 'unproven') return null
  if (seen.state === 'refused' || !isAlive(file.pid)) return null
  throw new AppError(
    'unavailable',
    `The server at ${file.url} (process ${file.pid}) is running but does not respond: ${seen.reason}.`,
    {
      hint: `Try again, or stop it with 'kill ${file.pid}'; its log is under ${home}.`,
    },
  )
}

type Probe = { state: 'ok' } | { state: 'refused' | 'silent' | 'unproven'; reason: string }

/** Whether a server of ours answers, and on this machine one that has the operator's token where that is to be sent. */
async function probe(url: string, timeoutMs: number, token: string | null): Promise<Probe> {
  try {
    passProxyBy(url)
    const toProve = token !== null && isOwnMachine(url) && isOperatorToken(token) ? token : null
    const { response, isProven } = await askHealth(url, toProve, AbortSignal.timeout(timeoutMs))
    const body: unknown = await response.json().catch(() => null)
    const isOurs = response.ok && typeof body === 'object' && body !== null && 'version' in body
    if (!isOurs) return { state: 'refused', reason: `another program responds there (status ${response.status})` }
    return isProven || toProve === null ? { state: 'ok' } : { state: 'unproven', reason: 'it does not prove its token' }
  } catch (error) {
    const { name, code, message } = error as Error & { code?: string }
    if (name === 'TimeoutError') return { state: 'silent', reason: `no answer within ${timeoutMs / 1_000} s` }
    const isRefused = code === 'ConnectionRefused' || code === 'ECONNREFUSED'
    return { state: 'refused', reason: isRefused ? 'the connection was refused' : message }
  }
}

/** `null` when there is none, or when it is not what a server writes (a half-written file of a crash). */
export function readServerFile(path: string): ServerFile | null {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { url, pid, version, startedAt } = value as Partial<Record<keyof ServerFile, unknown>>
  if (typeof url !== 'string' || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return null
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null
  return { url: url.replace(/\/+$/, ''), pid, version: String(version ?? ''), startedAt: String(startedAt ?? '') }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * The token for this server: `LODELINE_TOKEN`, else this installation's own. The latter opens this machine's record, so it is
 * sent to this machine only.
 */
async function tokenFor(context: Context, config: Config, urls: readonly string[]): Promise<string | null> {
  if (context.io.env.LODELINE_TOKEN) return context.io.env.LODELINE_TOKEN
  const elsewhere = urls.find((url) => !isOwnMachine(url))
  if (elsewhere === undefined) return readToken(config.home)
  throw new AppError('unauthorized', `No token found for the server at ${elsewhere}.`, {
    hint: "Set LODELINE_TOKEN to the content of the file 'token' in the server's Lodeline folder.",
  })
}

function parseServerUrl(text: string, source: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.pathname !== '/') {
    throw new AppError('invalid', `${source} must be an address like http://127.0.0.1:4655.`)
  }
  return url.origin
}

/** Servers of one list. */
const MOST_SERVERS = 20

function parseServerUrls(text: string, source: string): readonly [string, ...string[]] {
  const [first = '', ...others] = text.split(',').map((part) => part.trim())
  if (others.length >= MOST_SERVERS) throw new AppError('invalid', `${source} names more than ${MOST_SERVERS} servers.`)
  const url = parseServerUrl(first, source)
  return [url, ...new Set(others.map((other) => parseServerUrl(other, source)).filter((other) => other !== url))]
}

/** The token of a connection, as it is when it is asked for; '' = none. */
export const tokenNow =
  ({ token }: ServerConnection): (() => string) =>
  () =>
    (typeof token === 'function' ? token() : token) ?? ''
