import { resolve } from 'node:path'
import type { OptionSpecs } from '../kit/arguments/specs'
import type { Io } from '../kit/io'
import { actorOf } from './git-user'

/** Options that say which tracker is meant, and who acts. */
export const PLACE = {
  dir: {
    kind: 'text',
    short: 'C',
    value: 'DIR',
    complete: 'folder',
    help: 'a folder of the project (default: this folder)',
  },
  actor: {
    kind: 'text',
    value: 'NAME',
    help: "the name to act as (default: $BEADS_ACTOR, git's user.name, the login name)",
  },
} as const satisfies OptionSpecs

/** The same, as requests that name issues say it. */
export interface Place {
  dir?: string
  actor?: string
}

/** Paths of this machine mean nothing to another: there the run's own folder counts, or every tracker. */
export function placeOf(
  io: Io,
  isRemote: boolean,
  { dir, actor }: { dir?: string | undefined; actor?: string | undefined },
): Place {
  const folder = dir === undefined ? (isRemote ? undefined : io.cwd) : isRemote ? dir : resolve(io.cwd, dir)
  const who = actor ?? actorOf(io)
  return { ...(folder !== undefined && { dir: folder }), ...(who !== undefined && { actor: who }) }
}
