/** The programs that hold conversations: Claude Code, Codex and so on. */
import { EVERYONE } from '../callers'
import { json, noun } from '../operation'

export const agentClis = noun('agentClis', {
  list: {
    method: 'GET',
    path: '/api/agent-clis',
    access: EVERYONE,
    summary: 'List agent CLIs: which are recorded, which can run, and where their conversations can continue',
    answer: json((schemas) => schemas.AgentCliList),
  },
})
