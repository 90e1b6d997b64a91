/** The records whose pages are looked at: with nothing, with something of everything, and with a million events. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { prepareHome, Server } from '../../bench/common/lode'
import { hugeHome } from '../../bench/dashboard/huge-home'
import { EMPTY_STOPS, type Stop, stopsOf } from '../../test/browser/pages/pages-stops'
import { World } from '../../test/browser/world/world'
import { buildDashboard } from '../build-web'

export interface ShownRecord {
  origin: string
  /** Logs one browser in, and goes to the start. */
  link(): Promise<string>
  stops: readonly Stop[]
  end(): Promise<void>
}

const NAMES = ['empty', 'typical', 'huge'] as const
export type RecordName = (typeof NAMES)[number]

/** @throws Error for a name that none has. @returns all where nothing is named */
export function recordsOf(names: string | undefined): readonly RecordName[] {
  const asked = names?.split(',') ?? NAMES
  for (const name of asked)
    if (!NAMES.includes(name as RecordName)) throw new Error(`there is no record ${name}, but ${NAMES.join(', ')}`)
  return asked as readonly RecordName[]
}

/**
 * Fills a record and starts a server with it.
 *
 * @param root  the repository's folder; its dashboard is built when it is not fresh
 */
export async function openRecord(root: string, name: RecordName): Promise<ShownRecord> {
  await buildDashboard(root)
  return name === 'typical' ? openTypical() : openFilled(root, name)
}

async function openTypical(): Promise<ShownRecord> {
  const world = await World.start()
  try {
    const { server } = world
    const parts = await world.everything()
    const { charted, mended } = parts.sessions
    return {
      origin: server.url,
      async link() {
        const { code, path } = await server.client.login.code()
        return linkOf(server.url, path, code)
      },
      stops: [...stopsOf(parts), [`/compare?a=${charted}&b=${mended}`, '[data-testid=comparison]']],
      end: () => world.stop(),
    }
  } catch (error) {
    await world.stop()
    throw error
  }
}

async function openFilled(root: string, name: 'empty' | 'huge'): Promise<ShownRecord> {
  // Short: sockets are made below it.
  const scratch = mkdtempSync('/tmp/ld-')
  const home = join(scratch, 'h')
  const lode = join(root, 'bin/lode')
  const note = (text: string) => process.stderr.write(`${text}\n`)
  let stops = EMPTY_STOPS
  if (name === 'empty') prepareHome(home)
  else stops = hugeStops(await hugeHome(home, lode, note))
  // A worker would take the many tasks of the huge one.
  const server = await Server.start(lode, home, name === 'empty' ? 'up' : 'serve')
  return {
    origin: server.url,
    async link() {
      const { code, path } = await server.post<{ code: string; path: string }>('/api/login/codes', {})
      return linkOf(server.url, path, code)
    },
    stops,
    async end() {
      await server.stop()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

const linkOf = (origin: string, path: string, code: string): string =>
  `${origin}${path}#${new URLSearchParams({ code, to: '/' })}`

const hugeStops = ({ long, crowd, task, word }: Awaited<ReturnType<typeof hugeHome>>): readonly Stop[] => [
  ['/', '[data-testid=need-row], [data-testid=need-group]'],
  ['/?tab=running', 'h1'],
  ['/?tab=finished', 'h1'],
  ['/tree', '[role=treeitem]'],
  ['/sessions', '[data-testid=listed-session]'],
  [`/sessions/${long}`, '[data-testid=session-row]'],
  [`/sessions/${long}?view=changes`, 'h1'],
  [`/sessions/${long}?view=timeline`, '[data-testid=session-timeline]'],
  [`/sessions/${crowd}`, '[data-testid=session-row]'],
  ['/day', 'h1'],
  ['/tasks', '[data-testid=task-row]'],
  [`/tasks/${task}`, '[data-testid=task-page]'],
  ['/issues', '[data-testid=issue-row]'],
  ['/issues?view=board', '[data-testid=issue-board]'],
  ['/issues?view=graph', '[data-testid=issue-graph]'],
  [`/search?q=${word}`, '[data-testid=search-hit], [data-testid=session-hit]'],
  ['/costs', '[data-testid=cost-row]'],
  ['/fleet', '[data-testid=fleet-page]'],
  ['/audit', 'h1'],
  ['/doctor', '[data-testid=doctor-page]'],
]
