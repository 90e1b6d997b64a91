import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { type FilledPages, fillPages, SIZE } from './fill'
import { measurePage, type PageCost } from './measure'
import { requestsOf } from './requests'

const ROUNDS = 5
const CPU_MS = 150
const OWN_MB = 250

/** What each page of the dashboard asks of a server with a large record. */
export const pagesFigure: Figure = {
  name: 'pages',
  target: `at ${SIZE.sessions} sessions, ${SIZE.events} events and ${SIZE.tasks} tasks: all requests of a page < ${CPU_MS} ms of the server's processor time, its own memory < ${OWN_MB} MB`,
  async measure({ lode, folder, kept, note }) {
    const home = prepareHome(join(kept ?? folder, 'h'))
    const facts = join(home, 'filled.json')
    const filled = existsSync(facts)
      ? (JSON.parse(readFileSync(facts, 'utf8')) as FilledPages)
      : await fillPages(lode, home, SIZE)
    writeFileSync(facts, JSON.stringify(filled))
    note('filled')
    const server = await Server.start(lode, home)
    try {
      const pages: Record<string, PageCost> = {}
      for (const [name, paths] of Object.entries(await requestsOf(server, filled))) {
        const cost = await measurePage(server, paths, ROUNDS)
        pages[name] = cost
        note(`${name}: ${cost.cpuMs} ms, ${cost.ownMb} MB`)
      }
      const late = Object.entries(pages).filter(([, { cpuMs, ownMb }]) => cpuMs >= CPU_MS || ownMb >= OWN_MB)
      return {
        ok: late.length === 0,
        values: { ...SIZE, pages, missed: late.map(([name]) => name) },
        limit: { cpuMs: CPU_MS, ownMb: OWN_MB },
      }
    } finally {
      await server.stop()
    }
  },
}
