/** The tools of Lodeline's own MCP server, which runs have under the name `lodeline`. */
export const OWN_TOOLS = [
  'accept-task',
  'await-tasks',
  'cancel-task',
  'claim-issue',
  'claim-task',
  'close-issue',
  'finish-task',
  'get-inbox',
  'get-issue',
  'get-task',
  'inbox-delegate',
  'inbox-reply',
  'join',
  'list-agents',
  'list-tasks',
  'read-messages',
  'ready-issues',
  'reject-task',
  'send-message',
  'send-task',
  'store-progress',
  'update-issue',
  'update-todos',
] as const
export type OwnTool = (typeof OWN_TOOLS)[number]

/** As an agent CLI names them. A whole name: a server called `lodeline__x` has none of these. */
export const isOwnTool = (toolName: string): boolean => OWN_NAMES.has(toolName)

const OWN_NAMES: ReadonlySet<string> = new Set(OWN_TOOLS.map((name) => `mcp__lodeline__${name}`))
