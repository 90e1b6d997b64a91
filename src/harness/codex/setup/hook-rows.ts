/** What `lode setup codex` puts into `hooks.json` of Codex: which events, with which command. */
import type { HookRow } from '../../../domain/harness/harness-setup'

/** Seconds that the CLI gives a hook of ours before it goes on without it. */
const TIMEOUT_SECONDS = 10
/** The CLI gives no more to hooks of these events (0.169), and says so in each session that asks for more. */
const SHORT_SECONDS = 3
const SHORT_EVENTS: ReadonlySet<string> = new Set(['SessionEnd', 'Interrupt'])

/** Each event, and whether its hook tells the agent something. What rollouts say as well needs no hook. */
const HOOK_EVENTS: readonly { name: string; answers: boolean }[] = [
  // After a compaction it comes again, with source `compact`: what a PreCompact or PostCompact hook says reaches no model.
  { name: 'SessionStart', answers: true },
  { name: 'UserPromptSubmit', answers: true },
  { name: 'Stop', answers: true },
  { name: 'PermissionRequest', answers: false },
  { name: 'Interrupt', answers: false },
  { name: 'SessionEnd', answers: false },
]

/** @param lode  the program as one shell word, with the options that every call has */
export const hookRows = (lode: string): HookRow[] =>
  HOOK_EVENTS.map(({ name, answers }) => ({
    event: name,
    command: `${lode} hook --agent codex${answers ? ' --answer' : ''}`,
  }))

/** A row as it stands in the file, within its event. */
export function groupOf({ event, command }: HookRow): Record<string, unknown> {
  const timeout = SHORT_EVENTS.has(event) ? SHORT_SECONDS : TIMEOUT_SECONDS
  // 0 = whole: else the CLI cuts a text above 2,500 tokens in its middle.
  return { hooks: [{ type: 'command', command, timeout, additionalContextLimit: 0 }] }
}
