import { NOTIFY_LIMITS } from '../../../domain/notify/notify'
import { defineCommand } from '../../kit/command'
import { notificationTable } from '../../views/notify-views'

export const command = defineCommand({
  summary: 'Show what was sent to the channels, newest first',
  args: [{ name: 'NAME', help: 'only this channel', complete: 'channel', isOptional: true }],
  options: {
    limit: { kind: 'number', value: 'N', min: 1, max: NOTIFY_LIMITS.log, fallback: 50, help: 'show at most this many' },
  },
  examples: [{ line: 'lode notify log phone', does: 'what your phone got, and what it did not get and why' }],
  async run(context, { args: [channel], options: { limit } }) {
    const answer = await (await context.client()).notify.log({ limit, ...(channel !== undefined && { channel }) })
    const { now, columns } = context.io
    context.answer(answer, () => notificationTable(answer.notifications, { now: now(), columns }))
    if (!context.globals.isJson && answer.notifications.length === 0) context.note('no notifications yet.')
  },
})
