import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CliPlace, CliState } from '../../domain/harness/harness-run'
import { entriesOf, hidden, type Mount } from './mounts'

/**
 * The configuration folder of the agent CLI: the person's settings to be read, the run's own conversation to be kept, and for the rest of
 * the CLI's state a copy or nothing, which ends with the run.
 *
 * @param scratch  a folder of the run, for what it writes there
 */
export function stateMounts(place: CliPlace, state: CliState, scratch: string): Mount[] {
  const { root } = place
  makeFolders(root, state.kept)
  const isLeftOut = (name: string) =>
    state.private.includes(name) || state.kept.some((path) => path.split('/')[0] === name)
  return [
    { kind: 'write', path: root, from: scratch },
    ...entriesOf(root, isLeftOut),
    ...state.readable.map((name): Mount => ({ kind: 'read', path: join(root, name) })),
    ...[...state.kept, ...state.shared].map((name): Mount => ({ kind: 'write', path: join(root, name) })),
    ...hidden(state.hidden.map((name) => join(root, name))),
  ]
}

/** Makes folders that a run writes and keeps: the run itself may make none there. */
export function makeFolders(root: string, names: readonly string[]): void {
  for (const name of names) mkdirSync(join(root, name), { recursive: true, mode: 0o700 })
}

/** Gives the run a copy of a file that the CLI rewrites at each start. */
export function copyState(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  copyFileSync(from, to)
}
