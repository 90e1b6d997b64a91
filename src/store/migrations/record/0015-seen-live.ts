/** Which sessions this installation saw at work, and which it knows as history alone: that one asks nothing of anybody. */
import type { Migration } from '../migration'

const up = ({ int }: { int: string }): string[] => [
  `alter table sessions add column live_at ${int}`,
  // For existing rows: as they are separated from now on, with the same minute (domain/session/session-status.ts).
  `update sessions set live_at = coalesce(process_at, file_grew_at)
    where process_state = 'alive' or file_grew_at - last_event_at <= 60000`,
]

const down = (): string[] => ['alter table sessions drop column live_at']

export const seenLiveMigration: Migration = { number: 15, name: 'seen-live', up, down }
