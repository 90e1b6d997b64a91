import type { Page } from 'playwright-core'
import type { Figure } from '../common/figure'
import { median, round } from '../common/measure'
import { failure, type HugeDashboard, openHuge } from './open-page'

const ROUNDS = 7

interface View {
  name: string
  path: string
  /** What is there once the view says something. */
  shows: string
}

const testId = (id: string) => `[data-testid=${id}]`

function viewsOf({ ids }: HugeDashboard): View[] {
  return [
    { name: 'tree', path: '/tree', shows: testId('tree-row') },
    { name: 'session of 5,000 sub-agents', path: `/sessions/${ids.crowd}`, shows: testId('session-row') },
    { name: 'tasks', path: '/tasks', shows: testId('task-row') },
    { name: 'task', path: `/tasks/${ids.task}`, shows: testId('task-page') },
    { name: 'issues', path: '/issues', shows: testId('issue-row') },
    { name: 'search', path: `/search?q=${ids.word}`, shows: testId('search-hit') },
    { name: 'costs', path: '/costs', shows: testId('cost-row') },
    { name: 'fleet', path: '/fleet', shows: testId('fleet-page') },
    { name: 'doctor', path: '/doctor', shows: testId('doctor-page') },
    { name: 'home', path: '/', shows: `${testId('count-needs')}` },
  ]
}

/** From one place of the dashboard to the next, the first time and again. */
export const switchesFigure: Figure = {
  name: 'switches',
  target: 'any view switch < 200 ms',
  async measure(bench) {
    const huge = await openHuge(bench)
    try {
      const page = await huge.newPage()
      await page.goto(huge.server.url)
      await page.evaluate(`benchmark.until('${testId('count-needs')}')`)
      const times = new Map<string, number[]>()
      const failed: Record<string, string> = {}
      const views = viewsOf(huge)
      for (let visit = 0; visit < ROUNDS; visit++) {
        for (const view of views.filter(({ name }) => failed[name] === undefined)) {
          try {
            times.set(view.name, [...(times.get(view.name) ?? []), await go(page, view)])
          } catch (error) {
            failed[view.name] = await failure(page, error)
          }
          // What comes later than the first row belongs to this view, not to the next.
          await page.waitForTimeout(150)
        }
      }
      const spread = Object.fromEntries(
        [...times].map(([name, all]) => [
          name,
          { firstMs: round(all[0] ?? 0), p50Ms: round(median(all)), worstMs: round(Math.max(...all)) },
        ]),
      )
      return {
        ok:
          Object.keys(failed).length === 0 &&
          Object.values(spread).every(({ p50Ms, firstMs }) => p50Ms < 200 && firstMs < 200),
        values: { ...spread, ...(Object.keys(failed).length > 0 && { failed }) },
        limit: { frameMs: round(await frameMs(page)), answerMs: await answers(huge) },
      }
    } finally {
      await huge.stop()
    }
  },
}

const go = (page: Page, { path, shows }: View): Promise<number> =>
  page.evaluate<number>(`benchmark.go(${JSON.stringify(path)}, ${JSON.stringify(shows)})`)

/** Between two frames in which nothing happens: no switch shows sooner. */
async function frameMs(page: Page): Promise<number> {
  await page.evaluate('benchmark.startFrames()')
  await page.waitForTimeout(1_000)
  return median(await page.evaluate<number[]>('benchmark.stopFrames()'))
}

/** What the server alone takes for the answers behind the views, asked one by one. */
async function answers({ server, ids }: HugeDashboard): Promise<Record<string, number | string>> {
  const paths = {
    overview: '/api/overview',
    tree: '/api/tree',
    rows: `/api/sessions/${ids.crowd}/rows?limit=200`,
    search: `/api/search?q=${ids.word}`,
    costs: '/api/costs?by=day',
    fleet: '/api/fleet',
    doctor: '/api/doctor',
  }
  const found: Record<string, number | string> = {}
  for (const [name, path] of Object.entries(paths)) {
    const times: number[] = []
    try {
      for (let at = 0; at < 5; at++) {
        const before = performance.now()
        await server.get(path)
        times.push(performance.now() - before)
      }
      found[name] = round(median(times))
    } catch (error) {
      found[name] = error instanceof Error ? error.message.slice(0, 100) : String(error)
    }
  }
  return found
}
