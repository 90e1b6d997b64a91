import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { connectServer } from '../../kit/connect'
import { localTime } from '../../print/measures'
import { spanOption } from '../../server/token-options'
import { RANGE_OPTIONS, rangeOf } from '../../sessions/range-options'
import { maskedLines } from '../../views/session/document-view'

export const command = defineCommand({
  summary: 'Make a read-only link to a session, a range of its turns, or two sessions compared',
  details: [
    'The link expires. It shows one session or two, read-only, and nothing that was said after the link was made. Secrets of a known form are',
    'masked; the command says which. The link is no login. Whoever can reach the server and has the link sees the page.',
  ].join('\n'),
  args: [{ name: 'SESSION', help: "the session's ID, or a unique prefix of it", complete: 'session' }],
  options: {
    ...RANGE_OPTIONS,
    beside: { kind: 'text', value: 'SESSION', complete: 'session', help: 'another session: the link compares both' },
    expires: { kind: 'text', value: 'SPAN', help: 'how long it works, such as 12h or 30d (default: 7d, at most 90d)' },
  },
  examples: [
    { line: 'lode share create 3f2a9c1e', does: 'a link to the whole session, for a week' },
    { line: 'lode share create 3f2a9c1e --from 4 --until 6 --expires 1d', does: 'turns 4 to 6, for a day' },
    { line: 'lode share create 3f2a9c1e --beside 7bd01c44', does: 'a link to what the two came to, side by side' },
  ],
  async run(context, { args: [id = ''], options }) {
    const server = await connectServer(context)
    if (server === null)
      throw new AppError('unavailable', 'No server is running here, and a link needs one that shows the session.', {
        hint: "Start one with 'lode up', or write a file with 'lode session export ID --html'.",
      })
    const { client } = server
    const { share, path, url } = await client.shares.create({
      sessionId: id,
      ...rangeOf(options),
      ...(options.beside !== undefined && { besideId: options.beside }),
      ...spanOption(options.expires),
    })
    const { sessionId, from, until, besideId } = share
    const { masked } = await client.sessions.document(sessionId, {
      format: 'md',
      ...(besideId === null ? { from: `${from}`, until: `${until}` } : { besideId }),
    })
    const link = `${url ?? server.url}${path}`
    context.answer({ share, url: link, masked }, () => `${link}\n`)
    if (context.globals.isJson) return
    for (const line of maskedLines(masked)) context.note(line)
    context.note(`it works until ${localTime(share.expiresAt) ?? ''}; 'lode share revoke ${share.id}' ends it before.`)
    if (url === null) context.note("only browsers of this machine reach that address: see 'listen.host'.")
  },
})
