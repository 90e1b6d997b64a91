import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { passProxyBy } from '../net/pass-proxy-by'

/** The file that a server holds open in its folder as long as it runs. */
export const SERVER_LOCK = 'server.lock'

/** How long the one on the port has to say what it is, in milliseconds. */
const ASK_MS = 1_000
/** As much of an answer is read. */
const ANSWER_BYTES = 4_096

/**
 * The process that listens on a port of this machine, in words for an error: e.g. `a Lodeline server for /home/ann/.lodeline (process
 * 4711)`. Where the system does not show it (another user's process, another system than Linux), the port itself is asked; `null` =
 * unknown.
 *
 * @param host  as it was asked to listen on
 */
export async function portHolder(host: string, port: number): Promise<string | null> {
  const found = processOn(port)
  if (found?.folder != null) return `a Lodeline server for ${found.folder} (process ${found.pid})`
  const isOurs = await isLodeline(host, port)
  if (found === null) return isOurs ? 'another Lodeline server' : null
  return isOurs ? `another Lodeline server (process ${found.pid})` : `${found.name} (process ${found.pid})`
}

interface Listener {
  pid: number
  name: string
  /** Lodeline's folder, when it is a server of ours. */
  folder: string | null
}

function processOn(port: number): Listener | null {
  if (process.platform !== 'linux') return null
  const sockets = listeningSockets(port)
  if (sockets.size === 0) return null
  for (const entry of list('/proc')) {
    if (!/^[1-9]\d*$/.test(entry)) continue
    const files = list(`/proc/${entry}/fd`).map((fd) => linkOf(`/proc/${entry}/fd/${fd}`))
    if (!files.some((file) => sockets.has(file))) continue
    const lock = files.find((file) => basename(file) === SERVER_LOCK)
    const name = textOf(`/proc/${entry}/comm`).trim() || 'a program'
    return { pid: Number(entry), name, folder: lock === undefined ? null : dirname(lock) }
  }
  return null
}

/** `socket:[INODE]` of each socket that listens on the port, on whatever address. */
function listeningSockets(port: number): Set<string> {
  const found = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of textOf(table).split('\n').slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
      // 0A = LISTEN.
      if (state === '0A' && Number.parseInt(local?.split(':')[1] ?? '', 16) === port) found.add(`socket:[${inode}]`)
    }
  return found
}

/** Whether what answers there is a server of ours. It is asked without a token: whose it is nobody knows yet. */
async function isLodeline(host: string, port: number): Promise<boolean> {
  const any = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const name = any.includes(':') ? `[${any}]` : any
  for (const scheme of ['http', 'https'])
    try {
      const url = `${scheme}://${name}:${port}/api/health`
      passProxyBy(url)
      const answer = await fetch(url, {
        signal: AbortSignal.timeout(ASK_MS),
        redirect: 'manual',
        // Only its name is needed, so its certificate is not verified.
        tls: { rejectUnauthorized: false },
      })
      const health: unknown = JSON.parse((await answer.text()).slice(0, ANSWER_BYTES))
      return typeof health === 'object' && health !== null && 'version' in health && 'uptimeMs' in health
    } catch {
      // It speaks something else, or nothing in time.
    }
  return false
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // It is gone, or another user's.
    return []
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
