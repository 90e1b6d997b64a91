import type { Config } from '../../config/load'
import type { AgentName } from '../../domain/ids'
import { harnesses } from '../../harness/registry'
import { executableOf } from './agent-run'

/** An agent CLI of this machine beside the one that begins new tasks. */
export interface OtherCli {
  name: AgentName
  /** As people call it. */
  title: string
  executable: string
}

/**
 * Looks for the CLI that has its configuration folder named by a variable, as a worker looks for it. Takes no time where it is not installed.
 *
 * @param variable  for example `CODEX_HOME`
 * @returns `null` = it is not installed, or too old
 */
export async function findOtherCli(
  config: Pick<Config, 'agents'>,
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
): Promise<OtherCli | null> {
  const harness = harnesses().find(({ rootEnvironment }) => variable in rootEnvironment('/'))
  const run = await harness?.run?.()
  if (harness === undefined || run === undefined) return null
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  try {
    const executable = run.findExecutable(given, executableOf(config, harness.name))
    await run.version(executable, given)
    return { name: harness.name, title: harness.title, executable }
  } catch {
    return null
  }
}
