import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isWithin } from '../../../util/files/is-within'
import { gitMounts } from '../git-mounts'
import { agentSettings, type LayoutOptions, mayBeRead } from '../layout'
import type { Mount } from '../mounts'
import { SECRET_PLACES } from '../secret-places'
import { makeFolders } from '../state-mounts'
import type { PathRule } from './profile'

/** Folders of a run in its scratch: nothing can lie over the machine's own, so environment variables name them to programs. */
export interface OwnFolders {
  temporary: string
  caches: string
  /** Lodeline's folder, as the run gets it. */
  home: string
}

/** Temporary files of everybody; other programs have sockets there. */
const COMMON_TEMPORARY = ['/tmp', '/var/tmp']
/** The agent CLI has its login there, and renews it. */
const KEYCHAINS = 'Library/Keychains'

/** Makes the folders that a run has of its own, with a way to where its hooks report. */
export function makeOwnFolders({ scratch, hooksFolder, runFolder }: LayoutOptions): OwnFolders {
  const own = { temporary: join(scratch, 'tmp'), caches: join(scratch, 'caches'), home: join(scratch, 'home') }
  for (const folder of [...Object.values(own), join(runFolder, 'told'), hooksFolder])
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  symlinkSync(hooksFolder, join(own.home, 'hooks'))
  return own
}

/**
 * What a run may do where; elsewhere it reads. It is the same machine as in a sandbox of mounts, but nothing can be put in the place of
 * what it must not see or change, so that is refused instead. What is missing now is refused, too, when it is made later.
 */
export function pathRules(options: LayoutOptions): PathRule[] {
  const { place, state, userHome, home, scratch, runFolder, hooksFolder } = options
  const own = [...state.kept, ...state.needed]
  makeFolders(place.root, own)
  const git = gitMounts(place.cwd)
  const conversations = state.kept.map((path) => path.split('/', 1)[0] ?? path)
  const inRoot = (names: readonly string[]) => names.map((name) => join(place.root, name))
  const secrets = SECRET_PLACES.map((name) => join(userHome, name))
  const rules: PathRule[] = [
    ...all('nothing', COMMON_TEMPORARY),
    // A person may live there.
    ...all('read', [userHome, place.root]),
    ...all(
      'nothing',
      options.temporary.filter((path) => !isWithin(userHome, path)),
    ),
    ...all('nothing', secrets),
    ...all('write', [join(userHome, KEYCHAINS)]),
    // Its own configuration may be one of the other agents'.
    ...all('read', [place.root]),
    ...all('nothing', inRoot([...state.private, ...conversations])),
    ...all('read', inRoot(state.readable)),
    ...all('write', inRoot([...own, ...state.shared])),
    ...all('nothing', inRoot(state.hidden)),
    ...all('nothing', [home]),
    ...all('read', [runFolder]),
    ...all('write', [join(runFolder, 'told'), hooksFolder, scratch]),
    ...all('read', options.programs),
    ...(mayBeRead(git.root, options) ? all('read', [git.root]) : []),
    ...all('write', [place.cwd]),
    ...[...git.mounts, ...agentSettings(git.root ?? place.cwd)].flatMap(ruleOf),
    ...all('write', options.writable),
  ]
  return rules.flatMap(({ may, path }) => realPaths(path).map((real) => ({ may, path: real })))
}

const all = (may: PathRule['may'], paths: readonly string[]): PathRule[] => paths.map((path) => ({ may, path }))

/** Mounts of a path to itself. */
const ruleOf = ({ kind, path }: Mount): PathRule[] =>
  kind === 'read' || kind === 'write' ? [{ may: kind, path }] : [{ may: 'nothing', path }]

/** Where a path is, and where it leads if it is a link. What is missing is where its folder is. */
function realPaths(path: string): string[] {
  if (path === '/') return [path]
  const at = join(real(dirname(path)), basename(path))
  return [...new Set([at, real(at)])]
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === '/' ? path : join(real(dirname(path)), basename(path))
  }
}
