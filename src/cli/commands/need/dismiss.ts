import { MAX_NEEDS } from '../../../api/contract/protocol'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { type NeedOfApi, needNamed } from '../../tasks/need-named'

export const command = defineCommand({
  summary: 'Take something off the list of what needs you, until it happens again',
  details:
    "Nothing else changes: a failed task stays failed, an unread result unread. You can't dismiss a question: answer it.",
  args: [
    {
      name: 'ID',
      help: "the ID that 'lode need list' shows, or a unique prefix of it",
      complete: 'need',
      isRepeated: true,
    },
  ],
  examples: [
    { line: 'lode need dismiss t-7f3k9q2m', does: 'take the failure of a task off the list' },
    { line: 'lode need dismiss 5e551014 --json', does: 'the same for a session; JSON: {dismissed}' },
  ],
  async run(context, { args }) {
    const client = await context.client()
    const { needs } = await client.overview({ limit: MAX_NEEDS }, { signal: context.signal })
    // All are found before the first is taken off.
    const found = args.map((id) => needNamed(needs, id))
    const dismissed: NeedOfApi[] = []
    for (const need of found) {
      await client.needs.dismiss({ id: need.id }, { signal: context.signal })
      dismissed.push(need)
    }
    context.answer({ dismissed }, () =>
      dismissed.map((need) => `dismissed: ${oneLine(`${need.kind} ${need.title}`)}\n`).join(''),
    )
  },
})
