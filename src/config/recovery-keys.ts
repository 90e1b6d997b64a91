import type { KeySpec } from './keys'
import { isOff, parseBoolean, whole } from './parse-values'

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
    help: 'a launch that repeats a sub-agent which runs or is unread: once = refused, and let through when repeated; warn = told; off',
    isProjectSafe: true,
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
    help: 'whether launches in the background are listed in agent-manifests/ here, by day and by project',
    isProjectSafe: false,
    isLive: false,
    fallback: () => true,
    parse: parseBoolean,
  },
  'manifest.retentionDays': {
    help: 'days that the daily files in agent-manifests/ are kept, 1 to 36500; off = for ever',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 30,
    parse: (value) => (isOff(value) ? null : whole(value, 1, 36_500, ' or off')),
  },
}
