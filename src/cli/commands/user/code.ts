import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { connectServer } from '../../kit/connect'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Print a link that logs a person in, in one browser, once',
  details: [
    'Send the link to the person. It works once and for 24 hours. Whoever opens it first is logged in as that person for 30 days, so',
    'send it where nobody else can read it.',
  ].join('\n'),
  args: [{ name: 'NAME', help: "the person's name", complete: 'user' }],
  examples: [{ line: 'lode user code Ada', does: 'a link for Ada' }],
  async run(context, { args: [name = ''] }) {
    const server = await connectServer(context)
    if (server === null)
      throw new AppError('unavailable', 'No server is running here, and a browser needs one to log in.', {
        hint: "Start one with 'lode up', or name one with --server URL.",
      })
    const { code, path, url, expiresAt } = await server.client.users.code(name)
    // Behind `#`: no server, log or proxy ever sees the code.
    const link = `${url ?? server.url}${path}#code=${code}`
    context.answer({ name, url: link, code, expiresAt }, () => `${link}\n`)
    if (context.globals.isJson) return
    context.note(oneLine(`the link is valid once, for 24 hours, and logs in as ${name}.`))
    if (url === null) context.note("only browsers of this machine reach that address: see 'listen.host'.")
  },
})
