import type { Answers } from '../../../api/contract/operations'
import { MAX_NEEDS } from '../../../api/contract/protocol'
import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { quote } from '../../kit/parse-args'
import { oneLine } from '../../print/text'
import { subjectOf } from '../../views/need-views'

export const command = defineCommand({
  summary: 'Take something off the list of what needs you, until it happens again',
  details: 'Nothing else changes: a failed task stays failed, an unread result unread. A question is answered instead.',
  args: [{ name: 'ID', help: "the ID that 'lode need list' shows, or a unique prefix of it", isRepeated: true }],
  examples: [
    { line: 'lode need dismiss t-7f3k9q2m', does: 'take the failure of a task off the list' },
    { line: 'lode need dismiss 5e551014 --json', does: 'the same for a session; JSON: {dismissed}' },
  ],
  async run(context, { args }) {
    const client = await context.client()
    const { needs } = await client.overview({ limit: MAX_NEEDS }, { signal: context.signal })
    // All are found before the first is taken off.
    const found = args.map((id) => needNamed(needs, id))
    const dismissed: Need[] = []
    for (const need of found) {
      await client.needs.dismiss({ id: need.id }, { signal: context.signal })
      dismissed.push(need)
    }
    context.answer({ dismissed }, () =>
      dismissed.map((need) => `dismissed: ${oneLine(`${need.kind} ${need.title}`)}\n`).join(''),
    )
  },
})

type Need = Answers['overview']['needs'][number]

/** @throws `not_found` `conflict` when several begin so, `invalid` for a question */
function needNamed(needs: readonly Need[], id: string): Need {
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
    throw new AppError('invalid', 'A question is answered, not dismissed.', {
      hint: first.command === null ? "Run 'lode question list'." : `Run '${first.command}'.`,
    })
  return first
}
