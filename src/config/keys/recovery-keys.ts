import type { KeySpec } from '../key-spec'
import { isOff, parseBoolean, whole } from '../parse-values'

/** What a launch gets that repeats one whose agent runs, or whose result nobody has read. */
export const LAUNCH_GUARDS = ['once', 'warn', 'off'] as const
export type LaunchGuard = (typeof LAUNCH_GUARDS)[number]

/** The settings of what is kept and told of background work, by key. */
export interface RecoverySettings {
  'guard.launches': LaunchGuard
  'manifest.enabled': boolean
  'manifest.retentionDays': number | null
}

export const RECOVERY_KEYS: { readonly [K in keyof RecoverySettings]: KeySpec<RecoverySettings[K]> } = {
  'guard.launches': {
    help: 'what to do if a launch repeats a running or unread sub-agent: once = refuse it, allow an identical retry; warn = warn the agent; off',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 'once',
    parse: (value) => {
      // YAML reads a bare `off` as false.
      const found = isOff(value) ? 'off' : LAUNCH_GUARDS.find((each) => each === value)
      if (found === undefined) throw new Error(`must be one of ${LAUNCH_GUARDS.join(', ')}`)
      return found
    },
  },
  'manifest.enabled': {
    help: "whether background launches are listed in agent-manifests/ in Lodeline's folder, by day and by project",
    isProjectSafe: false,
    isLive: false,
    fallback: () => true,
    parse: parseBoolean,
  },
  'manifest.retentionDays': {
    help: 'how many days the daily files in agent-manifests/ are kept, 1 to 36500; off = forever',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 30,
    parse: (value) => (isOff(value) ? null : whole(value, 1, 36_500, ' or off')),
  },
}
