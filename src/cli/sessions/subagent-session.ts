/** The option that picks one of several sub-agents with the same id. */
export const SUBAGENT_SESSION = {
  kind: 'text',
  short: 's',
  value: 'ID',
  complete: 'session',
  help: 'its session, if several sessions have a sub-agent with this ID',
} as const
