import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { versionOf } from '../../hook-settings/cli-version'
import { notedFiles } from '../../hook-settings/settings-file'
import { hookRows } from './hook-rows'
import { check, setUp, takeDown } from './setup'

/** How our hooks get into the settings of Codex. */
export const codexSetup: HarnessSetup = {
  userFile({ CODEX_HOME: folder, HOME }, cwd) {
    return join(folder ? resolve(cwd, folder) : join(HOME || homedir(), '.codex'), 'hooks.json')
  },
  // Codex reads hooks of a project that a person trusts; their trust is kept for each person.
  projectFile: () => null,
  cliVersion: versionOf('codex'),
  rows: (lode) => hookRows(lode),
  setUp,
  takeDown,
  check,
  filesSetUp: (home) => notedFiles(home, 'codex'),
  pluginRemoval: () => [],
  note: () => null,
}
