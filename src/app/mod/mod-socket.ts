/**
 * The socket at which Lodeline's mod of Claude Code tells and asks: a file in Lodeline's folder, which only this user can open. It gives
 * no right beyond what lies in that folder anyway: facts go to the hook journal, and what it shows are titles.
 */
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/load'
import { sessionId } from '../../domain/ids'
import type { StatusSettings } from '../../domain/overview/shown-status'
import type { IssueLinkSource } from '../../domain/session/session-issue'
import type { Store } from '../../domain/store'
import { readOverview } from '../../engine/overview/overview'
import type { Logger } from '../../util/log'
import { takeMail } from '../delivery/session-mail'
import { liveSessions } from '../followed'
import { keepHookLine } from '../issue-files/sync-todos'
import { transcriptOf } from '../receiver-facts'
import type { LiveMods } from './live-mods'
import { hookPayloads, MOST_BYTES } from './mod-facts'

export interface ModSocketOptions {
  store: Pick<Store, 'overview' | 'feed' | 'todos'>
  config: Config
  mods: LiveMods
  settings(): Promise<StatusSettings>
  linkFrom: readonly IssueLinkSource[]
  log: Logger
}

/** What the mod draws. Texts are of agents and strangers: one line each, without anything that a terminal obeys. */
export interface ModView {
  needs: { title: string; command: string | null }[]
  needsCount: number
  issue: { id: string; title: string } | null
  todos: { completed: number; total: number; current: string | null } | null
}

/** The longest path that every system takes for a socket, in bytes. */
const LONGEST_PATH = 100
const NEEDS_SHOWN = 8
const TEXT = 160
const SESSION = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const modSocketPath = (home: string): string => join(home, 'mod.sock')

/** Starts to listen. Gives what ends it; `null` = this folder can have no socket, and mods stay silent. */
export function startModSocket(options: ModSocketOptions): (() => Promise<void>) | null {
  const path = modSocketPath(options.config.home)
  const { log } = options
  if (process.platform === 'win32' || Buffer.byteLength(path) > LONGEST_PATH) return null
  try {
    // The lock of the server is held: a file that is there is of one that was killed.
    rmSync(path, { force: true })
    const server = Bun.serve({
      unix: path,
      maxRequestBodySize: MOST_BYTES,
      fetch: (request) =>
        answer(request, options).catch((error: unknown) => {
          log.warn('a request of the mod failed', { error })
          return new Response(null, { status: 500 })
        }),
    })
    chmodSync(path, 0o600)
    return async () => {
      await server.stop(true)
      rmSync(path, { force: true })
    }
  } catch (error) {
    log.warn('the mod of Claude Code can not be heard', { path, error })
    return null
  }
}

async function answer(request: Request, options: ModSocketOptions): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (request.method === 'POST' && pathname === '/facts') {
    for (const payload of hookPayloads(await request.text()))
      keepHookLine(options.config.home, Buffer.from(JSON.stringify(payload)), Date.now())
    return new Response(null, { status: 204 })
  }
  if (request.method === 'GET' && pathname === '/view')
    return Response.json(await viewOf(searchParams.get('session') ?? '', options))
  if (request.method === 'POST' && pathname === '/wake')
    return Response.json({ text: await wakeText(searchParams.get('session') ?? '', options) })
  return new Response(null, { status: 404 })
}

/** Longer than a read of the record takes; the server itself is asked where that is on PostgreSQL. */
const MAIL_MS = 5_000

/** What wakes an idle conversation, for its mod to put in: given once, as a hook that waits gives it. '' = nothing. */
async function wakeText(given: string, { config, mods }: ModSocketOptions): Promise<string> {
  if (!SESSION.test(given)) return ''
  const session = sessionId(given.toLowerCase())
  mods.heard(session)
  if (config.messages.wake === 'off') return ''
  const live = (await liveSessions(config)).find((one) => one.sessionId === session)
  // The end of the turn that is under way carries it.
  if (live === undefined || live.status === 'busy') return ''
  return await takeMail({
    home: config.home,
    session,
    cli: `${live.pid}@${live.startedAt.split('@')[0]}`,
    route: 'rewake',
    transcript: await transcriptOf(config, session),
    env: process.env,
    timeoutMs: MAIL_MS,
    onlyWaking: true,
  })
}

async function viewOf(session: string, { store, settings, linkFrom }: ModSocketOptions): Promise<ModView> {
  const now = Date.now()
  const [{ needs, counts }, list] = await Promise.all([
    readOverview(store, now, await settings(), { since: now, limit: NEEDS_SHOWN }),
    SESSION.test(session) ? store.todos.ofSession(sessionId(session.toLowerCase()), { now, linkFrom }) : null,
  ])
  const [issue] = list?.issues ?? []
  const current = list?.todos.find(({ status }) => status === 'in_progress')
  return {
    needs: needs.map(({ title, text, command }) => ({
      title: shown(text === '' ? title : `${title}: ${text}`),
      command: command === null ? null : shown(command),
    })),
    needsCount: Object.values(counts.needs).reduce((sum, each) => sum + each, 0),
    issue: issue === undefined ? null : { id: shown(issue.id), title: shown(issue.title) },
    todos:
      list === null || list.progress.total === 0
        ? null
        : {
            completed: list.progress.completed,
            total: list.progress.total,
            current: current === undefined ? null : shown(current.activeForm ?? current.content),
          },
  }
}

/** Beyond letters, digits and signs: what a terminal obeys, and marks that hide or turn text around. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu

const shown = (text: string): string =>
  text
    .slice(0, TEXT * 2)
    .replace(UNSEEN, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .toWellFormed()
    .slice(0, TEXT)
