import { type CallToolResult, Server } from '@modelcontextprotocol/server'
import type { CallerKind } from '../api/contract/callers'
import { AppError, toAppError } from '../domain/errors'
import { toolUseId } from '../domain/ids'
import { LEAD_GUIDANCE } from '../domain/recall/guidance'
import { LEAD_TASK_TYPE } from '../domain/task/task'
import { VERSION } from '../util/version'
import { resolveAlias } from './aliases'
import { callerOf } from './calling-session'
import type { ToolHost } from './host'
import type { Tool } from './tool'
import { acceptTask, claimTask, joinAgents, listAgents, rejectTask } from './tools-agents'
import { INBOX_TOOLS } from './tools-inbox'
import { claimIssue, closeIssue, getIssue, readyIssues, updateIssue } from './tools-issues'
import { awaitTasks, readMessages, sendMessage } from './tools-messages'
import { cancelTask, finishTask, getTask, listTasks, sendTask, storeProgress } from './tools-tasks'
import { updateTodos } from './tools-todos'

const TOOLS: readonly Tool[] = [
  sendTask,
  awaitTasks,
  getTask,
  listTasks,
  cancelTask,
  storeProgress,
  finishTask,
  sendMessage,
  readMessages,
  claimTask,
  acceptTask,
  rejectTask,
  listAgents,
  joinAgents,
  readyIssues,
  getIssue,
  claimIssue,
  updateIssue,
  closeIssue,
  updateTodos,
  ...INBOX_TOOLS,
]

/** The tools that a caller is offered. @param isLeadRun  a run of a task that leads */
export const toolsFor = (caller: CallerKind, isLeadRun = false): readonly Tool[] =>
  TOOLS.filter((tool) => tool.callers.includes(caller) || (isLeadRun && isForLeads(tool)))

const isForLeads = (tool: Tool): boolean => INBOX_TOOLS.some(({ name }) => name === tool.name)

/** Asked when the tools are listed, once for each start of an agent: whether its task leads. */
async function isLeadRun({ caller, taskId, withClient }: ToolHost): Promise<boolean> {
  if (caller !== 'attempt' || taskId === null) return false
  try {
    return (await withClient((client) => client.tasks.get(taskId))).task.taskType === LEAD_TASK_TYPE
  } catch {
    // The tools that every run has are listed in any case.
    return false
  }
}

/** As `tools/list` gives them. */
export function listedTools(caller: CallerKind, isLeadRun = false) {
  return toolsFor(caller, isLeadRun).map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: { type: 'object' as const, ...tool.inputSchema },
    ...(tool.isReadOnly && { annotations: { readOnlyHint: true } }),
    // Claude Code hides tools of servers behind a search; the few that every run needs stand in the open.
    ...(tool.isAlwaysShown && { _meta: { 'anthropic/alwaysLoad': true } }),
  }))
}

/** A run is guided by the text at its session's start, which comes again where it is needed; others by these instructions. */
const RUN_INSTRUCTIONS =
  'Lodeline: you work on one of its tasks. `store-progress` at milestones, `finish-task` once at the end, `send-task` for work of others.'

/** The protocol's server for one caller; it keeps nothing but what `host` keeps. */
export function createMcpServer(host: ToolHost): Server {
  const server = new Server(
    { name: 'lodeline', version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: host.caller === 'attempt' ? RUN_INSTRUCTIONS : LEAD_GUIDANCE,
    },
  )
  server.setRequestHandler('tools/list', async () => ({ tools: listedTools(host.caller, await isLeadRun(host)) }))
  server.setRequestHandler('tools/call', ({ params }) => callTool(host, params.name, params.arguments, params._meta))
  return server
}

/** Runs a tool. What goes wrong is an answer that the model can act on, never an error of the protocol. */
export async function callTool(
  process: ToolHost,
  name: string,
  given: unknown,
  meta: Record<string, unknown> | undefined,
): Promise<CallToolResult> {
  const { host, args } = callerOf(process, given, meta)
  try {
    // Whether a run leads is the server's to say: it refuses what it may not.
    const tools = toolsFor(host.caller, host.caller === 'attempt')
    const meant = resolveAlias(name, args, (word) => tools.some((one) => one.name === word))
    const tool = tools.find((one) => one.name === meant.name)
    if (tool === undefined) {
      const hint = `There are: ${tools.map((one) => one.name).join(', ')}.`
      throw new AppError('not_found', `There is no tool ${JSON.stringify(name.slice(0, 100))}.`, { hint })
    }
    // Names in Claude Code and in Codex.
    const id = meta?.['claudecode/toolUseId'] ?? meta?.callId
    const isId = typeof id === 'string' && /^[\w-]{1,100}$/.test(id)
    const text = await host.withClient((client, folder) =>
      tool.run(meant.args, { host, client, folder, toolUseId: isId ? toolUseId(id) : null }),
    )
    return { content: [{ type: 'text', text }] }
  } catch (thrown) {
    return { isError: true, content: [{ type: 'text', text: errorText(thrown) }] }
  }
}

function errorText(thrown: unknown): string {
  const { code, message, hint } = toAppError(thrown)
  if (code === 'internal') return 'Lodeline could not do that (internal). Trying again may work.'
  return `${message} (${code})${hint === undefined ? '' : `\nHint: ${hint}`}`
}
