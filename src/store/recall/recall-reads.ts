import { sql } from 'kysely'
import type { RecallReads } from '../../domain/recall/recall'
import type { Program, Query } from '../sql/program'
import type { ReadContext } from '../sql/read-context'
import { changes } from './recall-changes'
import { company, left } from './recall-company'
import { sessionFacts } from './recall-facts'
import { issueOf, readyIssues } from './recall-issues'
import { subagentFacts } from './recall-subagent'

/** The store's way to what `recall-facts.ts` reads, on both databases. */
export function recallReads({ db }: ReadContext): RecallReads {
  const answer = async ({ sql: text, params }: Query): Promise<unknown> => {
    const parts = text.split('?')
    const query = sql(Object.assign(parts, { raw: parts }), ...params)
    return (await query.execute(db)).rows
  }
  async function drive<T>(program: Program<T>): Promise<T> {
    let step = program.next()
    while (!step.done) step = program.next(await answer(step.value))
    return step.value
  }
  return {
    session: (id) => drive(sessionFacts(id)),
    subagent: (...call) => drive(subagentFacts(...call)),
    issue: (...call) => drive(issueOf(...call)),
    company: (...call) => drive(company(...call)),
    left: (...call) => drive(left(...call)),
    changes: (...call) => drive(changes(...call)),
    ready: (folder, limit) => drive(readyIssues(folder, limit)),
  }
}
