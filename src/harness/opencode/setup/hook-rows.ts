import type { HookRow } from '../../../domain/harness/harness-setup'

/**
 * What our plugin does at which hook of the CLI, as rows.
 *
 * @param lode  the program as one shell word, with the options that every call has
 */
export const hookRows = (lode: string): HookRow[] => [
  { event: 'chat.message', command: `${lode} hook --agent opencode --answer` },
  { event: 'experimental.chat.system.transform', command: `${lode} hook --agent opencode --answer` },
  { event: 'config', command: `${lode} mcp` },
]
