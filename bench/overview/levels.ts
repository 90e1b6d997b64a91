import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { type Spread, spread, timeEach } from '../common/measure'
import { fillRecord } from '../record/data/fill'
import { fillWork } from './fill-work'

const SESSIONS = 10_000
const EVENTS = 1_000_000
const TASKS = 1_000
const PROJECTS = 40
const SUBAGENTS = 5_000
const ROUNDS = 20

/** Milliseconds that the median of each may take over HTTP. */
const LIMITS_MS = {
  projects: 60,
  project: 30,
  projectNextPage: 30,
  task: 30,
  session: 30,
  crowdedSession: 30,
  subagent: 30,
  costsByProject: 300,
  costsByDay: 300,
  costsByModel: 300,
  costsBySubagent: 300,
  costsBySession: 300,
  costsByTask: 300,
  fleet: 20,
  sessions: 30,
  sessionsByCost: 60,
  sessionsOfModel: 60,
  sessionFacets: 60,
} as const
type Question = keyof typeof LIMITS_MS

/** The tree of all work, costs and the fleet. */
export const levelsFigure: Figure = {
  name: 'levels',
  target:
    'at 1 million events, 10,000 sessions (one with 5,000 sub-agents) and 1,000 tasks: the projects with what they come to < 60 ms, any other level < 30 ms, costs by anything < 300 ms, the fleet < 20 ms, a page of sessions in any order and what they are counted by < 60 ms, over HTTP; other requests do not wait for costs',
  async measure({ lode, folder, note }) {
    const home = prepareHome(join(folder, 'h'))
    const filled = await fillRecord(home, { sessions: SESSIONS, events: EVENTS, treeSize: SUBAGENTS })
    const { task } = fillWork(home, { tasks: TASKS, projects: PROJECTS })
    note(`${EVENTS} events, ${TASKS} tasks`)
    const server = await Server.start(lode, home)
    try {
      const paths = await pathsOf(server, { task, crowded: filled.treeSession })
      const measured: Partial<Record<Question, Spread>> = {}
      for (const question of Object.keys(LIMITS_MS) as Question[]) {
        await server.get(paths[question])
        measured[question] = spread(await timeEach(ROUNDS, () => server.get<unknown>(paths[question])))
        note(`${question}: ${measured[question]?.p50Ms} ms`)
      }
      const others = await askBeside(server, paths.costsBySubagent)
      const ok = (Object.keys(LIMITS_MS) as Question[]).every((one) => (measured[one]?.p50Ms ?? 0) < LIMITS_MS[one])
      return {
        ok: ok && others.beside.p50Ms < 10,
        values: { limitsMs: LIMITS_MS, ...measured, besideCosts: others.beside },
        limit: { emptyRequest: others.alone },
      }
    } finally {
      await server.stop()
    }
  },
}

interface Level {
  entries: { id: string; kind: string; childCount: number }[]
  nextCursor: string | null
}

async function pathsOf(
  server: Server,
  { task, crowded }: { task: string; crowded: string },
): Promise<Record<Question, string>> {
  const level = async (query: string) => await server.get<Level>(`/api/tree?limit=100${query}`)
  const under = (id: string) => `&under=${encodeURIComponent(id)}`
  const { entries } = await level('')
  const largest = entries.toSorted((a, b) => b.childCount - a.childCount)[0]?.id ?? ''
  const project = await level(under(largest))
  const session = project.entries.find(({ kind }) => kind === 'session')?.id ?? ''
  const agents = await level(under(`session:${crowded}`))
  const tree = (query: string) => `/api/tree?limit=100${query}`
  return {
    projects: tree(''),
    project: tree(under(largest)),
    projectNextPage: tree(`${under(largest)}&cursor=${encodeURIComponent(project.nextCursor ?? '')}`),
    task: tree(under(`task:${task}`)),
    session: tree(under(session)),
    crowdedSession: tree(under(`session:${crowded}`)),
    subagent: tree(under(agents.entries[0]?.id ?? '')),
    costsByProject: '/api/costs?by=project',
    costsByDay: '/api/costs?by=day&timeZone=Europe/Berlin',
    costsByModel: '/api/costs?by=model',
    costsBySubagent: '/api/costs?by=subagent',
    costsBySession: '/api/costs?by=session',
    costsByTask: '/api/costs?by=task',
    fleet: '/api/fleet',
    sessions: '/api/sessions?limit=50',
    sessionsByCost: '/api/sessions?limit=50&sort=cost',
    sessionsOfModel: '/api/sessions?limit=50&model=claude-opus-5-5&errors=1..&sort=length',
    sessionFacets: '/api/session-facets?branch=main',
  }
}

/** Requests for nothing, alone and while costs are summed without a pause. */
async function askBeside(server: Server, path: string): Promise<{ alone: Spread; beside: Spread }> {
  const health = () => server.get('/api/health')
  const alone = spread(await timeEach(100, health))
  let isOver = false
  const sums = (async () => {
    while (!isOver) await server.get(path)
  })()
  const times: number[] = []
  for (const until = performance.now() + 2_000; performance.now() < until; await Bun.sleep(5))
    times.push(...(await timeEach(1, health)))
  isOver = true
  await sums
  return { alone, beside: spread(times) }
}
