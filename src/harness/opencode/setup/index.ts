import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { versionOf } from '../../hook-settings/cli-version'
import { notedFiles } from '../../hook-settings/settings-file'
import { hookRows } from './hook-rows'
import { check, setUp, takeDown } from './setup'

/** How our plugin gets into opencode: as a file of its own, so that the person's settings stay as they are. */
export const opencodeSetup: HarnessSetup = {
  userFile({ XDG_CONFIG_HOME: folder, HOME }, cwd) {
    const root = folder ? resolve(cwd, folder) : join(HOME || homedir(), '.config')
    return join(root, 'opencode/plugin/lodeline.js')
  },
  // A plugin of a project is one for all who work on it.
  projectFile: () => null,
  cliVersion: versionOf('opencode', { timeoutMs: 30_000 }),
  rows: (lode) => hookRows(lode),
  setUp,
  takeDown,
  check,
  filesSetUp: (home) => notedFiles(home, 'opencode'),
  pluginRemoval: () => [],
  note: () => null,
}
