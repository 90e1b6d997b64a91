import type { LayoutOptions } from '../layout'
import { TEMPORARY_VARIABLES } from '../temporary-folders'
import { isProgram, triedProgram } from '../tried-program'
import { makeOwnFolders, pathRules } from './path-rules'
import { type Outbound, seatbeltProfile } from './profile'

/** The program of macOS that starts another one under a profile, or why it can't be used. */
export type Seatbelt = { kind: 'seatbelt'; path: string; whyOpen: null } | { why: string }

/** It comes with macOS. The search path has no say. */
export const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/** Said wherever a person reads of it, until its profile has been tried. */
export const SEATBELT_DOUBT = 'which the makers of Lodeline have not tried on a Mac'

/** Tries it with a profile of the same form as a run's: another release of macOS may not know all of its words. Never fails. */
export async function findSeatbelt(path: string, env: Readonly<Record<string, string | undefined>>): Promise<Seatbelt> {
  if (!isProgram(path)) return { why: `${path} is missing` }
  const rules = [
    { may: 'nothing', path: '/private/var/tmp' },
    { may: 'write', path: '/private/tmp' },
    { may: 'read', path: '/private/tmp/none' },
  ] as const
  const whys = await Promise.all(
    [[1_024], 'all' as const].map((outbound) =>
      triedProgram([path, '-p', seatbeltProfile(rules, outbound), '/usr/bin/true'], env),
    ),
  )
  const why = whys.find((said) => said !== null)
  return why === undefined
    ? { kind: 'seatbelt', path, whyOpen: null }
    : { why: `sandbox-exec does not work here: ${why}` }
}

/** A run's words before its command, its changed environment, and Lodeline's folder as it gets it. Makes folders in `scratch`. */
export function seatbelt(
  path: string,
  options: LayoutOptions,
  outbound: Outbound,
): { words: string[]; env: Record<string, string>; home: string } {
  const { temporary, caches, home } = makeOwnFolders(options)
  const env = {
    ...Object.fromEntries(TEMPORARY_VARIABLES.map((name) => [name, temporary])),
    XDG_CACHE_HOME: caches,
    npm_config_cache: `${caches}/npm`,
    PIP_CACHE_DIR: `${caches}/pip`,
    GOCACHE: `${caches}/go-build`,
  }
  return { words: [path, '-p', seatbeltProfile(pathRules(options), outbound)], env, home }
}
