import type { MergeRow, ProductRow } from '../../domain/record/record-store'
import { type Program, run } from '../sql/program'

const INSERT = `insert into session_products (session_id, kind, name, title, at) values (?, ?, ?, ?, ?)
  on conflict (session_id, kind, name) do update set title = excluded.title, at = excluded.at where excluded.at < session_products.at`

/** Keeps what outputs show to have been made; of one that is shown twice the first time counts. */
export function* addProducts(products: ProductRow[]): Program<void> {
  for (const { sessionKey, kind, name, title, at } of products) yield* run(INSERT, sessionKey, kind, name, title, at)
}

const INSERT_MERGE = `insert into request_merges (session_id, request, tool_use_id, project_id, at)
  select s.id, ?, ?, s.project_id, ? from sessions s where s.id = ?
  on conflict (session_id, request, tool_use_id) do update set project_id = excluded.project_id, at = excluded.at
    where excluded.at < request_merges.at`

/** Keeps what says that requests were merged; of what says it twice the first time counts. */
export function* addMerges(merges: MergeRow[]): Program<void> {
  for (const { sessionKey, request, toolUseId, at } of merges)
    yield* run(INSERT_MERGE, request, toolUseId, at, sessionKey)
}
