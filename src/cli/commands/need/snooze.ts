import { MAX_NEEDS } from '../../../api/contract/protocol'
import { defineCommand } from '../../kit/command'
import { parseMoment } from '../../print/moments'
import { oneLine } from '../../print/text'
import { needNamed } from '../../tasks/need-named'

export const command = defineCommand({
  summary: 'Put off something that needs you until a time',
  details: "It comes back at that time, or as soon as it happens again. You can't snooze a question: answer it.",
  args: [
    {
      name: 'ID',
      help: "the ID that 'lode need list' shows, or a unique prefix of it",
      complete: 'need',
      isRepeated: true,
    },
  ],
  options: {
    until: {
      kind: 'text',
      value: 'TIME',
      help: 'until TIME: 2h (from now), 18:30, 2026-11-20; default: 1h, at most 90d',
    },
  },
  examples: [
    { line: 'lode need snooze t-7f3k9q2m', does: 'put off the failure of a task for an hour' },
    { line: 'lode need snooze 5e551014 --until 9:00 --json', does: 'until nine; JSON: {snoozed, until}' },
  ],
  async run(context, { args, options }) {
    const client = await context.client()
    const until = parseMoment('--until', options.until ?? '1h', context.io.now())
    const { needs } = await client.overview({ limit: MAX_NEEDS }, { signal: context.signal })
    // All are found before the first is put off.
    const found = args.map((id) => needNamed(needs, id))
    for (const need of found) await client.needs.snooze({ id: need.id, until }, { signal: context.signal })
    context.answer({ snoozed: found, until }, () =>
      found.map((need) => `snoozed: ${oneLine(`${need.kind} ${need.title}`)}\n`).join(''),
    )
  },
})
