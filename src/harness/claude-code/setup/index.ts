import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { defersTodoTools, hidesTodoTools, hookRows, TODO_TOOLS_VARIABLE } from './hook-rows'
import { checkSetup, setUp, takeDown } from './setup'

/** How our hooks get into Claude Code's settings. */
export const claudeCodeSetup: HarnessSetup = {
  userFile({ CLAUDE_CONFIG_DIR: folder, HOME }, cwd) {
    return join(folder ? resolve(cwd, folder) : join(HOME || homedir(), '.claude'), 'settings.json')
  },
  projectFile: (root, isLocal) => join(root, '.claude', isLocal ? 'settings.local.json' : 'settings.json'),
  cliVersion,
  rows: hookRows,
  setUp: async (options) => setUp(options),
  takeDown: async (options) => takeDown(options),
  check: async (options) => checkSetup(options),

  /** Newer releases give newer models no to-do tools: said, and offered, since without them there are no to-dos to keep. */
  note(version, hasTodoTools, env) {
    const name = TODO_TOOLS_VARIABLE
    if (version === null) return 'Claude Code was not found on PATH; only hooks supported by every release are added.'
    if (!hidesTodoTools(version) || hasTodoTools || env[name] === '1') return null
    return `Claude Code ${version} does not give newer models to-do tools in its terminal${
      defersTodoTools(version) ? ', and gives them to others only on a tool search' : ''
    }. To turn them on, use --todo-tools on, which sets ${name}=1 in these settings.`
  },
}

function cliVersion(executable: string | null, env: Readonly<Record<string, string | undefined>>): string | null {
  const program = executable ?? Bun.which('claude', { PATH: env.PATH ?? '' })
  if (program === null) return null
  const run = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    timeout: 10_000,
    maxBuffer: 65_536,
    env: { ...env, DISABLE_AUTOUPDATER: '1' },
  })
  return run.status === 0 ? (/^(\d+\.\d+\.\d+)/.exec(run.stdout.trim())?.[1] ?? null) : null
}
