import { AppError } from '../../domain/errors'
import { pageOf } from '../kit/arguments/page-of'
import { defineCommand } from '../kit/command'
import { connectServer } from '../kit/connect'
import { openBrowser } from '../server/open-browser'
import { loginAddress } from '../server/open-dashboard'

export const command = defineCommand({
  summary: 'Open the dashboard in the browser and log in',
  details: [
    'Creates a one-time code that is valid for two minutes and opens the page with it. The browser exchanges the code for a cookie',
    'that lasts 30 days. To log in from another browser or machine, use the printed address and code.',
  ].join('\n'),
  args: [
    {
      name: 'PATH|ID',
      help: 'a page path, or the ID of a session, task or issue (default: the home page)',
      isOptional: true,
    },
  ],
  options: {
    print: { kind: 'flag', help: 'print the address and code without opening a browser' },
  },
  examples: [
    { line: 'lode open', does: 'open the home page' },
    { line: 'lode open t-7f3k9q2m', does: "open the task's page; session and issue IDs work too" },
    { line: "lode open '/issues?view=board' --print", does: 'print an address to open elsewhere' },
  ],
  async run(context, { args: [named], options }) {
    const { io, globals } = context
    const server = await connectServer(context)
    if (server === null) {
      throw new AppError('unavailable', 'No server is running here, and the dashboard needs one.', {
        hint: "Start one with 'lode up', or name one with --server URL.",
      })
    }
    const page = named === undefined ? '/' : await pageOf(named, server.client)
    const { url, elsewhere, code, expiresAt } = await loginAddress(context, server, page)
    const isPrinted = options.print || globals.isJson
    const isOpened = !isPrinted && (await openBrowser(url, context.config().home, io))
    if (!isOpened && !isPrinted) context.note("couldn't open a browser; open the address yourself.")
    // The browser that was opened uses its code up: any other gets one of its own.
    const other = isOpened ? (await loginAddress(context, server, page)).code : code
    context.answer({ url, code, expiresAt }, () =>
      [
        isOpened ? `opened ${server.url}${page}\n` : `${url}\n`,
        `  elsewhere  ${elsewhere}\n`,
        `  code       ${other} (valid once, for two minutes)\n`,
      ].join(''),
    )
    return undefined
  },
})
