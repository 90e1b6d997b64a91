import type { MentionRow } from '../../domain/record/record-store'
import { type Program, run } from '../sql/program'

const INSERT = `insert into session_mentions (session_id, source, place, word, at) values (?, ?, ?, ?, ?)
  on conflict (session_id, source, place, word) do update set at = excluded.at where excluded.at < session_mentions.at`

/** Keeps which words name an issue where; the first time counts when one comes twice. */
export function* addMentions(mentions: MentionRow[]): Program<void> {
  for (const { sessionKey, source, place, words, at } of mentions)
    for (const word of words) yield* run(INSERT, sessionKey, source, place, word, at)
}
