import { isAbsolute } from 'node:path'
import type { CliPlace, HarnessRun, StateOptions } from '../../domain/harness/harness-run'
import { lodeFiles } from '../../util/lode-command'
import type { Box } from '../sandbox/sandbox'
import { temporaryFolders } from '../sandbox/temporary-folders'
import type { AttemptFolder } from './attempt-folder'
import { type AgentCli, ownAddresses, runEnvironment } from './cli/agent-cli'
import type { RunContext } from './run-context'
import { userHomeOf } from './run-rules'

export interface BoxOptions extends Pick<StateOptions, 'conversation' | 'permissionMode'> {
  harness: HarnessRun
  place: CliPlace
  folder: AttemptFolder
  program: AgentCli
  /** A connection was refused. */
  onRefused(why: string): void
}

/** What keeps a run from the rest of the machine. @throws the task can't be run in a sandbox */
export function boxFor(
  { options, sandboxes }: Pick<RunContext, 'options' | 'sandboxes'>,
  { harness, place, folder, program, conversation, permissionMode, onRefused }: BoxOptions,
): Promise<Box> {
  const { env, home, lode, settings } = options
  const given = runEnvironment(harness, options, {})
  return sandboxes.boxFor(settings.sandbox, () => ({
    place,
    state: harness.state(place, { conversation, permissionMode, env: given }),
    userHome: userHomeOf(env),
    home,
    scratch: folder.scratch,
    runFolder: folder.run,
    hooksFolder: folder.hooks,
    temporary: temporaryFolders(given),
    programs: [program.path, ...lode, ...lodeFiles()].filter((word) => isAbsolute(word)),
    writable: settings.writableDirs,
    network: {
      words: () => settings.network,
      own: ownAddresses(harness, options),
      env,
      lode,
      socket: folder.network,
      onRefused,
    },
  }))
}
