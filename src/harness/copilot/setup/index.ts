import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { versionOf } from '../../hook-settings/cli-version'
import { serverRow } from '../../hook-settings/mcp-server'
import { notedFiles } from '../../hook-settings/settings-file'
import { hookRows } from './hook-rows'
import { check, setUp, takeDown } from './setup'

/** How our hooks and tools get into the settings of Copilot CLI. */
export const copilotSetup: HarnessSetup = {
  userFile({ COPILOT_HOME: folder, HOME }, cwd) {
    return join(folder ? resolve(cwd, folder) : join(HOME || homedir(), '.copilot'), 'hooks', 'lodeline.json')
  },
  // The CLI reads hooks of a repository; what they say is the repository's affair.
  projectFile: () => null,
  cliVersion: versionOf('copilot', { env: { COPILOT_AUTO_UPDATE: 'false' } }),
  rows: (lode) => [...hookRows(lode), serverRow(lode)],
  setUp,
  takeDown,
  check,
  filesSetUp: (home) => notedFiles(home, 'copilot'),
  pluginRemoval: () => [],
  note: () => null,
}
