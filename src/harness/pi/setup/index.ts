import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { versionOf } from '../../hook-settings/cli-version'
import { notedFiles } from '../../hook-settings/settings-file'
import { check, extensionRow, setUp, takeDown } from './setup'

/** How our extension gets into the folder of Pi. */
export const piSetup: HarnessSetup = {
  userFile({ PI_CODING_AGENT_DIR: folder, HOME }, cwd) {
    const root = folder ? resolve(cwd, folder) : join(HOME || homedir(), '.pi', 'agent')
    return join(root, 'extensions', 'lodeline.js')
  },
  // A repository may bring extensions, which Pi loads only for who trusts it.
  projectFile: () => null,
  cliVersion: versionOf('pi', { env: { PI_SKIP_VERSION_CHECK: '1' } }),
  rows: (lode) => [extensionRow(lode)],
  setUp,
  takeDown,
  check,
  filesSetUp: (home) => notedFiles(home, 'pi'),
  pluginRemoval: () => [],
  note: () => null,
}
