import type { OptionSpec } from './specs'

/** Option of every command that tells of sessions of several agent CLIs; see `docs/guide/agents.md`. The server says which there are. */
export const AGENT_CLI = {
  kind: 'text',
  value: 'NAME',
  help: 'only sessions of this agent CLI: claude-code, codex, gemini and so on',
} as const satisfies OptionSpec
