/** The option by which a sub-agent is told from others of its id. */
export const SUBAGENT_SESSION = {
  kind: 'text',
  short: 's',
  value: 'ID',
  help: 'its session, where several sessions have such a sub-agent',
} as const
