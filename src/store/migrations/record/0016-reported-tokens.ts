/** What the CLI reported of a sub-agent's tokens, for those whose own lines never came, and which these are. */
import type { Migration } from '../migration'

const up = ({ int }: { int: string }): string[] => [
  `alter table subagents add column reported_tokens ${int}`,
  // Few of many: each sum over sessions asks for them.
  `create index subagents_unseen on subagents (session_id) where kind = 'agent' and event_count = 0`,
]

const down = (): string[] => ['drop index subagents_unseen', 'alter table subagents drop column reported_tokens']

export const reportedTokensMigration: Migration = { number: 16, name: 'reported-tokens', up, down }
