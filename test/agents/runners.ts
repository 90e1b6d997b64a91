/** The real agent CLIs that run tasks, each with a scripted model, under one face: what holds for one of them holds for all. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Codex } from './codex'
import { Copilot } from './copilot'
import { Opencode, wordsOf } from './opencode'
import { Pi } from './pi'
import { chatText } from './scripted-chat'

/** An answer of the model: a text, and a shell command after it. */
export interface RunnerTurn {
  text: string
  /** Says it word by word, with this pause before each, in milliseconds. */
  pauseMs?: number
  command?: string
}

/** One of them with a HOME and a project of its own. */
export interface Runner extends AsyncDisposable {
  readonly project: string
  /** Its configuration folder. */
  readonly folder: string
  /** The program, as a setting names it. */
  readonly program: string
  /** What its processes need beside: their folder, their model. */
  readonly environment: Readonly<Record<string, string>>
  /** What the model was sent in each request, as text. */
  shown(): readonly string[]
  /** As a person would: a prompt to its end. @returns the id of its session */
  run(prompt: string): Promise<string>
  /** As a person would: a prompt in a session that is there, left at work. */
  goOn(session: string, prompt: string): { pid: number; exited: Promise<number> }
}

/** By script name; `@@name` in a prompt picks one. */
export type RunnerScripts = Readonly<Record<string, readonly RunnerTurn[]>>

type Start = (root: string, scripts: RunnerScripts) => Promise<Runner>

/** By the name of their harness. Claude Code has labs of its own. */
export const RUNNERS: Readonly<Record<string, Start>> = {
  async codex(root, scripts) {
    const codex = await Codex.start(
      root,
      stepsOf(scripts, (cmd) => ({ tool: 'exec_command', args: { cmd, yield_time_ms: 30_000 } })),
    )
    codex.configure()
    // Its sandbox makes helpers in the folder for temporary files, and none where its own folder lies in that: without them a command that
    // was allowed late would not begin.
    const temporary = join(root, 't')
    mkdirSync(temporary)
    return runner(codex, {
      program: join(codex.onPath(), 'codex'),
      environment: { CODEX_HOME: codex.folder, LOCAL_KEY: 'none', TMPDIR: temporary },
      shown: () => codex.shown,
      goOn: (resume, prompt) => codex.start(prompt, { resume }),
    })
  },
  async copilot(root, scripts) {
    const copilot = await Copilot.start(
      root,
      stepsOf(scripts, (command) => ({ tool: 'bash', args: { command, description: 'Runs', initial_wait: 120 } })),
    )
    return runner(copilot, {
      program: copilot.program,
      environment: { COPILOT_HOME: copilot.folder, ...copilot.environment },
      shown: () => copilot.model.requests.map(({ messages }) => messages.map(chatText).join('\n')),
      goOn: (session, prompt) => copilot.start(prompt, { session }),
    })
  },
  async opencode(root, scripts) {
    const opencode = await Opencode.start(
      root,
      stepsOf(scripts, (command) => ({ tool: 'bash', args: { command, description: 'Runs' } })),
      { goesOn: true },
    )
    return runner(opencode, {
      program: opencode.program,
      environment: opencode.environment,
      // The one without tools asks for a title.
      shown: () =>
        opencode.model.requests.flatMap(({ messages, tools }) =>
          tools === undefined ? [] : messages.map(chatText).join('\n'),
        ),
      goOn: (resume, prompt) => opencode.start(wordsOf(prompt, { resume })),
    })
  },
  async pi(root, scripts) {
    const pi = await Pi.start(
      root,
      stepsOf(scripts, (command) => ({ tool: 'bash', args: { command } })),
      // It gets its task again when it goes on.
      { goesOn: true },
    )
    return runner(pi, {
      program: pi.program(),
      environment: { PI_CODING_AGENT_DIR: pi.folder, PI_OFFLINE: '1' },
      shown: () => pi.model.requests.map(({ messages }) => messages.map(chatText).join('\n')),
      goOn: (resume, prompt) => pi.start(prompt, { resume }),
    })
  },
}

type Call = { tool: string; args: object }

const stepsOf = (scripts: RunnerScripts, call: (command: string) => Call) =>
  Object.fromEntries(
    Object.entries(scripts).map(([name, turns]) => [
      name,
      turns.map(({ command, ...say }) => [say, ...(command === undefined ? [] : [call(command)])]),
    ]),
  )

function runner(
  cli: AsyncDisposable & Pick<Runner, 'project' | 'folder' | 'run'>,
  more: Omit<Runner, 'project' | 'folder' | 'run' | typeof Symbol.asyncDispose>,
): Runner {
  const { project, folder } = cli
  return {
    project,
    folder,
    ...more,
    run: (prompt) => cli.run(prompt),
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  }
}
