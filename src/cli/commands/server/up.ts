import { BEGIN_OPTIONS, begin } from '../../first/begin'
import { defineCommand } from '../../kit/command'
import { LISTEN_OPTIONS, listenConfig, serverPrinter } from '../../server/start-server'

export const command = defineCommand({
  summary: 'Start the server, collector, worker and database until Ctrl-C',
  details: [
    'Records the conversations of all agent CLIs on this machine, old ones included. Runs tasks (unless worker.enabled is false), and',
    'answers the other commands.',
    'If a server is already running for this folder, prints its address and exits with 0.',
  ].join('\n'),
  options: {
    demo: {
      kind: 'flag',
      help: 'run a demo: the real Claude Code CLI with a scripted model and its own record; needs no API key',
    },
    brief: { kind: 'flag', help: 'with --demo: skip the pauses and exit after the proof' },
    'no-worker': {
      kind: 'flag',
      help: "run no tasks in this process; 'lode work' runs them beside it, as in a service",
    },
    ...BEGIN_OPTIONS,
    ...LISTEN_OPTIONS,
  },
  hasJson: false,
  examples: [
    { line: 'lode up', does: 'record this machine and show the address and next steps' },
    {
      line: 'lode up --hooks --at-login',
      does: 'add hooks, and keep it running in the background, without a question',
    },
    { line: 'lode up --demo', does: 'watch a demo that leaves your own record untouched' },
    { line: 'lode up --port 0', does: 'use any free port' },
  ],
  async run(context, { options }) {
    if (!options.demo) {
      const { demo: _demo, brief: _brief, hooks, open, 'at-login': atLogin, 'no-worker': noWorker, ...listen } = options
      return begin(context, listen, { hooks, open, 'at-login': atLogin }, noWorker)
    }
    const { io } = context
    const config = listenConfig(context, options)
    const [{ runDemonstration }, { sessionTree }, { taskTree }, { programName }] = await Promise.all([
      import('../../../app/up'),
      import('../../views/session/session-tree'),
      import('../../views/task/task-tree'),
      import('../../kit/program-name'),
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
          openPage: async (url: string, home: string) =>
            (await import('../../server/open-browser')).openBrowser(url, home, io),
        }),
      },
      { signal: context.signal, print: serverPrinter(context) },
    )
  },
})
