import type { Config } from '../../config/load'
import { harnesses } from '../../harness/registry'
import { executableOf } from './agent-run'

type Environment = Readonly<Record<string, string | undefined>>

/** Agent CLIs that are installed here and run tasks, as people call them. Starts none of them: one may still be too old. */
export async function runnableClis(config: Pick<Config, 'agents'>, env: Environment): Promise<string[]> {
  const given = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const titles = await Promise.all(
    harnesses().map(async ({ name, title, run }) => {
      try {
        const harness = await run?.()
        harness?.findExecutable(harness.runEnvironment(given, {}), executableOf(config, name))
        return harness === undefined ? [] : [title]
      } catch {
        return []
      }
    }),
  )
  return titles.flat()
}
