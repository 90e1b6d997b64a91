import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../domain/errors'
import { claudeCli } from '../util/claude-cli'
import { PROJECT_FILES } from './story'

/** The release that the story was written for. */
const VERSION = '2.1.328'

/** Finds the agent CLI to run. @throws AppError `unavailable` with the way to get it */
export function findAgentCli(): string {
  try {
    return claudeCli(VERSION)
  } catch (cause) {
    throw new AppError('unavailable', `the demo needs the Claude Code CLI ${VERSION}, which is not installed here`, {
      hint: 'run `npm ci` in the folder of Lodeline and start the demo there with `npm start`; your own sessions are recorded by `lode up` with any release',
      cause,
    })
  }
}

export interface AgentWorldOptions {
  /** Folder for the agent's project; made when missing. */
  folder: string
  /** The agent's configuration folder, where it writes its transcripts. */
  claudeRoot: string
  /** Where the model answers. */
  modelUrl: string
  /** What an act before has changed stays as it is. */
  goesOn?: boolean
}

export interface Turn {
  prompt: string
  /** Id for a new conversation, or for the fork of `resume`. */
  sessionId?: string
  resume?: string
}

/** A place where the real agent CLI works without touching the user's own settings, keys or conversations. */
export interface AgentWorld {
  readonly project: string
  /** All that the CLI gets of an environment. */
  readonly environment: Readonly<Record<string, string>>
  /**
   * Runs one prompt to its end.
   * @throws AppError `internal` when the CLI ends with an error; `signal`'s reason when it was stopped
   */
  run(turn: Turn, signal: AbortSignal): Promise<void>
  /** Removes what is of no more use; the project and the transcripts stay. */
  close(): void
}

export async function createAgentWorld(cli: string, options: AgentWorldOptions): Promise<AgentWorld> {
  const home = join(options.folder, 'home')
  const project = join(options.folder, 'shop')
  for (const path of [home, project, options.claudeRoot]) mkdirSync(path, { recursive: true })
  for (const [name, text] of Object.entries(PROJECT_FILES))
    if (options.goesOn !== true || !existsSync(join(project, name))) await writeFile(join(project, name), text)
  Bun.spawnSync(['git', 'init', '-q', '-b', 'main', project], { stdout: 'ignore', stderr: 'ignore' })
  // The CLI makes sockets below its TMPDIR, and their paths may not be long.
  const temporary = realpathSync(mkdtempSync('/tmp/lode-cli-'))

  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
    CLAUDE_CONFIG_DIR: options.claudeRoot,
    ANTHROPIC_BASE_URL: options.modelUrl,
    ANTHROPIC_API_KEY: 'no-key-needed',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }

  return {
    project,
    environment,
    async run({ prompt, sessionId, resume }, signal) {
      signal.throwIfAborted()
      const child = Bun.spawn(
        [
          cli,
          '-p',
          prompt,
          ...(resume ? ['--resume', resume] : []),
          ...(resume && sessionId ? ['--fork-session'] : []),
          ...(sessionId ? ['--session-id', sessionId] : []),
          '--allowedTools',
          'Bash,Agent,TaskCreate,TaskUpdate,TaskList',
        ],
        { cwd: project, env: environment, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
      )
      const stop = () => {
        // Told politely it ends its own tools; killed, it would leave them behind.
        child.kill('SIGTERM')
        setTimeout(() => child.kill('SIGKILL'), 3_000).unref()
      }
      signal.addEventListener('abort', stop, { once: true })
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      signal.removeEventListener('abort', stop)
      signal.throwIfAborted()
      if (code === 0) return
      throw new AppError('internal', `Claude Code ended with exit code ${code}: ${(err || out).trim().slice(-400)}`)
    },
    close: () => rmSync(temporary, { recursive: true, force: true }),
  }
}
