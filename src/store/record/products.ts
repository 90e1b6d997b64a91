import type { ProductRow } from '../../domain/record/record-store'
import { type Program, run } from '../sql/program'

const INSERT = `insert into session_products (session_id, kind, name, title, at) values (?, ?, ?, ?, ?)
  on conflict (session_id, kind, name) do update set title = excluded.title, at = excluded.at where excluded.at < session_products.at`

/** Keeps what outputs show to have been made; of one that is shown twice the first time counts. */
export function* addProducts(products: ProductRow[]): Program<void> {
  for (const { sessionKey, kind, name, title, at } of products) yield* run(INSERT, sessionKey, kind, name, title, at)
}
