import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { connectServer } from '../connect'
import { openBrowser } from '../open-browser'
import { pageOf } from '../page-of'

export const command = defineCommand({
  summary: 'Open the dashboard in the browser, logged in',
  details: [
    'Makes a code that is good once and for two minutes, and opens the page with it; the code is exchanged for a cookie that lasts 30',
    'days. Another browser, on another machine too, comes in with the printed address and code.',
  ].join('\n'),
  args: [
    {
      name: 'PATH|ID',
      help: 'a page by its path, or what a session, task or issue is called (default: the first page)',
      isOptional: true,
    },
  ],
  options: {
    print: { kind: 'flag', help: 'open nothing, only print the address and the code' },
  },
  examples: [
    { line: 'lode open', does: 'what needs you, what runs and what finished' },
    { line: 'lode open t-7f3k9q2m', does: "that task's page; a session's or an issue's id leads to its own" },
    { line: "lode open '/issues?view=board' --print", does: 'the address, to be opened elsewhere' },
  ],
  async run(context, { args: [named], options }) {
    const { io, globals } = context
    const server = await connectServer(context)
    if (server === null) {
      throw new AppError('unavailable', 'No server runs here, and the dashboard is served by one.', {
        hint: "Start one with 'lode up', or name one with --server URL.",
      })
    }
    const page = named === undefined ? '/' : await pageOf(named, server.client)
    const made = await server.client.login.code({ signal: context.signal })
    const { code, expiresAt } = made
    // Behind `#`: no server, log or proxy ever sees the code.
    const url = `${server.url}${made.path}#code=${code}&to=${encodeURIComponent(page)}`
    const isPrinted = options.print || globals.isJson
    const isOpened = !isPrinted && (await openBrowser(url, io))
    if (!isOpened && !isPrinted) context.note('no browser could be opened here; open the address in one yourself.')
    // The browser that was opened uses its code up: any other gets one of its own.
    const other = isOpened ? (await server.client.login.code({ signal: context.signal })).code : code
    context.answer({ url, code, expiresAt }, () =>
      [
        isOpened ? `opened ${server.url}${page}\n` : `${url}\n`,
        `  elsewhere  ${(made.url ?? server.url) + made.path}\n`,
        `  code       ${other} (good once, for two minutes)\n`,
      ].join(''),
    )
    return undefined
  },
})
