/** The option by which a sub-agent is told from others of its id. */
export const SUBAGENT_SESSION = {
  kind: 'text',
  short: 's',
  value: 'ID',
  complete: 'session',
  help: 'its session, if several sessions have a sub-agent with this ID',
} as const
