import type { CostReads, CostRequest, CostRow, Costs } from '../../domain/cost'
import { type SessionId, sessionId, type TaskId, taskId } from '../../domain/ids'
import { estimateOf } from '../../domain/price'
import { checkLimit } from '../cursor'
import { isoTime, type ReadContext } from '../read-context'
import { type Projects, readProjects } from '../tree-levels/projects'
import { modelUsage } from '../usage-totals'
import { messagesOf } from './conditions'
import { groupMessages, keyOf } from './groups'
import { GrowingCosts } from './message-sums'
import { readCostsOf } from './task-costs'
import { readTaskSpans } from './task-spans'

/** Names of models that an answer tells: they are strangers' words. */
const MOST_UNPRICED = 100

/** Sums up usage by message. For `sum` all messages are gone through: on SQLite in the thread for long reads. */
export function costReads(context: ReadContext): CostReads {
  return { sum: (request) => sumCosts(context, request), ofTasks: (ids) => readCostsOf(context, ids) }
}

async function sumCosts(context: ReadContext, request: CostRequest): Promise<Costs> {
  const { by } = request
  const limit = checkLimit(request.limit)
  const needsSpans = by === 'task' || request.taskId !== undefined
  const facts = {
    projects: await readProjects(context),
    spans: needsSpans ? await readTaskSpans(context) : new Map(),
  }
  const grouped = await groupMessages(context, request, await messagesOf(context, request, facts), facts)
  const growing = new Map<string | number | null, GrowingCosts>()
  const total = new GrowingCosts()
  const unpriced = new Set<string>()
  const estimated = new Set<string>()
  for (const row of grouped) {
    let own = growing.get(row.of)
    if (own === undefined) {
      own = new GrowingCosts()
      growing.set(row.of, own)
    }
    const cost = estimateOf(modelUsage(row))
    if (cost?.isEstimate === true) estimated.add(row.model)
    own.add(row, () => cost?.costUsd ?? null)
    if (!total.add(row, () => cost?.costUsd ?? null)) unpriced.add(row.model)
  }
  const sorted = [...growing].map(([of, costs]) => ({ of, costs, ...costs.sums() }))
  sorted.sort(by === 'day' ? newestFirst : dearestFirst)
  const shown = sorted.slice(0, limit)
  const names = await readNames(
    context,
    by,
    shown.map(({ of }) => of),
    facts.projects,
  )
  return {
    by,
    rows: shown.map(({ of, costs, usage, costUsd, messages }): CostRow => {
      const name = names.get(of)
      const key = name?.sessionId ?? name?.taskId ?? keyOf(by, of)
      return {
        key,
        label: name?.label ?? NO_NAME[by],
        sessionId: name?.sessionId ?? null,
        taskId: name?.taskId ?? null,
        lastAt: isoTime(costs.lastAt),
        usage,
        costUsd,
        messages,
      }
    }),
    total: total.sums(),
    unpriced: [...unpriced].sort().slice(0, MOST_UNPRICED),
    estimated: [...estimated].sort().slice(0, MOST_UNPRICED),
    isCut: sorted.length > limit,
  }
}

type Sorted = { of: string | number | null; costs: GrowingCosts; costUsd: number | null }

const dearestFirst = (a: Sorted, b: Sorted): number =>
  (b.costUsd ?? -1) - (a.costUsd ?? -1) || b.costs.tokens - a.costs.tokens || (String(a.of) < String(b.of) ? -1 : 1)

/** Days beyond the year 9999 are written with a sign. */
const newestFirst = (a: Sorted, b: Sorted): number => dayNumber(b.of) - dayNumber(a.of)
const dayNumber = (day: Sorted['of']): number => (day === null ? Number.NEGATIVE_INFINITY : Date.parse(String(day)))

interface Name {
  label: string
  sessionId?: SessionId
  taskId?: TaskId
}

const NO_NAME = {
  project: 'no project',
  day: 'time not known',
  model: 'no model',
  subagent: 'no agent',
  session: 'no session',
  task: 'no task',
} as const satisfies Record<CostRequest['by'], string>

/** What people call the things that rows are of. */
async function readNames(
  context: ReadContext,
  by: CostRequest['by'],
  all: readonly (string | number | null)[],
  projects: Projects,
): Promise<Map<string | number | null, Name>> {
  const keys = all.filter((of): of is number => typeof of === 'number')
  const texts = all.filter((of): of is string => typeof of === 'string')
  const { db, capabilities } = context
  switch (by) {
    case 'session': {
      const rows = await db
        .selectFrom('sessions')
        .select(['id', 'native_id', 'title'])
        .where((eb) => capabilities.inKeys(eb.ref('id'), keys))
        .execute()
      return new Map(
        rows.map((row) => [row.id, { label: row.title ?? row.native_id, sessionId: sessionId(row.native_id) }]),
      )
    }
    case 'task': {
      const rows = await db
        .selectFrom('tasks')
        .select(['id', 'public_id', 'title'])
        .where((eb) => capabilities.inKeys(eb.ref('id'), keys))
        .execute()
      return new Map(rows.map((row) => [row.id, { label: row.title, taskId: taskId(row.public_id) }]))
    }
    case 'project':
      return new Map(texts.map((key) => [key, { label: projects.groups.get(key)?.name ?? NO_NAME.project }]))
    case 'subagent':
      return new Map(texts.map((key) => [key, { label: agentLabel(key) }]))
    default:
      return new Map(texts.map((text) => [text, { label: text }]))
  }
}

function agentLabel(key: string): string {
  if (key === 'main') return 'main thread'
  if (key === 'internal') return "the CLI's own"
  const [kind, ...type] = key.split(':')
  return type.join(':') || `${kind} of no known type`
}
