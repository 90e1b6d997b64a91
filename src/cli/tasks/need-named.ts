import type { Answers } from '../../api/contract/operations'
import { AppError } from '../../domain/errors'
import { quote } from '../kit/arguments/parse-args'
import { subjectOf } from '../views/need-views'

export type NeedOfApi = Answers['overview']['needs'][number]

/** The need that a person names, by its own ID or by that of what it is about. A question is none: it is answered.
 *
 * @throws `not_found` `conflict` when several begin so, `invalid` for a question
 */
export function needNamed(needs: readonly NeedOfApi[], id: string): NeedOfApi {
  const found = needs.filter((need) => id !== '' && [subjectOf(need), need.id].some((name) => name.startsWith(id)))
  const [first] = found
  if (first === undefined)
    throw new AppError('not_found', `Nothing that needs you has the ID ${quote(id)}.`, {
      hint: "Run 'lode need list' to see what does.",
    })
  if (found.length > 1)
    throw new AppError('conflict', `${found.length} things that need you begin with ${quote(id)}.`, {
      hint: `Name one: ${found.map((need) => need.id).join(', ')}.`,
    })
  if (!first.canDismiss)
    throw new AppError('invalid', 'A question is answered, not dismissed or snoozed.', {
      hint: first.command === null ? "Run 'lode question list'." : `Run '${first.command}'.`,
    })
  return first
}
