import { defineCommand } from '../command'
import { LISTEN_OPTIONS, listenConfig, serverPrinter, startServer } from '../start-server'

export const command = defineCommand({
  summary: 'Start Lodeline here: server, collector, worker and database, until Ctrl-C',
  details: [
    'Records everything that Claude Code does and has done on this machine, runs tasks (unless worker.enabled is false), and answers',
    'the other commands.',
    'When a server runs on this folder already, says so and ends well.',
  ].join('\n'),
  options: {
    demo: {
      kind: 'flag',
      help: 'a story to watch: the real Claude Code CLI with a scripted model, on a record of its own, no key needed',
    },
    brief: { kind: 'flag', help: 'with --demo: no pauses, and end after the proof instead of staying up' },
    ...LISTEN_OPTIONS,
  },
  hasJson: false,
  examples: [
    { line: 'lode up', does: 'record this machine; the address and what to try next are shown' },
    { line: 'lode up --demo', does: 'see what it does, without touching your own record' },
    { line: 'lode up --port 0', does: 'on any free port' },
  ],
  async run(context, { options }) {
    if (!options.demo) return startServer(context, 'up', options)
    const { io } = context
    const config = listenConfig(context, options)
    const [{ runDemonstration }, { sessionTree }, { taskTree }, { programName }] = await Promise.all([
      import('../../app/up'),
      import('../views/session-tree'),
      import('../views/task-tree'),
      import('../program-name'),
    ])
    return runDemonstration(
      config,
      {
        // Not cut where there is no terminal: a log keeps whole lines.
        drawTree: (session, tree) => sessionTree(session, tree, { now: io.now(), columns: io.columns }),
        drawTasks: (root) => taskTree(root, { now: io.now(), columns: io.columns }),
        isTty: io.isTerminal,
        program: programName(io.cwd),
        pace: options.brief ? 0 : 1,
        isBrief: options.brief,
        ...(io.isTerminal && {
          openPage: async (url: string) => (await import('../open-browser')).openBrowser(url, io),
        }),
      },
      { signal: context.signal, print: serverPrinter(context) },
    )
  },
})
