import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

/** How long a test is waited for, in milliseconds: a try may take 15 seconds, and begins within two. */
const TEST_WAIT_MS = 20_000
/** Milliseconds between two looks at the log. */
const LOG_LOOK_MS = 200

export const command = defineCommand({
  summary: 'Send a test notification to a channel, and show the result',
  args: [{ name: 'NAME', help: "the channel's name", complete: 'channel' }],
  examples: [{ line: 'lode notify test phone', does: 'see whether your phone rings' }],
  async run(context, { args: [name = ''] }) {
    const client = await context.client()
    const { notificationId } = await client.notify.test(name)
    const end = context.io.now() + TEST_WAIT_MS
    for (;;) {
      const { notifications } = await client.notify.log({ channel: name })
      const sent = notifications.find(({ id }) => id === notificationId)
      if (sent?.status === 'sent') {
        context.answer({ notification: sent }, () => oneLine(`${name} took the test`).concat('\n'))
        return
      }
      if (sent?.status === 'failed')
        throw new AppError('unavailable', `${name} did not take the test: ${sent.error ?? 'no reason is known'}.`, {
          hint: `Run \`lode notify list\` to see where it leads.`,
        })
      if (context.io.now() > end)
        throw new AppError('unavailable', 'Nobody sent the test: no server is running.', {
          hint: 'Start one with `lode up`. The test is sent then.',
        })
      await Bun.sleep(LOG_LOOK_MS)
    }
  },
})
