import type { Server } from '../common/lode'
import type { FilledPages } from './fill'

/** Rows as the pages ask for. */
const ROWS = 50
const LEVEL = 100

interface Level {
  entries: { id: string; kind: string; childCount: number }[]
  nextCursor: string | null
}

/** By page the requests that it sends, as the dashboard does. What the tree shows is found out before. */
export async function requestsOf(server: Server, filled: FilledPages): Promise<Record<string, string[]>> {
  const tree = (query: string) => `/api/tree?limit=${LEVEL}${query}`
  const under = (id: string) => `&under=${encodeURIComponent(id)}`
  const { entries } = await server.get<Level>(tree(''))
  const largest = entries.toSorted((a, b) => b.childCount - a.childCount)[0]?.id ?? ''
  const project = await server.get<Level>(tree(under(largest)))
  const dayAgo = encodeURIComponent(new Date(Date.now() - 86_400_000).toISOString())
  const monthAgo = encodeURIComponent(new Date(Date.now() - 30 * 86_400_000).toISOString())
  const zone = encodeURIComponent('Europe/Berlin')
  const costs = (by: string, more = '') => `/api/costs?by=${by}&timeZone=${zone}${more}`
  const chart = (stack: string, since: string, step = 'day') =>
    `/api/costs/over-time?step=${step}&stack=${stack}&since=${since}&timeZone=${zone}`
  const yearAgo = encodeURIComponent(new Date(Date.now() - 360 * 86_400_000).toISOString())
  const begin = Math.floor(Date.now() / 86_400_000 - 20) * 86_400_000
  const noon = new Date(begin + 43_200_000).toISOString()
  const day = `since=${encodeURIComponent(new Date(begin).toISOString())}&until=${encodeURIComponent(new Date(begin + 86_400_000).toISOString())}`
  const dir = `dir=${encodeURIComponent(filled.dir)}`
  const { session, task, issue } = filled
  return {
    home: [`/api/overview?since=${dayAgo}&limit=${ROWS}`, `/api/fleet`],
    digest: [`/api/digest?since=${dayAgo}`],
    tree: [tree('')],
    treeProject: [tree(''), tree(under(largest))],
    treeNextPage: [tree(`${under(largest)}&cursor=${encodeURIComponent(project.nextCursor ?? '')}`)],
    treeTask: [tree(under(`task:${task}`))],
    treeSession: [tree(under(`session:${session}`))],
    treeRunning: [tree('&status=running'), tree(`&status=running${under(largest)}`)],
    treeFailed: [tree('&status=failed'), tree(`&status=failed${under(largest)}`)],
    treeNeeded: [tree('&needed=true'), tree(`&needed=true${under(largest)}`)],
    treeTitle: [tree('&q=error'), tree(`&q=error${under(largest)}`)],
    treeAgent: [tree('&agent=claude-code'), tree(`&agent=claude-code${under(largest)}`)],
    treeSince: [tree(`&since=${dayAgo}`), tree(`&since=${dayAgo}${under(largest)}`)],
    sessions: [`/api/sessions?limit=${ROWS}`, '/api/session-facets'],
    sessionsByCost: [`/api/sessions?limit=${ROWS}&sort=cost`],
    sessionsFiltered: [
      `/api/sessions?limit=${ROWS}&model=claude-opus-5-5&errors=1..&sort=length`,
      '/api/session-facets?branch=main',
    ],
    session: [
      `/api/sessions/${session}`,
      `/api/sessions/${session}/outcome`,
      `/api/sessions/${session}/tasks`,
      `/api/sessions/${session}/issues`,
      `/api/sessions/${session}/recover`,
      `/api/sessions/${session}/timeline`,
      `/api/sessions/${session}/conversation`,
      `/api/sessions/${session}/todo-list`,
    ],
    tasks: [`/api/tasks?limit=${ROWS}&textLimit=200`],
    tasksFailed: [`/api/tasks?limit=${ROWS}&textLimit=200&status=failed`],
    task: [`/api/tasks/${task}`, `/api/tasks/${task}/tree`, `/api/tasks/${task}/log`, `/api/tasks/costs?id=${task}`],
    issues: [
      `/api/issues?limit=${ROWS}&${dir}`,
      `/api/issues/labels?${dir}`,
      `/api/issues/statuses?${dir}`,
      '/api/issues/trackers',
    ],
    issuesReady: [`/api/issues/ready?${dir}&limit=${LEVEL}`, `/api/issues/blocked?${dir}&limit=${LEVEL}`],
    issue: [
      `/api/issues/${issue}?${dir}`,
      `/api/issues/${issue}/explain?${dir}`,
      `/api/issues/${issue}/history?${dir}`,
    ],
    search: [`/api/search?q=error&limit=20&facets=true&timeZone=${zone}`, '/api/sessions?text=error&limit=20'],
    searchRare: [`/api/search?q=quokka&limit=20&facets=true&timeZone=${zone}`],
    searchThings: ['/api/tasks?text=Task&limit=20&textLimit=200', '/api/issues?text=part&all=true&limit=20'],
    costsByProject: [costs('project')],
    costsByDay: [costs('day')],
    costsByDayOfMonth: [costs('day', `&since=${monthAgo}`)],
    costsByModel: [costs('model')],
    costsByAgent: [costs('agent')],
    costsBySubagent: [costs('subagent')],
    costsBySession: [costs('session')],
    costsByTask: [costs('task')],
    costsByProjectOfMonth: [costs('project', `&since=${monthAgo}`)],
    costsByTaskOfMonth: [costs('task', `&since=${monthAgo}`)],
    costsChart: [chart('model', monthAgo)],
    costsChartByProject: [chart('project', monthAgo)],
    costsChartByPerson: [chart('person', monthAgo)],
    costsChartByPersonOfYear: [chart('person', yearAgo, 'week')],
    day: [`/api/days?${day}`, `/api/days/moment?${day}&at=${encodeURIComponent(noon)}`],
    lanes: ['/api/lanes'],
    budgets: ['/api/budgets'],
    fleet: ['/api/fleet', '/api/agents', `/api/inbox?limit=${ROWS}`],
    doctor: ['/api/doctor'],
    audit: ['/api/audit'],
  }
}
