import { type Program, run } from '../sql/program'

/**
 * Removes what is known of an address whose session is forgotten. Its messages' rows stay, since others answer to them and their positions
 * are readers' cursors; what they say goes.
 */
export function* forgetAddress(id: string): Program<void> {
  yield* run(
    `update messages set status = 'withdrawn' where to_address = ? and status in ('produced', 'queued', 'delivered')`,
    id,
  )
  yield* run(`update messages set text = '', evidence = null where to_address = ?`, id)
  yield* run('delete from registrations where address = ?', id)
  yield* run('delete from attachments where address = ?', id)
  yield* run('delete from address_aliases where alias = ?', id)
}
