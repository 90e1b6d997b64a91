import { harnesses } from '../../harness/registry'
import type { KeySpec } from '../key-spec'
import { homeOf, isOff, parseFolders } from '../parse-values'

/** For each agent CLI that the program knows, by its name. */
export interface AgentSettings {
  [homes: `agents.${string}.homes`]: readonly string[]
  [executable: `agents.${string}.executable`]: string | null
}

/** An agent CLI on this machine. Paths are absolute. */
export interface AgentConfig {
  /** Its configuration folders. */
  readonly homes: readonly string[]
  /** Its program; `null` = as PATH finds it. */
  readonly executable: string | null
}

export const AGENT_KEYS: { readonly [K in keyof AgentSettings]: KeySpec<AgentSettings[K]> } = Object.fromEntries(
  harnesses().flatMap(({ name, title, program, root, run }) => {
    const homes: KeySpec<readonly string[]> = {
      help: `the ${title} folders to record`,
      isProjectSafe: false,
      isLive: false,
      fallback: ({ env }) => [root({ ...env, HOME: homeOf(env) })],
      parse: parseFolders,
    }
    const executable: KeySpec<string | null> = {
      help: `the path of the program of ${title}; off = ${program} from PATH`,
      isProjectSafe: false,
      isLive: false,
      fallback: () => null,
      parse: (value, place) => (isOff(value) ? null : (parseFolders(value, place)[0] ?? null)),
    }
    return [[`agents.${name}.homes`, homes], ...(run === null ? [] : [[`agents.${name}.executable`, executable]])]
  }),
)

/** The settings of agent CLIs, by their names. */
export const assembleAgents = (settings: AgentSettings): Readonly<Record<string, AgentConfig>> =>
  Object.freeze(
    Object.fromEntries(
      harnesses().flatMap(({ name }) => {
        const homes = settings[`agents.${name}.homes`]
        // One that was entered after the program's start has no settings.
        if (homes === undefined) return []
        const executable = settings[`agents.${name}.executable`] ?? null
        return [[name, Object.freeze({ homes: Object.freeze([...homes]), executable })]]
      }),
    ),
  )
