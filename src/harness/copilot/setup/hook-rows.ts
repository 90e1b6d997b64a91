/** What `lode setup copilot` puts into a file of hooks of Copilot CLI: which events, with which command. */
import type { HookRow } from '../../../domain/harness/harness-setup'

/** Seconds that the CLI gives a hook of ours before it goes on without it. */
const TIMEOUT_SECONDS = 10

/**
 * In PascalCase: in camelCase, the payload does not name its event (1.0.102). What the session's file says as well needs no hook, and the
 * end of a session is reported after each turn where the CLI is driven by another program.
 */
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'Stop'] as const

/** @param lode  the program as one shell word, with the options that every call has */
export const hookRows = (lode: string): HookRow[] =>
  EVENTS.map((event) => ({ event, command: `${lode} hook --agent copilot --answer` }))

/** A row as it stands in the file, within its event. */
export const groupOf = ({ command }: HookRow): Record<string, unknown> => ({
  hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS }],
})
