import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { versionOf } from '../../hook-settings/cli-version'
import { notedFiles } from '../../hook-settings/settings-file'
import { defersTodoTools, hidesTodoTools, hookRows, TODO_TOOLS_VARIABLE } from './hook-rows'
import { configFolder, userSettings } from './places'
import { checkAll, setUpAll, takeDownAll } from './with-tools'

/** How our hooks get into Claude Code's settings. */
export const claudeCodeSetup: HarnessSetup = {
  userFile: userSettings,
  projectFile: (root, isLocal) => join(root, '.claude', isLocal ? 'settings.local.json' : 'settings.json'),
  cliVersion: versionOf('claude', { env: { DISABLE_AUTOUPDATER: '1' } }),
  rows: hookRows,
  setUp: setUpAll,
  takeDown: takeDownAll,
  check: checkAll,
  filesSetUp: (home) => notedFiles(home, 'claude-code'),
  pluginRemoval,

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

type Environment = Readonly<Record<string, string | undefined>>

/** The CLI keeps lists of what is installed, each by its name as a key. (Seen with 2.1.197 to 2.1.330.) */
function pluginRemoval(env: Environment, cwd: string): string[][] {
  const lists = (name: string, key: string): boolean => {
    try {
      return readFileSync(join(configFolder(env, cwd), 'plugins', name), 'utf8').includes(JSON.stringify(key))
    } catch {
      return false
    }
  }
  return [
    ...(lists('installed_plugins.json', 'lodeline@lodeline') ? [['plugin', 'uninstall', 'lodeline@lodeline']] : []),
    ...(lists('known_marketplaces.json', 'lodeline') ? [['plugin', 'marketplace', 'remove', 'lodeline']] : []),
  ]
}
