import type { CostRequest, CostStack } from '../../domain/cost/cost'
import { type AgentName, type SessionId, sessionId, type TaskId, taskId } from '../../domain/ids'
import type { ReadContext } from '../sql/read-context'
import type { Projects } from '../tree-levels/projects'

interface Name {
  label: string
  sessionId?: SessionId
  taskId?: TaskId
  agentCli?: AgentName
}

export const NO_NAME = {
  project: 'no project',
  day: 'time not known',
  model: 'no model',
  agent: 'no agent CLI',
  subagent: 'no agent',
  session: 'no session',
  task: 'no task',
  person: 'nobody by name',
} as const satisfies Record<CostRequest['by'] | CostStack, string>

/** What people call the things that rows are of. */
export async function readNames(
  context: ReadContext,
  by: CostRequest['by'] | CostStack,
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
        .select(['id', 'native_id', 'title', 'agent'])
        .where((eb) => capabilities.inKeys(eb.ref('id'), keys))
        .execute()
      return new Map(
        rows.map((row) => [
          row.id,
          { label: row.title ?? row.native_id, sessionId: sessionId(row.native_id), agentCli: row.agent },
        ]),
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
