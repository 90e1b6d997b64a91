import { ownValue } from '../domain/own-value'

/**
 * Other names by which tools are called, and what their arguments are called there: accepted, never listed. A name may begin with `a2a`,
 * and be written with dashes, underscores or capitals.
 */
interface Alias {
  tool: string
  /** Their name of an argument, and ours. */
  fields?: Readonly<Record<string, string>>
}

const TASK = { prompt: 'task', description: 'task', instructions: 'task', text: 'task', message: 'task', name: 'title' }
const AGENT = {
  agent: 'agentId',
  specialist: 'agentId',
  specialistId: 'agentId',
  agentType: 'agentId',
  worker: 'agentId',
}
const ID = { taskId: 'id', subtaskId: 'id', subTaskId: 'id', task: 'id' }
const DONE = {
  result: 'output',
  summary: 'output',
  message: 'output',
  error: 'failureReason',
  reason: 'failureReason',
  taskId: 'id',
}
const WAIT_ALIASES = { taskIds: 'ids', subtaskIds: 'ids', subTaskIds: 'ids', timeoutMs: 'waitMs', timeout: 'waitMs' }
const SAID = {
  message: 'text',
  content: 'text',
  body: 'text',
  recipient: 'to',
  target: 'to',
  sessionId: 'to',
  type: 'kind',
}

const ALIASES: Readonly<Record<string, Alias>> = {
  'spawn-subtask': { tool: 'send-task', fields: { ...TASK, ...AGENT, dependencies: 'dependsOn', async: 'background' } },
  'spawn-task': { tool: 'send-task', fields: { ...TASK, ...AGENT } },
  'create-subtask': { tool: 'send-task', fields: { ...TASK, ...AGENT } },
  'report-completion': { tool: 'finish-task', fields: DONE },
  'complete-task': { tool: 'finish-task', fields: DONE },
  'report-progress': {
    tool: 'store-progress',
    fields: { message: 'progress', status: 'progress', text: 'progress', taskId: 'id' },
  },
  'list-specialists': { tool: 'list-agents' },
  'cancel-subtask': { tool: 'cancel-task', fields: ID },
  'get-subtask': { tool: 'get-task', fields: ID },
  'get-subtask-status': { tool: 'get-task', fields: ID },
  'list-subtasks': { tool: 'list-tasks' },
  'await-subtasks': { tool: 'await-tasks', fields: WAIT_ALIASES },
  'await-subtask': { tool: 'await-tasks', fields: { ...WAIT_ALIASES, taskId: 'ids', subtaskId: 'ids', id: 'ids' } },
  'wait-for-subtasks': { tool: 'await-tasks', fields: WAIT_ALIASES },
  'send-message': { tool: 'send-message', fields: SAID },
  'get-messages': { tool: 'read-messages' },
}

/** Words of others for how a task ended. */
const ENDS: Readonly<Record<string, string>> = {
  success: 'completed',
  succeeded: 'completed',
  done: 'completed',
  complete: 'completed',
  ok: 'completed',
  failure: 'failed',
  error: 'failed',
}

/**
 * The tool that a name means, with its arguments by our names. A tool's own name goes first; a name nobody knows is given back as it
 * came.
 */
export function resolveAlias(
  name: string,
  args: unknown,
  isTool: (name: string) => boolean,
): { name: string; args: unknown } {
  if (isTool(name)) return { name, args }
  const plain = plainName(name)
  const alias = ownValue(ALIASES, plain)
  if (alias === undefined) return isTool(plain) ? { name: plain, args } : { name, args }
  return { name: alias.tool, args: renamed(args, alias) }
}

const plainName = (name: string): string =>
  name
    .slice(0, 100)
    .replace(/^a2a[_-]?/i, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()

/** What is there under our own name stays; of the rest the first that says it counts. */
function renamed(args: unknown, { tool, fields = {} }: Alias): unknown {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return args
  const given = args as Record<string, unknown>
  const ours: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const isTheirs = Object.hasOwn(fields, name) && !(name === 'task' && tool === 'send-task')
    if (!isTheirs) ours[name] = value
  }
  for (const [name, value] of Object.entries(given)) {
    const field = ownValue(fields, name)
    if (field !== undefined && ours[field] === undefined) ours[field] = value
  }
  if (tool === 'finish-task' && typeof ours.status === 'string')
    ours.status = ownValue(ENDS, ours.status.toLowerCase()) ?? ours.status
  if (tool === 'finish-task' && ours.status !== 'failed') delete ours.failureReason
  if (tool === 'await-tasks' && typeof ours.ids === 'string') ours.ids = [ours.ids]
  if (tool === 'await-tasks' && typeof ours.waitAll === 'boolean') {
    ours.mode = ours.waitAll ? 'all' : 'any'
    delete ours.waitAll
  }
  if (tool === 'send-task' && Array.isArray(ours.dependsOn) && ours.dependsOn.length === 0) delete ours.dependsOn
  return ours
}
